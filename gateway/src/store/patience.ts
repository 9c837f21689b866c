import Database from 'better-sqlite3'

/** Between two tries while another process holds the database: the first and the longest. */
const PAUSE_MS = [5, 50] as const

/**
 * Tries writes again while another process holds the database, and leaves the event loop free meanwhile: SQLite's own
 * way of waiting would stop every request and spoil the pace of the lanes.
 *
 * @param patienceMs for all writes together, counted from the first that found it held. After that each one is tried once.
 */
export function createPatience(patienceMs: number) {
  let held: { readonly sinceMs: number; seenMs: number } | undefined

  function isOver(isFirstTry: boolean): boolean {
    const nowMs = performance.now()
    // A write that comes after a quiet time begins anew: what was found long ago may have been another process.
    const isNew = held === undefined || (isFirstTry && nowMs - held.seenMs > patienceMs)
    if (held === undefined || isNew) held = { sinceMs: nowMs, seenMs: nowMs }
    held.seenMs = nowMs
    return nowMs - held.sinceMs >= patienceMs
  }

  /** The first try is made before this returns. @throws what the work throws; SQLite's own error when it stays held */
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

/** Nothing of the write was done: SQLite waits for its lock before it changes anything. */
function isHeld(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
}
