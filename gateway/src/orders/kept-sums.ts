import { isOpen, type OwnOrder, restOf, restsUntilMs } from './own-order.ts'
import { PositionSums } from './position-sums.ts'

/** The sums are kept after so many orders each. */
const EVERY = 32

/** What the first orders of a position come to. */
class Counted extends PositionSums {
  /** When the exchange was asked for all of them that are open; infinite when none is. */
  seenAtMs: number
  /** Until then it is so. */
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
