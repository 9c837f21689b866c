import {
  changedOrder,
  type EffectFields,
  type EffectForm,
  higherIn,
  nameIn,
  namesOf,
  nonZeroIn,
  type OrderEffect,
  positiveIn,
  refuseIfGiven,
  requiredName,
  requiredPositive,
  requiredWord,
  textIn,
  wordIn,
} from '../../call-effect.ts'
import { higher } from '../../protocol/decimals.ts'
import {
  agreedPrice,
  isMarketOrder,
  KEPT,
  priceOf,
  readLeverage,
  readMargin,
  TIMES,
} from '../call.ts'
import {
  directionOf,
  ENDING,
  endingClosing,
  legClosing,
  orderClosing,
  planClosing,
  wholeClosing,
} from './order-forms.ts'

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

// What orders of futures that wait for a price may trade (docs/exchanges/bitget.md, 5).

const TRIGGER_SHARED = 'symbol productType marginCoin'
const LEGS = ['stopSurplus', 'stopLoss'] as const
/** Take profit and stop loss of a trigger order; with prices they would be limit orders. */
const TRIGGER_EXITS = LEGS.flatMap((leg) => [`${leg}TriggerPrice`, `${leg}TriggerType`])
const TRIGGER_EXIT_PRICES = LEGS.map((leg) => `${leg}ExecutePrice`)
const NEW_TRIGGER_EXITS = [
  'newStopSurplusTriggerPrice newStopSurplusTriggerType',
  'newStopLossTriggerPrice newStopLossTriggerType',
]
const NEW_TRIGGER_EXIT_PRICES = ['newStopSurplusExecutePrice', 'newStopLossExecutePrice']

export const planning: EffectForm = {
  fields: namesOf(
    TRIGGER_SHARED,
    'planType marginMode size price executePrice callbackRatio triggerPrice triggerType side',
    'tradeSide orderType force clientOid reduceOnly stpMode',
    ...TRIGGER_EXITS,
    ...TRIGGER_EXIT_PRICES,
    TIMES,
  ),
  read: readPlan,
}
export const planModifying: EffectForm = {
  fields: namesOf(
    TRIGGER_SHARED,
    'planType orderId clientOid newSize newPrice newCallbackRatio newTriggerPrice',
    // ccxt names the new trigger price a second time, by the name of another call.
    'newTriggerType triggerPrice',
    ...NEW_TRIGGER_EXITS,
    ...NEW_TRIGGER_EXIT_PRICES,
    TIMES,
  ),
  ignores: (fields) => (fields.newTriggerPrice === undefined ? ['triggerPrice'] : []),
  read: readPlanChange,
}
export const ending: EffectForm = {
  fields: namesOf(
    TRIGGER_SHARED,
    'planType triggerPrice triggerType executePrice holdSide size rangeRate clientOid stpMode',
    'orderType force',
    TIMES,
  ),
  read: readEnding,
}
export const endingBoth: EffectForm = {
  fields: namesOf(
    TRIGGER_SHARED,
    'holdSide stpMode',
    ...TRIGGER_EXITS,
    ...TRIGGER_EXIT_PRICES,
    ...LEGS.flatMap((leg) => [`${leg}Size`, `${leg}ClientOid`]),
    TIMES,
  ),
  read: readEnds,
}
export const endingModifying: EffectForm = {
  fields: namesOf(
    TRIGGER_SHARED,
    'orderId clientOid triggerPrice triggerType executePrice size rangeRate',
    TIMES,
  ),
  read: readEndingChange,
}

/** `track_plan` trails the price from the trigger price on, and trades at the market's. */
function readPlan(fields: EffectFields): OrderEffect {
  refuseIfGiven(fields, ...TRIGGER_EXIT_PRICES)
  const isTrack = requiredWord(fields, 'planType', ['normal_plan', 'track_plan']) === 'track_plan'
  return {
    ...futures(fields),
    ...directionOf(fields),
    closes: planClosing(fields),
    size: requiredPositive(fields, 'size'),
    price:
      isTrack || isMarketOrder(fields) ? undefined : agreedPrice(fields, 'price', 'executePrice'),
    trigger: requiredPositive(fields, 'triggerPrice'),
    exit: higherIn(fields, 'stopSurplusTriggerPrice', 'stopLossTriggerPrice'),
  }
}

/** What is empty stays. */
function readPlanChange(fields: EffectFields): OrderEffect {
  refuseIfGiven(fields, ...NEW_TRIGGER_EXIT_PRICES)
  return {
    ...futures(fields),
    size: positiveIn(fields, 'newSize'),
    price: positiveIn(fields, 'newPrice'),
    trigger: higher(positiveIn(fields, 'newTriggerPrice'), positiveIn(fields, 'triggerPrice')),
    exit: higherIn(fields, 'newStopSurplusTriggerPrice', 'newStopLossTriggerPrice'),
    // As in a cancel, a change that names no type is one of a `normal_plan`, but for a ratio.
    changes: changedOrder(fields, {
      clientIdName: 'clientOid',
      plan:
        wordIn(fields, 'planType', ['normal_plan', 'track_plan']) ??
        (textIn(fields, 'newCallbackRatio') === undefined ? 'normal_plan' : 'track_plan'),
    }),
  }
}

/** One end of a position. Those of type `pos_…` are for all of it. */
function readEnding(fields: EffectFields): OrderEffect {
  const planType = requiredWord(fields, 'planType', [
    'profit_plan',
    'loss_plan',
    'moving_plan',
    'pos_profit',
    'pos_loss',
  ])
  const isWhole = planType.startsWith('pos_')
  return {
    ...futures(fields),
    ...closing(fields),
    closes: endingClosing(fields),
    size: isWhole ? undefined : requiredPositive(fields, 'size'),
    price: nonZeroIn(fields, 'executePrice'),
    trigger: requiredPositive(fields, 'triggerPrice'),
  }
}

/** Both ends of a position, or one: an order for each. Without a size it is for all of it. */
function readEnds(fields: EffectFields): OrderEffect[] {
  return LEGS.filter((leg) => textIn(fields, `${leg}TriggerPrice`) !== undefined).map((leg) => ({
    ...futures(fields),
    ...closing(fields),
    closes: legClosing({ leg, holdSide: fields.holdSide, size: fields[`${leg}Size`] }),
    size: positiveIn(fields, `${leg}Size`),
    price: nonZeroIn(fields, `${leg}ExecutePrice`),
    trigger: requiredPositive(fields, `${leg}TriggerPrice`),
  }))
}

function readEndingChange(fields: EffectFields): OrderEffect {
  return {
    ...futures(fields),
    size: positiveIn(fields, 'size'),
    price: nonZeroIn(fields, 'executePrice'),
    trigger: requiredPositive(fields, 'triggerPrice'),
    reduces: true,
    changes: changedOrder(fields, { clientIdName: 'clientOid', plan: ENDING }),
  }
}

function futures(fields: EffectFields): OrderEffect {
  return {
    kind: 'order',
    market: 'futures',
    symbol: requiredName(fields, 'symbol'),
    productType: requiredName(fields, 'productType'),
    ...{ side: undefined, size: undefined, price: undefined, reduces: false, rests: true },
  }
}

/** `holdSide` is long or short in hedge mode, buy (a long position) or sell in one-way mode. */
function closing(fields: EffectFields): Pick<OrderEffect, 'side' | 'reduces'> {
  const held = requiredWord(fields, 'holdSide', ['long', 'buy', 'short', 'sell'])
  return { side: held === 'long' || held === 'buy' ? 'sell' : 'buy', reduces: true }
}
