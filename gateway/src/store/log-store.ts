import { and, between, eq, inArray, lt, sql } from 'drizzle-orm'
import { inSteps, type StepsOptions } from './in-steps.ts'
import type { LogFilter } from './log-filter.ts'
import { createLogIndex } from './log-index.ts'
import { createLogReads, type LogPage } from './log-reads.ts'
import { createLogTotals } from './log-totals.ts'
import { createLogWriter, type LogRow } from './log-writer.ts'
import type { Db } from './open.ts'
import { logMinutes, requestLogs } from './tables.ts'
import { writingUnsynced } from './write.ts'

export type { NewLogRow, Writable } from './log-writer.ts'
// The types of the store, so that callers need not know how it is divided.
export type { LogFilter, LogPage, LogRow }

export interface LogSummary {
  total: number
  /** Responses with a status of 200 to 299. */
  success: number
  /** Responses with a status of 400 and above. */
  failed: number
  /** Per cent, 0 to 100, not rounded; 0 when there are no requests. */
  successRate: number
  /** Likewise. */
  errorRate: number
  /** Milliseconds, not rounded; 0 when there are no requests. */
  avgResponseMs: number
}

/** The request log. Its rows share commits with everything else that is due (GroupCommit). */
export function createLogStore(db: Db) {
  const writer = createLogWriter(db)
  const totals = createLogTotals(db)
  const index = createLogIndex(db)

  const ofRequest = db
    .select()
    .from(requestLogs)
    .where(
      and(
        between(requestLogs.atMs, sql.placeholder('fromMs'), sql.placeholder('toMs')),
        eq(requestLogs.requestId, sql.placeholder('requestId')),
      ),
    )
    .prepare()

  return {
    ...writer,
    ...createLogReads(db.$client),

    /** Indexes what was appended since the last run, and forgets what is too old. */
    updateIndex: index.update,
    unindexedRows: index.unindexedRows,

    /**
     * The row of a request that arrived in a stretch of time, which must be short: all its rows are
     * read.
     */
    async findByRequest(
      requestId: string,
      fromMs: number,
      toMs: number,
    ): Promise<LogRow | undefined> {
      return ofRequest.get({ requestId, fromMs, toMs })
    },

    /** Totals of the requests since a time, in a few milliseconds regardless of their number. */
    async summary(sinceMs: number, nowMs: number): Promise<LogSummary> {
      const { total, success, failed, responseMsSum } = totals(sinceMs, nowMs)
      return {
        total,
        success,
        failed,
        successRate: total === 0 ? 0 : (100 * success) / total,
        errorRate: total === 0 ? 0 : (100 * failed) / total,
        avgResponseMs: total === 0 ? 0 : responseMsSum / total,
      }
    },

    /**
     * Removes rows older than a time, in steps of at most `chunk` rows. After a power cut the last
     * ones may be there again.
     * @returns how many were removed
     * @throws StoreUnwritableError, or the signal's reason; the rows removed until then stay
     * removed
     */
    async removeOlderThan(
      beforeMs: number,
      chunk = 250,
      options: StepsOptions = {},
    ): Promise<number> {
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
      const removeRows = () => db.delete(requestLogs).where(inArray(requestLogs.id, rows)).run()
      const removeMinutes = () => db.delete(logMinutes).where(inArray(rowid, minutes)).run()
      const removed = await inSteps(
        async () => (await writingUnsynced(db, removeRows)).changes,
        options,
      )
      await inSteps(async () => (await writingUnsynced(db, removeMinutes)).changes, options)
      return removed
    },
  }
}
export type LogStore = ReturnType<typeof createLogStore>

const rowid = sql<number>`rowid`
