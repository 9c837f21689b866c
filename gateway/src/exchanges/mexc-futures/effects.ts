import {
  changedOrder,
  type EffectFields,
  type EffectForm,
  higherIn,
  type LeverageEffect,
  leverageIn,
  type MarginEffect,
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
  unclear,
  wordIn,
} from '../call-effect.ts'
import { closingOf } from '../position-part.ts'
import { textOf } from '../protocol/untrusted.ts'
import {
  orderClosing,
  planClosing,
  stopClosing,
  type TriggerKind,
  trackClosing,
} from './order-forms.ts'

// What the orders of MEXC futures may trade (docs/exchanges/mexc-futures.md, 4.4 and 4.5). Take
// profit and stop loss that hang on an order are its `exit`: they close what it opened, and with
// it perhaps the rest of the position.

/** 5, and 6 of older pages, are market orders. */
const TYPES = ['1', '2', '3', '4', '5', '6'] as const

const OPENING = 'symbol side vol leverage openType positionMode reduceOnly'
/** They protect what an order opens; one that closes has nothing to protect. */
const EXITS = ['stopLossPrice', 'takeProfitPrice']
const STOPS = 'stopLossPrice takeProfitPrice lossTrend profitTrend priceProtect'
/** They let the exchange choose the size or the price. */
const CHOICES = ['marketCeiling', 'flashClose', 'bboTypeNum']

export const ordering: EffectForm = {
  // ccxt leaves its `timeInForce` in an order; MEXC has the type in its place.
  fields: namesOf(
    OPENING,
    STOPS,
    'price type positionId externalOid stpMode timeInForce',
    ...CHOICES,
  ),
  ignores: (fields) => (isClosing(fields) ? EXITS : []),
  read: readOrder,
}
export const planning: EffectForm = {
  fields: namesOf(
    OPENING,
    STOPS,
    'price triggerPrice triggerType executeCycle orderType trend type',
    // ccxt leaves those of a plain order.
    'positionId externalOid timeInForce',
  ),
  read: readPlan,
}

export const changing: EffectForm = { fields: namesOf('orderId price vol'), read: readChange }
export const planChanging: EffectForm = {
  fields: namesOf('symbol orderId triggerPrice price orderType triggerType trend from'),
  read: readPlanChange,
}
export const tracking: EffectForm = {
  fields: namesOf(OPENING, 'trend activePrice backType backValue'),
  read: readTrack,
}
export const trackChanging: EffectForm = {
  fields: namesOf('symbol trackOrderId trend activePrice backType backValue vol'),
  read: readTrackChange,
}
export const closingAll: EffectForm = { fields: namesOf('symbol'), read: readCloseAll }
export const leverageSetting: EffectForm = {
  fields: namesOf(
    'symbol positionId leverage openType positionType leverageMode marginSelected',
    'leverageSelected',
  ),
  read: readLeverage,
}
export const marginSetting: EffectForm = {
  fields: namesOf('symbol positionId amount type'),
  read: readMargin,
}
export const autoMarginSetting: EffectForm = {
  fields: namesOf('symbol positionId isEnabled'),
  read: readMargin,
}

function readOrder(fields: EffectFields): OrderEffect {
  refuseIfGiven(fields, ...CHOICES)
  const type = requiredWord(fields, 'type', TYPES)
  return {
    ...opening(fields),
    closes: orderClosing(fields),
    price: priceOf(fields, type),
    exit: higherIn(fields, 'stopLossPrice', 'takeProfitPrice'),
    rests: type === '1' || type === '2',
  }
}

/** An order that comes when the price has come. */
function readPlan(fields: EffectFields): OrderEffect {
  const orderType = requiredWord(fields, 'orderType', TYPES)
  // A library writes the field of a plain order as well.
  const type = wordIn(fields, 'type', TYPES) ?? orderType
  if (isMarket(type) !== isMarket(orderType)) throw unclear('type')
  return {
    ...opening(fields),
    closes: planClosing(fields),
    price: priceOf(fields, orderType),
    trigger: requiredPositive(fields, 'triggerPrice'),
    exit: higherIn(fields, 'stopLossPrice', 'takeProfitPrice'),
  }
}

/** A market order, some time after the activation price; at once when there is none. */
function readTrack(fields: EffectFields): OrderEffect {
  return {
    ...opening(fields),
    closes: trackClosing(fields),
    price: undefined,
    trigger: nonZeroIn(fields, 'activePrice'),
  }
}

/**
 * What all new orders say. 1 opens a long position, 2 closes a short one, 3 opens a short one, 4
 * closes a long one. Hedge mode rejects `reduceOnly`.
 */
function opening(fields: EffectFields): Omit<OrderEffect, 'price'> {
  const side = requiredWord(fields, 'side', ['1', '2', '3', '4'])
  return {
    kind: 'order',
    market: 'futures',
    symbol: requiredName(fields, 'symbol'),
    side: side === '1' || side === '2' ? 'buy' : 'sell',
    size: requiredPositive(fields, 'vol'),
    leverage: leverageIn(fields, 'leverage'),
    reduces: isClosing(fields),
    rests: true,
  }
}

function isClosing({ side, reduceOnly }: EffectFields): boolean {
  const text = textOf(side)
  return text === '2' || text === '4' || reduceOnly === true
}

function priceOf(fields: EffectFields, type: (typeof TYPES)[number]): string | undefined {
  return isMarket(type) ? undefined : requiredPositive(fields, 'price')
}

function isMarket(type: (typeof TYPES)[number]): boolean {
  return type === '5' || type === '6'
}

function readChange(fields: EffectFields): OrderEffect {
  return {
    ...change(fields, 'orderId'),
    size: requiredPositive(fields, 'vol'),
    price: requiredPositive(fields, 'price'),
  }
}

function readPlanChange(fields: EffectFields): OrderEffect {
  return {
    ...change(fields, 'orderId', 'planorder'),
    price: priceOf(fields, requiredWord(fields, 'orderType', TYPES)),
    trigger: requiredPositive(fields, 'triggerPrice'),
  }
}

function readTrackChange(fields: EffectFields): OrderEffect {
  return {
    ...change(fields, 'trackOrderId', 'trackorder'),
    size: requiredPositive(fields, 'vol'),
    trigger: nonZeroIn(fields, 'activePrice'),
  }
}

function change(fields: EffectFields, idName: string, plan?: TriggerKind): OrderEffect {
  return {
    kind: 'order',
    market: 'futures',
    symbol: nameIn(fields, 'symbol'),
    ...{ side: undefined, size: undefined, price: undefined, reduces: false, rests: true },
    changes: changedOrder(fields, { idName, plan }),
  }
}

function readCloseAll(fields: EffectFields): OrderEffect {
  return {
    kind: 'order',
    market: 'futures',
    symbol: nameIn(fields, 'symbol'),
    ...{ side: undefined, size: undefined, price: undefined, reduces: true, rests: false },
    closes: closingOf({ isWhole: true }),
  }
}

/** A position's id, or a setting for all contracts, counts for more than the symbol. */
function readLeverage(fields: EffectFields): LeverageEffect {
  const isElsewhere =
    textIn(fields, 'positionId') !== undefined ||
    (fields.leverageSelected !== undefined && fields.leverageSelected !== false)
  return {
    kind: 'leverage',
    market: 'futures',
    symbol: isElsewhere ? undefined : nameIn(fields, 'symbol'),
    leverage: leverageIn(fields, 'leverage'),
  }
}

function readMargin(fields: EffectFields): MarginEffect {
  return { kind: 'margin', market: 'futures', symbol: nameIn(fields, 'symbol') }
}

// Take profit and stop loss (docs/exchanges/mexc-futures.md, 4.4). The names of their fields are
// those of MEXC's own pages of 2026.

const PRICES = 'stopLossPrice takeProfitPrice lossTrend profitTrend'
/** 1: a stop that closes a position opens the opposite one as well. */
const REVERSALS = ['takeProfitReverse', 'stopLossReverse'] as const
/** They make it limit orders, or give each leg a size of its own. */
const OF_LEGS = [
  'takeProfitType',
  'takeProfitOrderPrice',
  'takeProfitVol',
  'stopLossType',
  'stopLossOrderPrice',
  'stopLossVol',
]

/** Both ends of a position, at the market's price. */
export const positionStop: EffectForm = {
  fields: namesOf(
    PRICES,
    'positionId vol volType profitLossVolType priceProtect mtoken',
    ...REVERSALS,
    ...OF_LEGS,
  ),
  read(fields): OrderEffect {
    refuseIfGiven(fields, ...OF_LEGS)
    if (textIn(fields, 'positionId') === undefined) throw unclear('positionId')
    const isPart = wordIn(fields, 'volType', ['1', '2']) === '1'
    const size = positiveIn(fields, 'vol')
    return {
      ...stop(fields),
      size: isPart ? size : undefined,
      reduces: true,
      closes: stopClosing(fields),
    }
  },
}

/** A change of the ends that hang on an order: its own size and price stay. */
export function stopChange(idName: string, plan?: TriggerKind): EffectForm {
  return {
    fields: namesOf(PRICES, 'symbol', idName, ...REVERSALS),
    read: (fields) => ({ ...stop(fields), changes: changedOrder(fields, { idName, plan }) }),
  }
}

/** Zero takes an end away. */
function stop(fields: EffectFields): OrderEffect {
  for (const name of REVERSALS) wordIn(fields, name, ['0', '2'])
  return {
    kind: 'order',
    market: 'futures',
    symbol: nameIn(fields, 'symbol'),
    ...{ side: undefined, size: undefined, price: undefined, reduces: false, rests: true },
    trigger: higherIn(fields, 'stopLossPrice', 'takeProfitPrice'),
  }
}
