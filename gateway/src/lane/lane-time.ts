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

// A rejection runs its caller's code. A hundred take a few milliseconds; ten thousand would stop
// everything else.
const BATCH_SIZE = 100

/**
 * Calls `fn` for each item, a hundred per turn of the event loop, the first hundred before it
 * returns.
 */
export function inBatches<T>(
  time: LaneTime,
  items: readonly T[],
  fn: (item: T) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const from = (start: number) => {
      for (const item of items.slice(start, start + BATCH_SIZE)) fn(item)
      if (start + BATCH_SIZE >= items.length) resolve()
      else time.setTimer(0, () => from(start + BATCH_SIZE))
    }
    from(0)
  })
}
