import { BigNumber } from 'bignumber.js'
import type { LearntFills } from '../store/own-position-store.ts'
import { isOpen, learntOf, type OwnOrder, toRow } from './own-order.ts'
import type { Position } from './position-book.ts'
import { sumsOf } from './position-sums.ts'

/** What one write puts into the sums of a position. */
export interface Merge {
  readonly fills: LearntFills
  readonly gone: readonly OwnOrder[]
  readonly sums: readonly OwnOrder[]
  readonly counted: readonly { readonly order: OwnOrder; readonly filled: BigNumber }[]
}

export interface MergeOptions {
  /** What was seen since then is known. */
  readonly sinceMs: number
  readonly nowMs: number
  readonly nextId: () => number
}

const SIDES = ['long', 'short'] as const
const ZERO = new BigNumber(0)

/**
 * What of a position can be counted for good: orders that have their last fill, when that of all
 * older ones is known.
 */
export function mergeOf(
  { orders, ...position }: Position,
  { clientRef, exchange }: OwnOrder,
  learnt: ReadonlySet<OwnOrder>,
  { sinceMs, nowMs, nextId }: MergeOptions,
): Merge {
  const isAllKnown = orders.every((order) => !isOpen(order) || (order.seenAtMs ?? -1) >= sinceMs)
  const firstOpen = orders.findIndex(isOpen)
  const known = isAllKnown || firstOpen < 0 ? [...orders] : orders.slice(0, firstOpen)
  const removed = known.filter((order) => !isOpen(order))
  const counted = known.filter((order) => isOpen(order) && order.filled.gt(order.counted))
  const isNew = removed.some(({ journalId }) => journalId !== null) || counted.length > 0
  const sums = sumsOf(known, (order) => (isOpen(order) ? 'none' : 'taken'))
  const rows: OwnOrder[] = []
  for (const side of isNew ? SIDES : [])
    if (sums[side].gt(0))
      rows.push({
        ...{ id: nextId(), clientRef, exchange, ...position, side },
        ...{ does: 'open', kind: 'now', isOneWay: false, journalId: null, key: undefined },
        ...{ orderId: null, clientOrderId: null, asked: undefined, wants: undefined },
        ...{ filled: sums[side], counted: ZERO, isFinal: true, seenAtMs: undefined, isStored: true },
        placedAtMs: nowMs,
      })
  const gone = isNew ? removed : []
  const changed = orders.filter(
    (order) => !gone.includes(order) && (learnt.has(order) || counted.includes(order)),
  )
  return {
    ...{ gone, sums: rows, counted: counted.map((order) => ({ order, filled: order.filled })) },
    fills: {
      learnt: changed.map((order) => learntOf(order, counted.includes(order))),
      removed: gone.map(toRow).map(({ id, counted }) => ({ id, counted })),
      sums: rows.map(toRow),
    },
  }
}
