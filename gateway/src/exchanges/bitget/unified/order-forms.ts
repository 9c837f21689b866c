import type { OrderCallForm, OrderDetails, OrderFields } from '../../order-lookup/order-call.ts'
import {
  type Closing,
  closingOf,
  closingOfSide,
  type PositionSide,
  sideClosedBy,
  spotClosing,
} from '../../position-part.ts'
import { lowerAscii, positiveOf, textOf } from '../../protocol/untrusted.ts'

/** Orders in a batch (docs/exchanges/bitget-unified.md, 9). */
const BATCH_MAX = 20

const inBody = { list: { max: BATCH_MAX }, several: 'entries' } as const
const form = { market: 'spot', clientIdName: 'clientOid', details: detailsOf } as const

export const unifiedPlacing: OrderCallForm = {
  ...form,
  action: 'place',
  terms: { side: 'side', kind: 'orderType', price: 'price', size: 'qty', position: 'posSide' },
  closes: orderClosing,
  isImmediate: ({ timeInForce }) => /^(?:ioc|fok)$/i.test(textOf(timeInForce) ?? ''),
}
export const unifiedCancelling: OrderCallForm = { ...form, action: 'cancel' }
/** The changed order keeps its ids: it is found by them, and compared with what was asked for. */
const modifying: OrderCallForm = {
  ...form,
  action: 'modify',
  terms: { price: 'price', size: 'qty' },
  details: (fields) => ({ ...detailsOf(fields), isInPlace: true }),
}
/** Whether a batch takes ids of its changes is not documented (docs/exchanges/streams.md, 5). */
export const unifiedModifying: OrderCallForm = { ...modifying, changeIdName: 'requestId' }

export const placingBatch: OrderCallForm = { ...unifiedPlacing, ...inBody }
export const cancellingBatch: OrderCallForm = { ...unifiedCancelling, ...inBody }
export const modifyingBatch: OrderCallForm = { ...modifying, ...inBody }
export const strategyPlacing: OrderCallForm = {
  ...unifiedPlacing,
  terms: { side: 'side', size: 'qty', position: 'posSide', trigger: 'takeProfit' },
  closes: endingClosing,
  details: strategyDetails,
}
export const strategyModifying: OrderCallForm = {
  ...modifying,
  terms: { size: 'qty' },
  details: (fields) => ({ ...strategyDetails(fields), isInPlace: true }),
}
export const strategyCancelling: OrderCallForm = { ...unifiedCancelling, details: strategyDetails }

/** The market is in the category. */
function detailsOf({ category }: OrderFields): OrderDetails {
  const productType = textOf(category)
  const market = /-FUTURES$/i.test(productType ?? '') ? 'futures' : 'spot'
  return { market, productType, isUnified: true }
}

function strategyDetails(fields: OrderFields): OrderDetails {
  return { ...detailsOf(fields), plan: 'strategy' }
}

// What orders of a unified account close (docs/exchanges/bitget-unified.md, 7).

/**
 * `reduceOnly` closes in one-way mode, and `posSide` in hedge mode, which rejects an order without
 * it. What either makes of the other's field is not established: in one-way mode an order can only
 * close when nothing in it opens.
 */
export function orderClosing(fields: OrderFields): Closing | undefined {
  const side = wordOf(fields.side)
  if (isSpot(fields)) return spotClosing(side)
  const closed = sideClosedBy(side)
  const named = posSideOf(fields)
  // Whether another spelling counts is not documented.
  const isReducing = fields.reduceOnly === 'yes' && (named === undefined || named === closed)
  return closingOf({
    inOneWay: isReducing ? closed : undefined,
    inHedge: named === closed ? closed : undefined,
  })
}

/**
 * Take profit and stop loss of a position, or of coins. Without `posSide` a call names the position
 * by the side of its trade, which is so in one-way mode. One with both ends is a stop loss: it is
 * one order, and takes what it closes once.
 */
export function endingClosing(fields: OrderFields): Closing | undefined {
  const side = wordOf(fields.side)
  const kind = positiveOf(fields.stopLoss) === undefined ? 'profit' : 'stop'
  if (isSpot(fields)) return spotClosing(side, kind)
  const named = posSideOf(fields)
  return closingOf({
    inOneWay: named ?? sideClosedBy(side),
    inHedge: named,
    kind,
    isWhole: wordOf(fields.tpslMode) !== 'partial',
  })
}

/** A close of a position, of both sides where it names none. */
export function wholeClosing(fields: OrderFields): Closing | undefined {
  return closingOfSide(posSideOf(fields), { isWhole: true })
}

function posSideOf({ posSide }: OrderFields): PositionSide | undefined {
  const word = wordOf(posSide)
  return word === 'long' || word === 'short' ? word : undefined
}

function isSpot({ category }: OrderFields): boolean {
  return !/-FUTURES$/i.test(textOf(category) ?? '')
}

function wordOf(value: unknown): string | undefined {
  return lowerAscii(textOf(value))
}
