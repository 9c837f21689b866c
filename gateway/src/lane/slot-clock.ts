const WINDOW_MS = 1000

export interface SlotClockOptions {
  /** Calls that the exchange may see in any 1,000 ms; may be a fraction. */
  readonly ratePerSecond: number
  /**
   * What the network may shorten a 1,000 ms window by without the exchange seeing one call too
   * many.
   */
  readonly guardMs: number
  /** Nothing is sent before this moment on the monotonic clock. */
  readonly startMs: number
}

/**
 * Says when the next call may go: one interval after the call before was actually on the wire. A
 * plan of slots would send the second of two calls too early whenever the first was late. The guard
 * is spread over the calls of a window, so that any 1,000 ms plus the guard hold no more calls than
 * the rate (rounded up, when it is a fraction).
 */
export class SlotClock {
  readonly #spacingMs: number
  #wireMs = Number.NEGATIVE_INFINITY
  readonly #startMs: number

  constructor({ ratePerSecond, guardMs, startMs }: SlotClockOptions) {
    this.#spacingMs = (WINDOW_MS + guardMs) / ratePerSecond
    this.#startMs = startMs
  }

  /** Between two calls when only `rateFactor` (0 to 1) of the rate is used. */
  spacingMs(rateFactor: number): number {
    return this.#spacingMs / rateFactor
  }

  /** A call was sent, or it is known only now that its bytes are on the wire. */
  went(nowMs: number): void {
    this.#wireMs = Math.max(this.#wireMs, nowMs)
  }

  /** From when on the next call may go, on the monotonic clock. */
  dueMs(rateFactor: number): number {
    return Math.max(this.#startMs, this.#wireMs + this.spacingMs(rateFactor))
  }
}
