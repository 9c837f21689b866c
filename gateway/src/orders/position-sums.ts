import { BigNumber } from 'bignumber.js'
import type { ExitKind, PositionSide } from '../exchanges/position-part.ts'

/** An order as far as it counts for what is open. Amounts are in what the exchange counts. */
export interface CountedOrder {
  readonly side: PositionSide
  readonly does: 'open' | 'close'
  /**
   * Of one that closes, or what of it was opened: by an entry on which a take profit or stop loss
   * hangs `stop`, by others `now`.
   */
  readonly kind: ExitKind
  /**
   * The account has one position a symbol: what opens one side first closes the other one. Of one
   * that closes: nobody knows which side it takes from, so that both lose what it may take.
   */
  readonly isOneWay: boolean
  /** Undefined: all that there is, or not said. */
  readonly asked: BigNumber | undefined
  /** As far as it is known. */
  readonly filled: BigNumber
  /** The part of `filled` that is in a sum. */
  readonly counted: BigNumber
  readonly isFinal: boolean
}

/**
 * What may happen to an order after its known fill. `none`: nothing more. `rests`: it was open just
 * now, and takes the rest later. `taken`: it may already have the rest.
 */
export type Rest = 'none' | 'rests' | 'taken'

type Sides = Record<PositionSide, BigNumber>

const SIDES = ['long', 'short'] as const
const ZERO = new BigNumber(0)

/**
 * What orders of one position have opened and not closed, in the order in which they were made.
 * Neither side falls below 0: who closes more than it opened closes what others did.
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

  add(order: CountedOrder, restOf: Rest): void {
    const { side, does, kind, asked, filled, counted, isOneWay, isFinal } = order
    const rest = isFinal ? 'none' : restOf
    const left = asked === undefined ? undefined : atLeastNone(asked.minus(filled))
    const now = atLeastNone(filled.minus(counted))
    if (does === 'open') {
      const other = side === 'long' ? 'short' : 'long'
      const closed = isOneWay ? this.#take(other, now) : ZERO
      const opened = now.minus(closed)
      this.open[side] = this.open[side].plus(opened)
      if (kind !== 'now') this.attached[side] = this.attached[side].plus(opened)
      if (isOneWay && rest === 'taken') this.#take(other, left)
      return
    }
    for (const each of isOneWay ? SIDES : [side]) {
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
  restOf: (order: Order) => Rest,
): PositionSums {
  const sums = new PositionSums()
  for (const order of orders) sums.add(order, restOf(order))
  return sums
}

export function atLeastNone(size: BigNumber): BigNumber {
  return BigNumber.max(size, ZERO)
}
