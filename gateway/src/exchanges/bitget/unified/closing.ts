import type { OrderFields } from '../../order-lookup/order-call.ts'
import {
  type Closing,
  closingOf,
  closingOfSide,
  type PositionSide,
  sideClosedBy,
  spotClosing,
} from '../../position-part.ts'
import { lowerAscii, positiveOf, textOf } from '../../protocol/untrusted.ts'

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
