import {
  changedOrder,
  type EffectFields,
  type EffectForm,
  higherIn,
  nameIn,
  namesOf,
  type OrderEffect,
  positiveIn,
  refuseIfGiven,
  requiredName,
  requiredPositive,
} from '../../call-effect.ts'
import { KEPT, priceOf, readLeverage, readMargin, TIMES } from '../call.ts'
import { directionOf, orderClosing, wholeClosing } from './order-forms.ts'

// What the futures orders of a classic account may trade (docs/exchanges/bitget.md, 4 and 5). Take
// profit and stop loss that hang on an order are its `exit`: at the market's price they close what
// it opened, and with it perhaps the rest of the position. With a price of their own they would be
// orders that nobody has judged, and the call is `unbounded`.

const SHARED = 'symbol productType marginMode marginCoin'
/** Prices at which an attached take profit or stop loss would be a limit order. */
const EXIT_PRICES = ['presetStopSurplusExecutePrice', 'presetStopLossExecutePrice']
const NEW_EXIT_PRICES = ['newPresetStopSurplusExecutePrice', 'newPresetStopLossExecutePrice']
const MARGIN = 'amount holdSide'
const LEVERAGES = 'leverage longLeverage shortLeverage'

export const ordering: EffectForm = {
  fields: namesOf(
    SHARED,
    'size price side tradeSide orderType force clientOid reduceOnly stpMode',
    'presetStopSurplusPrice presetStopSurplusType presetStopLossPrice presetStopLossType',
    ...EXIT_PRICES,
    TIMES,
  ),
  read: readOrder,
}

export const batch: EffectForm = { ...ordering, beside: namesOf(SHARED, TIMES) }
export const modifying: EffectForm = {
  fields: namesOf(
    'orderId clientOid symbol productType marginCoin newClientOid newSize newPrice',
    'newPresetStopSurplusPrice newPresetStopLossPrice',
    ...NEW_EXIT_PRICES,
    TIMES,
  ),
  read: readChange,
}
export const closingPositions: EffectForm = {
  fields: namesOf('symbol productType marginCoin holdSide'),
  read: readClose,
}
export const leverageSetting: EffectForm = {
  fields: namesOf(SHARED, LEVERAGES, 'holdSide'),
  read: readLeverage,
}
export const leverageOfAll: EffectForm = {
  fields: namesOf('productType marginMode marginCoin', LEVERAGES),
  read: readLeverage,
}
export const marginSetting: EffectForm = { fields: namesOf(SHARED, MARGIN), read: readMargin }
export const autoMarginSetting: EffectForm = {
  fields: namesOf(SHARED, MARGIN, 'autoMargin'),
  read: readMargin,
}

function readOrder(fields: EffectFields): OrderEffect {
  refuseIfGiven(fields, ...EXIT_PRICES)
  return {
    kind: 'order',
    market: 'futures',
    symbol: requiredName(fields, 'symbol'),
    productType: requiredName(fields, 'productType'),
    ...directionOf(fields),
    closes: orderClosing(fields),
    size: requiredPositive(fields, 'size'),
    ...priceOf(fields, 'force'),
    exit: higherIn(fields, 'presetStopSurplusPrice', 'presetStopLossPrice'),
  }
}

function readChange(fields: EffectFields): OrderEffect {
  refuseIfGiven(fields, ...NEW_EXIT_PRICES)
  return {
    kind: 'order',
    market: 'futures',
    symbol: requiredName(fields, 'symbol'),
    productType: requiredName(fields, 'productType'),
    side: undefined,
    size: positiveIn(fields, 'newSize'),
    price: positiveIn(fields, 'newPrice'),
    exit: higherIn(fields, 'newPresetStopSurplusPrice', 'newPresetStopLossPrice'),
    ...{ reduces: false, rests: true },
    changes: changedOrder(fields, { clientIdName: 'clientOid' }),
  }
}

function readClose(fields: EffectFields): OrderEffect {
  return {
    kind: 'order',
    market: 'futures',
    symbol: nameIn(fields, 'symbol'),
    productType: nameIn(fields, 'productType'),
    ...KEPT,
    ...{ reduces: true, rests: false },
    closes: wholeClosing(fields),
  }
}
