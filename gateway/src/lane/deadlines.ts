import type { LaneTime } from './lane-time.ts'

// Rejecting runs the callers' code: more at a time would hold up everything else in the process.
const BATCH_MAX = 100

/** What Deadlines keeps. */
export interface Expiring {
  readonly deadlineMs: number
}

/**
 * Keeps items, and removes each one and calls `onDue` for it when its deadline has passed. One
 * timer serves all of them.
 */
export class Deadlines<T extends Expiring> {
  readonly #items = new Set<T>()
  readonly #time: Pick<LaneTime, 'monotonicMs' | 'setTimer'>
  readonly #onDue: (item: T) => void
  #armed: { atMs: number; cancel: () => void } | undefined

  constructor(time: Pick<LaneTime, 'monotonicMs' | 'setTimer'>, onDue: (item: T) => void) {
    this.#time = time
    this.#onDue = onDue
  }

  get items(): ReadonlySet<T> {
    return this.#items
  }

  add(item: T): void {
    this.#items.add(item)
    this.#armFor(item.deadlineMs)
  }

  /** Does nothing when there is no such `item`. */
  remove(item: T): void {
    // A timer that was set for this item is left alone: it finds nothing due, and is set again for
    // the next deadline.
    if (this.#items.delete(item) && this.#items.size === 0) this.#disarm()
  }

  #armFor(deadlineMs: number): void {
    if (this.#armed !== undefined && this.#armed.atMs <= deadlineMs) return
    this.#disarm()
    const leftMs = Math.max(0, deadlineMs - this.#time.monotonicMs())
    const cancel = this.#time.setTimer(leftMs, () => this.#ring())
    this.#armed = { atMs: deadlineMs, cancel }
  }

  #disarm(): void {
    this.#armed?.cancel()
    this.#armed = undefined
  }

  #ring(): void {
    this.#armed = undefined
    const nowMs = this.#time.monotonicMs()
    const due = [...this.#items]
      .filter(({ deadlineMs }) => deadlineMs <= nowMs)
      .sort((a, b) => a.deadlineMs - b.deadlineMs)
      .slice(0, BATCH_MAX)
    for (const item of due) {
      if (!this.#items.has(item)) continue
      this.remove(item)
      this.#onDue(item)
    }
    let earliestMs = Number.POSITIVE_INFINITY
    for (const { deadlineMs } of this.#items) earliestMs = Math.min(earliestMs, deadlineMs)
    if (earliestMs < Number.POSITIVE_INFINITY) this.#armFor(earliestMs)
  }
}
