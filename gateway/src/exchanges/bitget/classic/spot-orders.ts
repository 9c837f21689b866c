import {
  changedOrder,
  type EffectFields,
  type EffectForm,
  higherIn,
  namesOf,
  type OrderEffect,
  refuseIfGiven,
  requiredName,
  requiredPositive,
  requiredWord,
  unclear,
  wordIn,
} from '../../call-effect.ts'
import type { OrderCallForm, OrderDetails, OrderFields } from '../../order-lookup/order-call.ts'
import { type Closing, spotClosing } from '../../position-part.ts'
import { lowerAscii, textOf } from '../../protocol/untrusted.ts'
import { agreedPrice, isMarketOrder, priceOf, SIDES, spotSizeOf, TIMES } from '../call.ts'

// Spot orders of a classic account, and what its futures orders have in common with them: how a
// call names its order, and what that may trade.

// docs/exchanges/bitget.md, 3 and 4: 50 by the pages of the calls, 20 by the best-practice page.
// Bitget itself decides in between. Uncertain for batch-cancel-order and
// batch-cancel-replace-order: no number is documented.
const MAX = 50

export const inList = (field: string) =>
  ({ list: { field, max: MAX }, several: 'two-lists' }) as const

export const spotTerms = { side: 'side', kind: 'orderType', price: 'price', size: 'size' } as const
/** The prices at which a position ends, not the side: that follows from the position. */
export const endingTerms = { price: 'executePrice', size: 'size', trigger: 'triggerPrice' } as const

const spot = { market: 'spot', clientIdName: 'clientOid', details: productOf } as const

export const spotPlacing: OrderCallForm = {
  ...spot,
  action: 'place',
  terms: spotTerms,
  closes: spotOrderClosing,
  isImmediate,
  ignoresClientId: isStandAlone,
  details: spotDetails,
}
export const spotCancelling: OrderCallForm = { ...spot, action: 'cancel' }
/** The old order goes, and one with another price and size comes. */
const replacement: OrderCallForm = {
  ...spot,
  action: 'place',
  clientIdName: 'newClientOid',
  ignoresClientId: isStandAlone,
  replaces: spotCancelling,
  terms: { price: 'price', size: 'size' },
}
export const spotBatch: OrderCallForm = { ...spotPlacing, ...inList('orderList') }
export const spotCancelBatch: OrderCallForm = { ...spotCancelling, ...inList('orderList') }
export const replacingOne: OrderCallForm = { ...replacement, several: 'replacement' }
export const replacingSeveral: OrderCallForm = {
  ...replacement,
  list: { field: 'orderList', max: MAX },
  several: 'replacements',
}
export const spotPlanPlacing: OrderCallForm = {
  ...spotPlacing,
  terms: { ...spotTerms, ...endingTerms },
  closes: spotPlanClosing,
  details: planned('spot'),
}
export const spotPlanCancelling: OrderCallForm = { ...spotCancelling, details: planned('spot') }

// What they may trade: the account has no loans (docs/exchanges/bitget.md, 3).

const EXITS = ['presetTakeProfitPrice', 'presetStopLossPrice']
/** Prices at which an attached take profit or stop loss would be a limit order. */
const EXIT_PRICES = ['executeTakeProfitPrice', 'executeStopLossPrice']

const beside = namesOf('symbol batchMode', TIMES)
const ORDER = namesOf(
  'symbol side orderType force price size clientOid tpslType stpMode',
  ...EXITS,
  ...EXIT_PRICES,
  TIMES,
)
export const ordering: EffectForm = {
  fields: new Set([...ORDER, 'triggerPrice']),
  ignores: (fields) => (isStandAlone(fields) ? [] : ['triggerPrice']),
  read: readOrder,
}
export const replacing: EffectForm = {
  fields: namesOf(
    // ccxt names the type.
    'symbol price size orderId clientOid newClientOid orderType',
    ...EXITS,
    ...EXIT_PRICES,
    TIMES,
  ),
  read: readReplacement,
}

/** No page says that it knows a trigger price. */
export const batch: EffectForm = { fields: ORDER, beside, read: readOrder }
export const replacingBatch: EffectForm = { ...replacing, beside }
export const planning: EffectForm = {
  fields: namesOf(
    'symbol side triggerPrice orderType executePrice price planType size triggerType',
    'clientOid force stpMode',
    TIMES,
  ),
  read: readPlan,
}

function readOrder(fields: EffectFields): OrderEffect {
  const side = requiredWord(fields, 'side', SIDES)
  refuseIfGiven(fields, ...EXIT_PRICES)
  // What a sale would buy back afterwards is not documented.
  if (side === 'sell') refuseIfGiven(fields, ...EXITS)
  return {
    kind: 'order',
    market: 'spot',
    symbol: requiredName(fields, 'symbol'),
    side,
    ...spotSizeOf(fields, 'size'),
    reduces: side === 'sell',
    closes: spotOrderClosing(fields),
    ...priceOf(fields, 'force'),
    ...triggerOf(fields),
    exit: higherIn(fields, 'presetTakeProfitPrice', 'presetStopLossPrice'),
  }
}

/** A take profit or stop loss that stands alone waits, whatever it becomes then. */
function triggerOf(fields: EffectFields): Pick<OrderEffect, 'trigger' | 'rests'> | undefined {
  wordIn(fields, 'tpslType', ['normal', 'tpsl'])
  if (isStandAlone(fields))
    return { trigger: requiredPositive(fields, 'triggerPrice'), rests: true }
  refuseIfGiven(fields, 'triggerPrice')
  return undefined
}

/** A limit order like the old one, on its side. */
function readReplacement(fields: EffectFields): OrderEffect {
  refuseIfGiven(fields, ...EXITS, ...EXIT_PRICES)
  wordIn(fields, 'orderType', ['limit'])
  return {
    kind: 'order',
    market: 'spot',
    symbol: requiredName(fields, 'symbol'),
    side: undefined,
    size: requiredPositive(fields, 'size'),
    price: requiredPositive(fields, 'price'),
    ...{ reduces: false, rests: true },
    changes: changedOrder(fields, { clientIdName: 'clientOid' }),
  }
}

function readPlan(fields: EffectFields): OrderEffect {
  const side = requiredWord(fields, 'side', SIDES)
  const isMarket = isMarketOrder(fields)
  return {
    kind: 'order',
    market: 'spot',
    symbol: requiredName(fields, 'symbol'),
    side,
    ...planSizeOf(fields, isMarket && side === 'buy'),
    price: isMarket ? undefined : agreedPrice(fields, 'executePrice', 'price'),
    trigger: requiredPositive(fields, 'triggerPrice'),
    ...{ reduces: side === 'sell', rests: true },
    closes: spotPlanClosing(fields),
  }
}

/**
 * `planType` says whether the size is in the base coin, which is the default, or in the quote coin.
 * The default of a market buy is in doubt: the size of a plain one is in the quote coin.
 */
function planSizeOf(
  fields: EffectFields,
  isMarketBuy: boolean,
): Pick<OrderEffect, 'size' | 'quoteSize'> {
  const planType = wordIn(fields, 'planType', ['amount', 'total'])
  const size = requiredPositive(fields, 'size')
  if (planType === 'total') return { size: undefined, quoteSize: size }
  if (planType === undefined && isMarketBuy) throw unclear('planType')
  return { size }
}

/** A sale on spot. With `tpslType` tpsl it waits for a price; from which side is not said. */
function spotOrderClosing({ side, tpslType }: OrderFields): Closing | undefined {
  return spotClosing(textOf(side), wordOf(tpslType) === 'tpsl' ? 'stop' : 'now')
}

/** The same of an order that always waits for a price. */
function spotPlanClosing({ side }: OrderFields): Closing | undefined {
  return spotClosing(textOf(side), 'stop')
}

export function isImmediate({ force }: OrderFields): boolean {
  return /^(?:ioc|fok)$/i.test(textOf(force) ?? '')
}

/**
 * A take profit or stop loss of its own, which hangs on no order. Bitget ignores its client order
 * id (docs/exchanges/bitget.md, 7).
 */
export function isStandAlone({ tpslType }: OrderFields): boolean {
  return textOf(tpslType)?.toLowerCase() === 'tpsl'
}

export function productOf({ productType }: OrderFields): OrderDetails {
  return { productType: textOf(productType) }
}

/** Lists of spot orders have those of `tpslType` tpsl only when they are asked for them alone. */
function spotDetails(fields: OrderFields): OrderDetails {
  return { ...productOf(fields), ...(isStandAlone(fields) ? { isUnlisted: true } : {}) }
}

/** Of the list in which its trigger orders are. */
function planned(plan: string): (fields: OrderFields) => OrderDetails {
  return (fields) => ({ ...productOf(fields), plan })
}

export function wordOf(value: unknown): string | undefined {
  return lowerAscii(textOf(value))
}
