/** The lane's only notion of time: a clock that wall-clock steps do not move, and its timers. */
export interface LaneTime {
  /** Milliseconds with fractions since some fixed moment; never goes back. */
  monotonicMs(): number
  /**
   * Calls `fn` once, never before `ms` have passed on the same clock. The returned function cancels
   * it.
   */
  setTimer(ms: number, fn: () => void): () => void
}

// A longer delay overflows to 1 ms (Node's timers documentation, setTimeout), so the timer is set
// again for the rest.
const TIMEOUT_MAX_MS = 2 ** 31 - 1
// setTimeout comes up to 2 ms late, which at 2 calls a second is one slot in 250. The last bit is
// waited for turn by turn of the event loop, where the late part is microseconds.
const CLOSE_MS = 2

/** The time of this machine. */
export function createLaneTime(): LaneTime {
  return {
    monotonicMs: () => performance.now(),
    setTimer(ms, fn) {
      const dueMs = performance.now() + ms
      let stop: () => void
      const wait = () => {
        const leftMs = dueMs - performance.now()
        if (leftMs <= 0) fn()
        else if (leftMs <= CLOSE_MS) {
          const immediate = setImmediate(wait)
          stop = () => clearImmediate(immediate)
        } else {
          const timer = setTimeout(wait, Math.min(leftMs - CLOSE_MS, TIMEOUT_MAX_MS))
          stop = () => clearTimeout(timer)
        }
      }
      const first = setTimeout(wait, Math.min(Math.max(ms - CLOSE_MS, 0), TIMEOUT_MAX_MS))
      stop = () => clearTimeout(first)
      return () => stop()
    },
  }
}
