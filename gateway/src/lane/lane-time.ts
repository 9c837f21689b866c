import { systemTime, type Time, type Timer } from '../time.ts'

/** The lane's time: a clock that wall-clock steps do not move, and its timers. */
export interface LaneTime {
  /** Milliseconds with fractions since some fixed moment; never goes back. */
  monotonicMs(): number
  /**
   * Calls `fn` once, never before `ms` have passed on the same clock. The returned function cancels
   * it.
   */
  setTimer(ms: number, fn: () => void): () => void
  /** Calls `fn` once, after everything that needs no time. */
  afterTurn(fn: () => void): void
}

// A longer delay overflows to 1 ms (Node's timers documentation, setTimeout), so the timer is set
// again for the rest.
const TIMEOUT_MAX_MS = 2 ** 31 - 1

export function createLaneTime(
  time: Pick<Time, 'monotonic' | 'setTimeout'> = systemTime,
): LaneTime {
  return {
    monotonicMs: () => time.monotonic(),
    setTimer(ms, fn) {
      const dueMs = time.monotonic() + ms
      let timer: Timer
      const arm = (leftMs: number) => {
        timer = time.setTimeout(ring, Math.min(Math.ceil(leftMs), TIMEOUT_MAX_MS))
      }
      // setTimeout counts whole milliseconds from the start of this turn of the event loop, so it
      // can be a little early. That it can be a little late costs no slot (SlotClock).
      const ring = () => {
        const leftMs = dueMs - time.monotonic()
        if (leftMs > 0) arm(leftMs)
        else fn()
      }
      arm(ms)
      return () => timer.cancel()
    },
    afterTurn: (fn) => void setImmediate(fn),
  }
}
