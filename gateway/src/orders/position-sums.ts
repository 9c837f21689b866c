import { BigNumber } from 'bignumber.js'
import type { ExitKind, PositionSide } from '../exchanges/position-part.ts'

/** An order as far as it counts for what is open. Amounts are in what the exchange counts. */
export interface CountedOrder {
  readonly side: PositionSide
  readonly does: 'open' | 'close'
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

export interface PositionSums {
  readonly long: BigNumber
  readonly short: BigNumber
  /** Of each side: what the exits of each kind may still take. */
  readonly resting: Readonly<Record<PositionSide, Readonly<Record<ExitKind, BigNumber>>>>
}

/**
 * What may happen to an order after its known fill. `none`: nothing more. `rests`: it was open just
 * now, and takes the rest later. `taken`: it may already have the rest.
 */
export type Rest = 'none' | 'rests' | 'taken'

const ZERO = new BigNumber(0)

/**
 * What orders of one position have opened and not closed, in the order in which they were made.
 * Neither side falls below 0: who closes more than it opened closes what others did.
 */
export function sumsOf<Order extends CountedOrder>(
  orders: Iterable<Order>,
  restOf: (order: Order) => Rest,
): PositionSums {
  const open = { long: ZERO, short: ZERO }
  const resting = { long: noneResting(), short: noneResting() }
  const sidesOf = ({ side, isOneWay }: Order): readonly PositionSide[] =>
    isOneWay ? ['long', 'short'] : [side]
  const take = (side: PositionSide, size: BigNumber | undefined): BigNumber => {
    const taken = size === undefined ? open[side] : BigNumber.min(size, open[side])
    open[side] = open[side].minus(taken)
    return taken
  }
  for (const order of orders) {
    const { side, does, kind, asked, filled, counted } = order
    const rest = order.isFinal ? 'none' : restOf(order)
    const left = asked === undefined ? undefined : atLeastNone(asked.minus(filled))
    const now = atLeastNone(filled.minus(counted))
    const other = side === 'long' ? 'short' : 'long'
    if (does === 'open') {
      const closed = order.isOneWay ? take(other, now) : ZERO
      open[side] = open[side].plus(now).minus(closed)
      if (order.isOneWay && rest === 'taken') take(other, left)
      continue
    }
    for (const each of sidesOf(order)) {
      take(each, now)
      if (rest === 'taken') take(each, left)
      if (rest === 'rests') resting[each][kind] = resting[each][kind].plus(left ?? open[each])
    }
  }
  return { ...open, resting }
}

function noneResting(): Record<ExitKind, BigNumber> {
  return { now: ZERO, stop: ZERO, profit: ZERO }
}

function atLeastNone(size: BigNumber): BigNumber {
  return BigNumber.max(size, ZERO)
}
