export interface TurnstileOptions {
  runningMax: number
  /** In each lane. */
  waitingMax: number
  /** Creates the error for a caller who finds every place taken. */
  full: () => Error
}

/** Tasks of the reserved lane go first, and others cannot take their places. */
export type TurnstileLane = 'reserved' | 'open'

/**
 * Limits how many tasks run at once and how many wait; those of a lane run in the order in which
 * they came.
 */
export function createTurnstile({ runningMax, waitingMax, full }: TurnstileOptions) {
  const waiting: Record<TurnstileLane, Array<() => void>> = { reserved: [], open: [] }
  let running = 0

  return {
    /** Runs the task when its turn comes. @throws the error of `full` when no more may wait */
    async pass<T>(work: () => Promise<T>, lane: TurnstileLane = 'open'): Promise<T> {
      if (running < runningMax) running++
      else if (waiting[lane].length < waitingMax)
        await new Promise<void>((go) => waiting[lane].push(go))
      else throw full()
      try {
        return await work()
      } finally {
        // The place is handed over directly, so that a newcomer cannot take it.
        const next = waiting.reserved.shift() ?? waiting.open.shift()
        if (next === undefined) running--
        else next()
      }
    },
  }
}
