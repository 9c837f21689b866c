import Database from 'better-sqlite3'

/** The first and the longest pause between attempts while another process holds the database. */
const PAUSE_MS = [5, 50] as const

/**
 * Retries writes while another process holds the database, without blocking the event loop.
 * SQLite's own busy timeout would block every request and disturb the pace of the lanes.
 * @param patienceMs for all writes together, from the first that found the database held. After
 * that each write is attempted once.
 */
export function createPatience(patienceMs: number) {
  let held: { readonly sinceMs: number; seenMs: number } | undefined

  function isOver(isFirstTry: boolean): boolean {
    const nowMs = performance.now()
    // After a quiet time the patience starts again: an earlier holder may have been another
    // process.
    const isNew = held === undefined || (isFirstTry && nowMs - held.seenMs > patienceMs)
    if (held === undefined || isNew) held = { sinceMs: nowMs, seenMs: nowMs }
    held.seenMs = nowMs
    return nowMs - held.sinceMs >= patienceMs
  }

  /**
   * Makes the first attempt before it returns.
   * @throws what the work throws; SQLite's own error when the database stays held
   */
  return async <T>(work: () => T): Promise<T> => {
    const [firstMs, longestMs] = PAUSE_MS
    for (let pauseMs: number = firstMs; ; pauseMs = Math.min(2 * pauseMs, longestMs)) {
      try {
        const value = work()
        held = undefined
        return value
      } catch (error) {
        if (!isHeld(error) || isOver(pauseMs === firstMs)) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}
export type Patience = ReturnType<typeof createPatience>

/** Nothing was written: SQLite takes its lock before it changes anything. */
function isHeld(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
}
