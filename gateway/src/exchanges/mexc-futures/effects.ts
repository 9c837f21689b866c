import type {
  EffectForm,
  EffectTable,
  LeverageEffect,
  MarginEffect,
  OrderEffect,
} from '../call-effect.ts'
import {
  changedOrder,
  type EffectFields,
  higherIn,
  leverageIn,
  nameIn,
  namesOf,
  nonZeroIn,
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
import { orderClosing, planClosing, trackClosing } from './closing.ts'
import { positionStop, stopChange } from './stop-effects.ts'
import type { TriggerKind } from './trigger-calls.ts'

const PREFIX = '/api/v1/private'
/** 5, and 6 of older pages, are market orders. */
const TYPES = ['1', '2', '3', '4', '5', '6'] as const

const OPENING = 'symbol side vol leverage openType positionMode reduceOnly'
/** They protect what an order opens; one that closes has nothing to protect. */
const EXITS = ['stopLossPrice', 'takeProfitPrice']
const STOPS = 'stopLossPrice takeProfitPrice lossTrend profitTrend priceProtect'
/** They let the exchange choose the size or the price. */
const CHOICES = ['marketCeiling', 'flashClose', 'bboTypeNum']

const ordering: EffectForm = {
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
const planning: EffectForm = {
  fields: namesOf(
    OPENING,
    STOPS,
    'price triggerPrice triggerType executeCycle orderType trend type',
    // ccxt leaves those of a plain order.
    'positionId externalOid timeInForce',
  ),
  read: readPlan,
}

/**
 * What the orders of MEXC futures may trade (docs/exchanges/mexc.md, 4.4 and 4.5). Take profit and
 * stop loss that hang on an order are its `exit`: they close what it opened, and with it perhaps
 * the rest of the position.
 */
export const effects: EffectTable = new Map<string, EffectForm | string>([
  [`POST ${PREFIX}/order/create`, ordering],
  [`POST ${PREFIX}/order/submit`, ordering],
  [`POST ${PREFIX}/order/submit_batch`, ordering],
  [
    `POST ${PREFIX}/order/change_limit_order`,
    { fields: namesOf('orderId price vol'), read: readChange },
  ],
  [
    `POST ${PREFIX}/order/chase_limit_order`,
    'the exchange chooses the price of the order, and changes it',
  ],

  [`POST ${PREFIX}/planorder/place`, planning],
  [`POST ${PREFIX}/planorder/place/v2`, planning],
  [
    `POST ${PREFIX}/planorder/change_price`,
    {
      fields: namesOf('symbol orderId triggerPrice price orderType triggerType trend from'),
      read: readPlanChange,
    },
  ],
  [`POST ${PREFIX}/planorder/change_stop_order`, stopChange('orderId', 'planorder')],
  [`POST ${PREFIX}/stoporder/place`, positionStop],
  [`POST ${PREFIX}/stoporder/change_price`, stopChange('orderId')],
  [`POST ${PREFIX}/stoporder/change_plan_price`, stopChange('stopPlanOrderId', 'stoporder')],
  [
    `POST ${PREFIX}/trackorder/place`,
    { fields: namesOf(OPENING, 'trend activePrice backType backValue'), read: readTrack },
  ],
  [
    `POST ${PREFIX}/trackorder/change_order`,
    {
      fields: namesOf('symbol trackOrderId trend activePrice backType backValue vol'),
      read: readTrackChange,
    },
  ],

  [`POST ${PREFIX}/position/close_all`, { fields: namesOf('symbol'), read: readCloseAll }],
  [
    `POST ${PREFIX}/position/reverse`,
    'it closes a position and opens the opposite one; how much that is depends on the position',
  ],
  [
    `POST ${PREFIX}/position/change_leverage`,
    {
      fields: namesOf(
        'symbol positionId leverage openType positionType leverageMode marginSelected',
        'leverageSelected',
      ),
      read: readLeverage,
    },
  ],
  [
    `POST ${PREFIX}/position/change_margin`,
    { fields: namesOf('symbol positionId amount type'), read: readMargin },
  ],
  // From then on the exchange adds margin by itself.
  [
    `POST ${PREFIX}/position/change_auto_add_im`,
    { fields: namesOf('symbol positionId isEnabled'), read: readMargin },
  ],
])

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
