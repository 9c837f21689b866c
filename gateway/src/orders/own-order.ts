import { BigNumber } from 'bignumber.js'
import type { OrderIds } from '../exchanges/call-effect.ts'
import { mayRest, type OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { LearntOrder, OwnPositionRow } from '../store/own-position-store.ts'

/** An order of the record; a sum has no `journalId` and no `key`. */
export interface OwnOrder
  extends Omit<OwnPositionRow, 'orderKey' | 'asked' | 'filled' | 'counted'> {
  orderId: string | null
  key: OrderKey | undefined
  /** Undefined: all that there is, or not said. */
  asked: BigNumber | undefined
  /** What its last change asked for. Until a look-up, `asked` is the largest size that it had. */
  askedLast: BigNumber | undefined
  /** As far as it is known. */
  filled: BigNumber
  /** The part of `filled` that is in a sum. */
  counted: BigNumber
  hasAttachedExit: boolean
  isFinal: boolean
  /** When the exchange was asked and it was open, and not changed since. */
  seenAtMs: number | undefined
  /** When the feed of the account last said that it is open. */
  pushedAtMs?: number
  /** It was cancelled or replaced through the gateway. */
  wasCancelled?: boolean
  /** The store has it, or had it: the end of its request is written. */
  isStored: boolean
}

/** An order that was found open counts as open for this long. */
const SEEN_FOR_MS = 30_000

/**
 * What may happen to an order after its known fill. `none`: nothing more. `rests`: it was open just
 * now, and takes the rest later. `taken`: it may already have the rest.
 */
export type Rest = 'none' | 'rests' | 'taken'

/** What may happen to an order now. */
export function restOf({ key, seenAtMs }: OwnOrder, nowMs: number): Rest {
  const isSeen = seenAtMs !== undefined && seenAtMs > nowMs - SEEN_FOR_MS
  return isSeen && key !== undefined && mayRest(key) ? 'rests' : 'taken'
}

/** Until when that is so, unless the order changes. */
export function restsUntilMs({ seenAtMs }: OwnOrder): number {
  return seenAtMs === undefined ? Number.POSITIVE_INFINITY : seenAtMs + SEEN_FOR_MS
}

/** Whether more of an order may be filled. What closes all has no order. */
export function isOpen({ isFinal, key }: OwnOrder): boolean {
  return !isFinal && key !== undefined
}

/** Whether its fill may be another one than was known at that time. */
export function isUncertain(order: OwnOrder, sinceMs: number): boolean {
  return isOpen(order) && (order.seenAtMs ?? Number.NEGATIVE_INFINITY) < sinceMs
}

export function hasIds(order: OwnOrder, { orderId, clientOrderId }: OrderIds): boolean {
  if (orderId === undefined && clientOrderId === undefined) return false
  return (
    (orderId === undefined || order.orderId === orderId) &&
    (clientOrderId === undefined || order.clientOrderId === clientOrderId)
  )
}

export function toNumber(size: string | undefined): BigNumber | undefined {
  const number = size === undefined ? undefined : new BigNumber(size)
  return number?.isFinite() === true && number.gte(0) ? number : undefined
}

export function toOrder({ orderKey, asked, filled, counted, ...row }: OwnPositionRow): OwnOrder {
  const key: OrderKey | undefined = orderKey === null ? undefined : JSON.parse(orderKey)
  const size = asked === null ? undefined : new BigNumber(asked)
  return {
    ...{ ...row, key, asked: size, askedLast: size },
    filled: BigNumber.max(filled, counted),
    ...{ counted: new BigNumber(counted), seenAtMs: undefined, isStored: true },
  }
}

export function toRow(own: OwnOrder): OwnPositionRow {
  const { key, askedLast, seenAtMs, pushedAtMs, wasCancelled, isStored, ...order } = own
  return {
    ...order,
    orderKey: key === undefined ? null : JSON.stringify(key),
    asked: order.asked?.toFixed() ?? null,
    filled: order.filled.toFixed(),
    counted: order.counted.toFixed(),
  }
}

export function changeOf({ id, asked, filled, isFinal, hasAttachedExit }: OwnPositionRow) {
  return { id, asked, filled, isFinal, hasAttachedExit }
}

/** @param isCounted its fill so far comes into the sum */
export function learntOf(order: OwnOrder, isCounted: boolean): LearntOrder {
  const { id, orderKey, orderId, asked, filled, counted, isFinal } = toRow(order)
  const learnt = { id, orderKey, orderId, asked, filled, isFinal }
  return { ...learnt, counted: isCounted ? filled : counted, wasCounted: counted }
}
