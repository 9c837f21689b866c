/** The lane's only notion of time: a clock that wall-clock steps do not move, and its timers. */
export interface LaneTime {
  /** Milliseconds with fractions since some fixed moment; never goes back. */
  monotonicMs(): number
  /** Calls `fn` once, never before `ms` have passed on the same clock. The returned function calls it off. */
  setTimer(ms: number, fn: () => void): () => void
}

// A longer delay overflows to 1 ms (Node's timers documentation, setTimeout); the timer looks again and waits on.
const timeoutMaxMs = 2 ** 31 - 1

/** The time of this machine. */
export function createLaneTime(): LaneTime {
  return {
    monotonicMs: () => performance.now(),
    setTimer(ms, fn) {
      const dueMs = performance.now() + ms
      let timer: NodeJS.Timeout
      const arm = () => {
        timer = setTimeout(ring, Math.min(Math.max(dueMs - performance.now(), 0), timeoutMaxMs))
      }
      // Node counts whole milliseconds from the start of the loop's turn, so a timeout may come up to 1 ms early.
      const ring = () => {
        if (performance.now() < dueMs) arm()
        else fn()
      }
      arm()
      return () => clearTimeout(timer)
    },
  }
}
