import { and, between, count, eq, gte, inArray, lt, sql, sum } from 'drizzle-orm'
import { inSteps, type StepsOptions } from '../in-steps.ts'
import { type LogTotals, toSummary } from '../log-counts.ts'
import type { LogRow, LogStore, LogSummary, LogThread } from '../log-store.ts'
import { createLogIndex } from './log-index.ts'
import { createLogReads } from './log-reads.ts'
import { createLogWriter } from './log-writer.ts'
import type { Db } from './open.ts'
import { logMinutes, requestLogs } from './tables.ts'
import { writingUnsynced } from './write.ts'

/** @param thread for another connection; undefined: there can be no other */
export function createLogStore(db: Db, thread?: LogThread): LogStore {
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
    ...(thread === undefined ? {} : { thread }),

    updateIndex: index.update,
    unindexedRows: async () => index.unindexedRows(),

    async findByRequest(
      requestId: string,
      fromMs: number,
      toMs: number,
    ): Promise<LogRow | undefined> {
      return ofRequest.get({ requestId, fromMs, toMs })
    },

    async summary(sinceMs: number, nowMs: number): Promise<LogSummary> {
      return toSummary(totals(sinceMs, nowMs))
    },

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

const rowid = sql<number>`rowid`

const MINUTE_MS = 60_000

/**
 * Sums the log from one time to the end of the minute of another. Whole minutes come from the
 * counts per minute, 24 hours of 20 clients in about 3 ms. Rows are read only for the first,
 * partial minute.
 */
function createLogTotals(db: Db) {
  const wholeMinutes = db
    .select({
      total: sum(logMinutes.total).mapWith(Number),
      success: sum(logMinutes.success).mapWith(Number),
      failed: sum(logMinutes.failed).mapWith(Number),
      responseMsSum: sum(logMinutes.responseMsSum).mapWith(Number),
    })
    .from(logMinutes)
    .where(between(logMinutes.minute, sql.placeholder('first'), sql.placeholder('last')))
    .prepare()
  const brokenMinute = db
    .select({
      total: count(),
      success: sum(sql`${requestLogs.statusCode} between 200 and 299`).mapWith(Number),
      failed: sum(sql`${requestLogs.statusCode} >= 400`).mapWith(Number),
      responseMsSum: sum(requestLogs.responseMs).mapWith(Number),
    })
    .from(requestLogs)
    .where(
      and(
        gte(requestLogs.atMs, sql.placeholder('sinceMs')),
        lt(requestLogs.atMs, sql.placeholder('untilMs')),
      ),
    )
    .prepare()

  return (sinceMs: number, toMs: number): LogTotals[] => {
    const first = Math.ceil(sinceMs / MINUTE_MS)
    const parts = [
      wholeMinutes.get({ first, last: Math.floor(toMs / MINUTE_MS) }),
      brokenMinute.get({ sinceMs, untilMs: first * MINUTE_MS }),
    ]
    return parts.filter((part) => part !== undefined)
  }
}
