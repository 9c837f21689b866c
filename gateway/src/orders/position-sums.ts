import { BigNumber } from 'bignumber.js'
import type { ExchangeCode } from 'schema'
import { type ExitKind, POSITION_SIDES, type PositionSide } from '../exchanges/position-part.ts'
import type { LearntExit } from '../limits/client-book.ts'
import type { LearntFills } from '../store/own-position-store.ts'
import {
  isOpen,
  learntOf,
  type OwnOrder,
  type Rest,
  restOf,
  restsUntilMs,
  toRow,
} from './own-order.ts'

/** An order as far as it counts for what is open. Amounts are in what the exchange counts. */
export type CountedOrder = Readonly<
  Pick<
    OwnOrder,
    | 'side'
    | 'does'
    | 'exitKind'
    | 'hasAttachedExit'
    | 'isNetting'
    | 'isEitherSide'
    | 'asked'
    | 'filled'
    | 'counted'
    | 'isFinal'
  >
>

type Sides = Record<PositionSide, BigNumber>

export const ZERO = new BigNumber(0)

/**
 * What orders of one position have opened and not closed, in the order in which they were made.
 * Neither side falls below 0: a client that closes more than it opened closes what others opened.
 */
export class PositionSums {
  readonly open: Sides
  /**
   * The part of it that may have been closed: a take profit or stop loss hung on its entries, and
   * nobody reports what that closes. What is closed counts as closed of the rest first.
   */
  readonly attached: Sides
  /** Of each side: what the exits of each kind may still take. */
  readonly resting: Record<PositionSide, Record<ExitKind, BigNumber>>

  constructor(before?: PositionSums) {
    this.open = { ...(before?.open ?? NONE_OPEN) }
    this.attached = { ...(before?.attached ?? NONE_OPEN) }
    const { long, short } = before?.resting ?? { long: NONE_RESTING, short: NONE_RESTING }
    this.resting = { long: { ...long }, short: { ...short } }
  }

  add(order: CountedOrder, mayCome: Rest): void {
    const { side, does, asked, filled, counted, isFinal } = order
    const rest = isFinal ? 'none' : mayCome
    const left = asked === undefined ? undefined : atLeastNone(asked.minus(filled))
    const now = atLeastNone(filled.minus(counted))
    if (does === 'open') {
      const other = side === 'long' ? 'short' : 'long'
      const closed = order.isNetting ? this.#take(other, now) : ZERO
      const opened = now.minus(closed)
      this.open[side] = this.open[side].plus(opened)
      if (order.hasAttachedExit) this.attached[side] = this.attached[side].plus(opened)
      if (order.isNetting && rest === 'taken') this.#take(other, left)
      return
    }
    const kind = order.exitKind ?? 'now'
    for (const each of order.isEitherSide ? POSITION_SIDES : [side]) {
      this.#take(each, now)
      if (rest === 'taken') this.#take(each, left)
      const resting = this.resting[each]
      if (rest === 'rests') resting[kind] = resting[kind].plus(left ?? this.open[each])
    }
  }

  #take(side: PositionSide, size: BigNumber | undefined): BigNumber {
    const open = this.open[side]
    const taken = size === undefined ? open : BigNumber.min(size, open)
    this.open[side] = open.minus(taken)
    this.attached[side] = BigNumber.min(this.attached[side], this.open[side])
    return taken
  }
}

const NONE_OPEN: Sides = { long: ZERO, short: ZERO }
const NONE_RESTING: Record<ExitKind, BigNumber> = { now: ZERO, stop: ZERO, profit: ZERO }

export function sumsOf<Order extends CountedOrder>(
  orders: Iterable<Order>,
  restIn: (order: Order) => Rest,
): PositionSums {
  const sums = new PositionSums()
  for (const order of orders) sums.add(order, restIn(order))
  return sums
}

function atLeastNone(size: BigNumber): BigNumber {
  return BigNumber.max(size, ZERO)
}

/** How many orders are between two kept sums. */
const EVERY = 32

/** What the first orders of a position come to. */
class Counted extends PositionSums {
  /** When the exchange was asked for all of them that are open; infinite when none is. */
  seenAtMs: number
  /** These sums hold until then. */
  untilMs: number

  constructor(before?: Counted) {
    super(before)
    this.seenAtMs = before?.seenAtMs ?? Number.POSITIVE_INFINITY
    this.untilMs = before?.untilMs ?? Number.POSITIVE_INFINITY
  }

  count(order: OwnOrder, nowMs: number): void {
    this.add(order, restOf(order, nowMs))
    if (!isOpen(order)) return
    this.seenAtMs = Math.min(this.seenAtMs, order.seenAtMs ?? Number.NEGATIVE_INFINITY)
    if (restOf(order, nowMs) === 'rests') this.untilMs = Math.min(this.untilMs, restsUntilMs(order))
  }
}

/**
 * The sums of a position, kept on the way through its orders: after a change, only what comes from
 * it on is counted again.
 */
export class KeptSums {
  /** After each `EVERY` orders. */
  readonly #kept: Counted[] = []

  /**
   * An order has changed, or has gone.
   * @param at its place in the list; below 0: it was not in it
   */
  changed(at: number): void {
    if (at >= 0) this.#kept.length = Math.min(this.#kept.length, Math.floor(at / EVERY))
  }

  /** @param without orders that count with what they were filled with, and nothing more */
  of(orders: readonly OwnOrder[], nowMs: number, without: readonly OwnOrder[] = []): Counted {
    const firstWithout = Math.min(orders.length, ...without.map((each) => orders.indexOf(each)))
    while ((this.#kept.at(-1)?.untilMs ?? Number.POSITIVE_INFINITY) <= nowMs) this.#kept.pop()
    const steps = Math.min(this.#kept.length, Math.floor(firstWithout / EVERY))
    const counted = new Counted(this.#kept[steps - 1])
    for (let at = steps * EVERY; at < orders.length; at += 1) {
      const order = orders[at]
      if (order === undefined) break
      if (at >= firstWithout && without.includes(order)) counted.add(order, 'none')
      else counted.count(order, nowMs)
      const isStep = (at + 1) % EVERY === 0
      if (isStep && at < firstWithout && this.#kept.length === (at + 1) / EVERY - 1)
        this.#kept.push(new Counted(counted))
    }
    return counted
  }
}

/** The orders about one position, and its opposite. Sums come first. */
export interface Position {
  readonly exchange: ExchangeCode
  readonly keysRef: number
  readonly place: string
  orders: OwnOrder[]
  readonly sums: KeptSums
}

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
