export interface StrangerLimitOptions {
  /** How many rows requests without a client may have per minute, from all sources together. */
  readonly rowsPerMinute: number
  readonly nowMs: () => number
  /**
   * Called once after a minute with more requests than rows, with the number of requests without a
   * row.
   */
  readonly onDropped: (dropped: number) => void
}

const MINUTE_MS = 60_000

/**
 * Limits how many rows requests without a valid token write to the request log: a flood of them
 * must neither fill the disk nor push a bot's own rows out of sight. Requests of a client are not
 * limited.
 */
export function createStrangerLimit({ rowsPerMinute, nowMs, onDropped }: StrangerLimitOptions) {
  let minute = Number.NaN
  let rows = 0
  let dropped = 0
  let timer: NodeJS.Timeout | undefined

  function report(): void {
    clearTimeout(timer)
    timer = undefined
    if (dropped > 0) onDropped(dropped)
    dropped = 0
  }

  return {
    /** Whether another request gets a row. It is counted in either case. */
    admits(): boolean {
      const now = nowMs()
      if (Math.floor(now / MINUTE_MS) !== minute) {
        report()
        minute = Math.floor(now / MINUTE_MS)
        rows = 0
      }
      rows += 1
      if (rows <= rowsPerMinute) return true
      dropped += 1
      // Reports the end of a flood as well.
      timer ??= setTimeout(report, MINUTE_MS).unref()
      return false
    },

    /** Reports what is still unreported. */
    close: report,
  }
}
export type StrangerLimit = ReturnType<typeof createStrangerLimit>
