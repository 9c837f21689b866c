import { inArray, lt, sql } from 'drizzle-orm'
import { inSteps } from './in-steps.ts'
import type { LogFilter } from './log-filter.ts'
import { countLog, type LogPage, readLogPage } from './log-page.ts'
import { createLogTotals } from './log-totals.ts'
import { createLogWriter, type LogRow } from './log-writer.ts'
import type { Db } from './open.ts'
import { logMinutes, requestLogs } from './tables.ts'
import { writing } from './write.ts'

export type { NewLogRow, Writable } from './log-writer.ts'
// The store's questions and answers in one place: callers need not know how it is divided.
export type { LogFilter, LogPage, LogRow }

export interface LogSummary {
  total: number
  /** Answers with a status of 200 to 299. */
  success: number
  /** Answers with a status of 400 and above. */
  failed: number
  /** Per cent, 0 to 100, not rounded; 0 when there are no requests. */
  successRate: number
  /** Milliseconds, not rounded; 0 when there are no requests. */
  avgResponseMs: number
}

/** The request log. Make one per process: rows that become due together share its commits. */
export function createLogStore(db: Db) {
  const writer = createLogWriter(db)
  const totals = createLogTotals(db)

  return {
    ...writer,

    /** Rows newest first, read in steps that leave the event loop free. */
    async page(page: LogPage): Promise<LogRow[]> {
      return readLogPage(db, page)
    },

    /**
     * How many rows the filter lets through, in steps too; from the kept counts when they can tell.
     */
    async count(filter: LogFilter): Promise<number> {
      const { sinceMs, untilMs, search, status, method, clientId } = filter
      const isByRow = [untilMs, search || undefined, method, clientId].some(
        (part) => part !== undefined,
      )
      if (isByRow || typeof status === 'number') return countLog(db, filter)
      const { total, success, failed } = totals(sinceMs, Number.MAX_SAFE_INTEGER)
      if (status === undefined) return total
      return status === 'success' ? success : failed
    },

    /** What the requests since a time add up to, in a few milliseconds however many they are. */
    async summary(sinceMs: number, nowMs: number): Promise<LogSummary> {
      const { total, success, failed, responseMsSum } = totals(sinceMs, nowMs)
      return {
        total,
        success,
        failed,
        successRate: total === 0 ? 0 : (100 * success) / total,
        avgResponseMs: total === 0 ? 0 : responseMsSum / total,
      }
    },

    /**
     * Removes rows older than a time, in steps of at most `chunk` rows with turns of the event loop
     * between them. Returns how many went.
     *
     * @throws StoreUnwritableError, or the signal's reason; what was removed until then stays
     * removed
     */
    async removeOlderThan(beforeMs: number, chunk = 250, signal?: AbortSignal): Promise<number> {
      const rows = db
        .select({ id: requestLogs.id })
        .from(requestLogs)
        .where(lt(requestLogs.atMs, beforeMs))
        .limit(chunk)
      const minutes = db
        .select({ rowid })
        .from(logMinutes)
        .where(lt(logMinutes.minute, Math.floor(beforeMs / 60_000)))
        .limit(chunk)
      const removed = await inSteps(
        () =>
          writing(
            db,
            () => db.delete(requestLogs).where(inArray(requestLogs.id, rows)).run().changes,
          ),
        signal,
      )
      await inSteps(
        () => writing(db, () => db.delete(logMinutes).where(inArray(rowid, minutes)).run().changes),
        signal,
      )
      return removed
    },
  }
}
export type LogStore = ReturnType<typeof createLogStore>

const rowid = sql<number>`rowid`
