export interface TurnstileOptions {
  runningMax: number
  waitingMax: number
  /** Creates the error for a caller who finds every place taken. */
  full: () => Error
}

/**
 * Limits how many tasks run at once and how many wait; they run in the order in which they came.
 */
export function createTurnstile({ runningMax, waitingMax, full }: TurnstileOptions) {
  const waiting: Array<() => void> = []
  let running = 0

  return {
    /** Runs the task when its turn comes. @throws the error of `full` when no more may wait */
    async pass<T>(work: () => Promise<T>): Promise<T> {
      if (running < runningMax) running++
      else if (waiting.length < waitingMax) await new Promise<void>((go) => waiting.push(go))
      else throw full()
      try {
        return await work()
      } finally {
        // The place is handed over directly, so that a newcomer cannot take it.
        const next = waiting.shift()
        if (next === undefined) running--
        else next()
      }
    },
  }
}
