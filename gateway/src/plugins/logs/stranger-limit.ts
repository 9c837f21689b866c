export interface StrangerLimitOptions {
  /** Rows that calls without a client may have in one minute, from all sources together. */
  readonly rowsPerMinute: number
  readonly nowMs: () => number
  /** Told once after a minute in which more came: how many of them have no row. */
  readonly onDropped: (dropped: number) => void
}

const MINUTE_MS = 60_000

/**
 * Bounds what calls without a valid token write into the request log, so that a flood of them fills no disk and does
 * not push a bot's own rows out of sight. Calls of a client are not its business.
 */
export function createStrangerLimit({ rowsPerMinute, nowMs, onDropped }: StrangerLimitOptions) {
  let minute = Number.NaN
  let rows = 0
  let dropped = 0
  let timer: NodeJS.Timeout | undefined

  function tell(): void {
    clearTimeout(timer)
    timer = undefined
    if (dropped > 0) onDropped(dropped)
    dropped = 0
  }

  return {
    /** Whether one more call gets its row; counts it either way. */
    admits(): boolean {
      const now = nowMs()
      if (Math.floor(now / MINUTE_MS) !== minute) {
        tell()
        minute = Math.floor(now / MINUTE_MS)
        rows = 0
      }
      rows += 1
      if (rows <= rowsPerMinute) return true
      dropped += 1
      // A flood that ends is told too.
      timer ??= setTimeout(tell, MINUTE_MS).unref()
      return false
    },

    /** Tells what was not told yet. */
    close: tell,
  }
}
export type StrangerLimit = ReturnType<typeof createStrangerLimit>
