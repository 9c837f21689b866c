import type { EffectForm, EffectTable, OrderEffect } from '../../call-effect.ts'
import {
  changedOrder,
  type EffectFields,
  higherIn,
  nameIn,
  namesOf,
  positiveIn,
  refuseIfGiven,
  requiredName,
  requiredPositive,
} from '../../call-effect.ts'
import type { StopCalls } from '../../stop-fields.ts'
import { KEPT, priceOf, readLeverage, readMargin, TIMES } from '../effect-words.ts'
import { directionOf, orderClosing, wholeClosing } from './direction.ts'
import { spotEffects } from './spot-effects.ts'
import { triggerEffects } from './trigger-effects.ts'

const MIX = '/api/v2/mix/order'
const ACCOUNT = '/api/v2/mix/account'

const SHARED = 'symbol productType marginMode marginCoin'
/** Prices at which an attached take profit or stop loss would be a limit order. */
const EXIT_PRICES = ['presetStopSurplusExecutePrice', 'presetStopLossExecutePrice']
const NEW_EXIT_PRICES = ['newPresetStopSurplusExecutePrice', 'newPresetStopLossExecutePrice']
const MARGIN = 'amount holdSide'
const LEVERAGES = 'leverage longLeverage shortLeverage'

const ordering = {
  fields: namesOf(
    SHARED,
    'size price side tradeSide orderType force clientOid reduceOnly stpMode',
    'presetStopSurplusPrice presetStopSurplusType presetStopLossPrice presetStopLossType',
    ...EXIT_PRICES,
    TIMES,
  ),
  read: readOrder,
}

/**
 * What the orders of a classic account may trade (docs/exchanges/bitget.md, 3 to 5). Take profit
 * and stop loss that hang on an order are its `exit`: at the market's price they close what it
 * opened, and with it perhaps the rest of the position. With a price of their own they would be
 * orders that nobody has judged, and the call is `unbounded`.
 */
export const classicEffects: EffectTable = new Map<string, EffectForm | string>([
  ...spotEffects,
  ...triggerEffects,
  [`POST ${MIX}/place-order`, ordering],
  [`POST ${MIX}/batch-place-order`, { ...ordering, beside: namesOf(SHARED, TIMES) }],
  [
    `POST ${MIX}/modify-order`,
    {
      fields: namesOf(
        'orderId clientOid symbol productType marginCoin newClientOid newSize newPrice',
        'newPresetStopSurplusPrice newPresetStopLossPrice',
        ...NEW_EXIT_PRICES,
        TIMES,
      ),
      read: readChange,
    },
  ],
  [
    `POST ${MIX}/close-positions`,
    { fields: namesOf('symbol productType marginCoin holdSide'), read: readClose },
  ],
  [
    `POST ${MIX}/click-backhand`,
    'it closes a position and opens the opposite one; how much that is depends on the position',
  ],
  [
    `POST ${ACCOUNT}/set-leverage`,
    { fields: namesOf(SHARED, LEVERAGES, 'holdSide'), read: readLeverage },
  ],
  [
    `POST ${ACCOUNT}/set-all-leverage`,
    { fields: namesOf('productType marginMode marginCoin', LEVERAGES), read: readLeverage },
  ],
  [`POST ${ACCOUNT}/set-margin`, { fields: namesOf(SHARED, MARGIN), read: readMargin }],
  // From then on the exchange adds margin by itself.
  [
    `POST ${ACCOUNT}/set-auto-margin`,
    { fields: namesOf(SHARED, MARGIN, 'autoMargin'), read: readMargin },
  ],
])

export const classicStopCalls: readonly StopCalls[] = [
  {
    below: '/api/v2/spot/',
    trigger: 'POST /api/v2/spot/trade/place-plan-order',
    exit: 'POST /api/v2/spot/trade/place-plan-order',
  },
  {
    below: `${MIX}/`,
    trigger: `POST ${MIX}/place-plan-order`,
    exit: `POST ${MIX}/place-tpsl-order`,
    trailing: `POST ${MIX}/place-plan-order with "planType": "track_plan"`,
    exitOfSize: `POST ${MIX}/place-tpsl-order with "planType": "loss_plan" or "profit_plan" and "size"`,
    closeOfSize: `POST ${MIX}/place-order with "size" and "reduceOnly": "YES", in hedge mode "tradeSide": "close"`,
  },
]

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
