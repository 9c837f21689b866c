import type { BigNumber } from 'bignumber.js'
import { POSITION_SIDES } from '../exchanges/position-part.ts'
import type { LearntExit } from '../limits/client-book.ts'
import type { LearntFills } from '../store/own-position-store.ts'
import { isOpen, learntOf, type OwnOrder, toRow } from './own-order.ts'
import type { Position } from './position-book.ts'
import { PositionSums, ZERO } from './position-sums.ts'

/** What one write puts into the sums of a position. */
export interface Merge {
  readonly fills: LearntFills
  readonly gone: ReadonlySet<OwnOrder>
  readonly sums: readonly OwnOrder[]
  readonly counted: ReadonlyMap<OwnOrder, BigNumber>
  /** Those of `gone` that closed. */
  readonly exits: readonly LearntExit[]
}

interface MergeOptions {
  /** What was seen since then is known. */
  readonly sinceMs: number
  readonly nowMs: number
  readonly nextId: () => number
}

/**
 * What of a position can be put into the sums and removed: orders that have their last fill, when
 * that of all older ones is known. Each order is counted once, however many there are.
 */
export function mergeOf(
  { orders, exchange, keysRef, place }: Position,
  { clientRef }: OwnOrder,
  learnt: ReadonlySet<OwnOrder>,
  { sinceMs, nowMs, nextId }: MergeOptions,
): Merge {
  // One that was just found open counts with its fill so far, and stays.
  const unseen = orders.findIndex(
    (order) => !order.isStored || (isOpen(order) && (order.seenAtMs ?? -1) < sinceMs),
  )
  const known = unseen < 0 ? orders : orders.slice(0, unseen)
  const running = new PositionSums()
  const gone = new Set<OwnOrder>()
  const counted = new Map<OwnOrder, BigNumber>()
  const exits: LearntExit[] = []
  for (const order of known) {
    if (isOpen(order)) {
      if (order.filled.gt(order.counted)) counted.set(order, order.filled)
    } else {
      gone.add(order)
      const { does, journalId, side, asked } = order
      if (does === 'close' && journalId !== null && asked !== undefined) {
        const open = running.open[side]
        const isOwn = asked.lte(open)
        const isOwnOfShared = asked.lte(open.minus(running.attached[side]))
        exits.push({ journalId, place, side, size: asked.toFixed(), isOwn, isOwnOfShared })
      }
    }
    running.add(order, isOpen(order) ? 'none' : 'taken')
  }
  const isNew = known.some((order) => !isOpen(order) && order.journalId !== null)
  if (!isNew && counted.size === 0) gone.clear()
  const sums: OwnOrder[] = []
  const { open, attached } = running
  const parts = (gone.size + counted.size > 0 ? POSITION_SIDES : []).flatMap((side) => [
    { side, hasAttachedExit: false, filled: open[side].minus(attached[side]) },
    { side, hasAttachedExit: true, filled: attached[side] },
  ])
  for (const part of parts.filter(({ filled }) => filled.gt(0)))
    sums.push({
      ...{ id: nextId(), clientRef, exchange, keysRef, place, ...part },
      ...{ does: 'open', exitKind: null, isNetting: false, isEitherSide: false },
      ...{ journalId: null, key: undefined, orderId: null, clientOrderId: null },
      ...{ asked: undefined, askedLast: undefined },
      ...{ counted: ZERO, isFinal: true, seenAtMs: undefined, isStored: true, placedAtMs: nowMs },
    })
  const changed = orders.filter(
    (order) => !gone.has(order) && (learnt.has(order) || counted.has(order)),
  )
  return {
    ...{ gone, sums, counted, exits },
    fills: {
      learnt: changed.map((order) => learntOf(order, counted.has(order))),
      removed: [...gone].map(({ id, counted: before }) => ({ id, counted: before.toFixed() })),
      sums: sums.map(toRow),
    },
  }
}
