export interface TurnstileOptions {
  runningMax: number
  waitingMax: number
  /** Makes the error for whom comes when all places are taken. */
  full: () => Error
}

/** Lets a bounded number of works run at once and a bounded number wait, in the order they came. */
export function createTurnstile({ runningMax, waitingMax, full }: TurnstileOptions) {
  const waiting: Array<() => void> = []
  let running = 0

  return {
    /** Runs the work when its turn comes. @throws what `full` makes when nobody else may wait */
    async pass<T>(work: () => Promise<T>): Promise<T> {
      if (running < runningMax) running++
      else if (waiting.length < waitingMax) await new Promise<void>((go) => waiting.push(go))
      else throw full()
      try {
        return await work()
      } finally {
        // The place is handed on, so that nobody who comes in between takes it.
        const next = waiting.shift()
        if (next === undefined) running--
        else next()
      }
    },
  }
}
