import type { OrderDetails, OrderFields } from '../order-lookup/order-call.ts'
import { type Closing, closingOf, type ExitKind, type PositionSide } from '../position-part.ts'
import { positiveOf, textOf } from '../protocol/untrusted.ts'

// What orders of MEXC futures close (docs/exchanges/mexc.md, 4.5).

/** 2 closes a short position, 4 a long one; 1 and 3 trade as they do, and open. */
const CLOSED: ReadonlyMap<string, PositionSide> = new Map([
  ['1', 'short'],
  ['2', 'short'],
  ['3', 'long'],
  ['4', 'long'],
])

/**
 * 2 and 4 close in either mode. 1 and 3 can only close with `reduceOnly`, which hedge mode rejects.
 */
export function orderClosing(fields: OrderFields, kind: ExitKind = 'now'): Closing | undefined {
  const side = textOf(fields.side) ?? ''
  const closed = CLOSED.get(side)
  const isClosingSide = side === '2' || side === '4'
  const isReducing = fields.reduceOnly === true && textOf(fields.positionMode) !== '1'
  if (closed === undefined || (!isClosingSide && !isReducing)) return undefined
  return closingOf({
    inOneWay: closed,
    inHedge: isClosingSide ? closed : undefined,
    kind,
    positionId: positiveOf(fields.positionId),
  })
}

/** `triggerType` 1 waits for a price that is higher, or the same, and 2 for a lower one. */
export function planClosing(fields: OrderFields): Closing | undefined {
  const closes = orderClosing(fields)
  const isAbove = closes?.inOneWay === 'long'
  const isProfit = textOf(fields.triggerType) === (isAbove ? '1' : '2')
  return closes === undefined ? undefined : { ...closes, kind: isProfit ? 'profit' : 'stop' }
}

/** A trailing order follows the price and comes when it has turned. */
export function trackClosing(fields: OrderFields): Closing | undefined {
  return orderClosing(fields, 'stop')
}

/**
 * Take profit and stop loss of the position that the call names by its id. One with both ends is a
 * stop loss: it is one order, and takes what it closes once.
 */
export function stopClosing(fields: OrderFields): Closing | undefined {
  const isProfit = positiveOf(fields.stopLossPrice) === undefined
  return closingOf({
    kind: isProfit ? 'profit' : 'stop',
    isWhole: textOf(fields.volType) !== '1' || positiveOf(fields.vol) === undefined,
    positionId: textOf(fields.positionId),
  })
}

/** Whether an order says that the account has one position a symbol. */
export function modeOf({ positionMode }: OrderFields): OrderDetails {
  return textOf(positionMode) === '2' ? { isOneWay: true } : {}
}
