import { and, between, count, eq, gte, lt, sql, sum } from 'drizzle-orm'
import type { Database } from './database.ts'
import { inSteps, type StepsOptions } from './in-steps.ts'
import type { LogRow, LogSummary } from './log-store.ts'

const MINUTE_MS = 60_000

/** Totals of a part of the log. A sum of no rows is null in SQL. */
interface LogTotals {
  readonly total: number | null
  readonly success: number | null
  readonly failed: number | null
  readonly responseMsSum: number | null
}

/** What both databases read and remove of the log in the same way. */
export function createLogRows(db: Database) {
  const { logMinutes, requestLogs } = db.tables
  const { wholeMinutes, brokenMinute } = prepareTotals(db)
  const ofRequest = db.prepare(
    db.queries
      .select()
      .from(requestLogs)
      .where(
        and(
          between(requestLogs.atMs, sql.placeholder('fromMs'), sql.placeholder('toMs')),
          eq(requestLogs.requestId, sql.placeholder('requestId')),
        ),
      )
      .limit(1),
    'log_row_of_request',
  )

  return {
    async findByRequest(
      requestId: string,
      fromMs: number,
      toMs: number,
    ): Promise<LogRow | undefined> {
      return (await ofRequest.execute({ requestId, fromMs, toMs }))[0]
    },

    /** From one time to the end of the minute of another. */
    async summary(sinceMs: number, nowMs: number): Promise<LogSummary> {
      const first = Math.ceil(sinceMs / MINUTE_MS)
      const last = Math.floor(nowMs / MINUTE_MS)
      const parts = await Promise.all([
        wholeMinutes.execute({ first, last }),
        brokenMinute.execute({ sinceMs: Math.ceil(sinceMs), untilMs: first * MINUTE_MS }),
      ])
      return toSummary(parts.flat())
    },

    async removeOlderThan(
      before: number,
      chunk?: number,
      options: StepsOptions = {},
    ): Promise<number> {
      const beforeMs = Math.ceil(before)
      const { atMs } = requestLogs
      const { minute } = logMinutes
      const some = { limit: chunk, isSynced: false }
      const removed = await inSteps(
        () => db.removeSome(requestLogs, lt(atMs, beforeMs), { ...some, lowest: [atMs] }),
        options,
      )
      const isOld = lt(minute, Math.floor(beforeMs / MINUTE_MS))
      await inSteps(() => db.removeSome(logMinutes, isOld, { ...some, lowest: [minute] }), options)
      return removed
    },
  }
}

/**
 * Whole minutes come from the counts per minute, 24 hours of 20 clients in about 3 ms. Rows are
 * read only for the first, partial minute.
 */
function prepareTotals({ tables: { logMinutes, requestLogs }, ...db }: Database) {
  const wholeMinutes = db.queries
    .select({
      total: sum(logMinutes.total).mapWith(Number),
      success: sum(logMinutes.success).mapWith(Number),
      failed: sum(logMinutes.failed).mapWith(Number),
      responseMsSum: sum(logMinutes.responseMsSum).mapWith(Number),
    })
    .from(logMinutes)
    .where(between(logMinutes.minute, sql.placeholder('first'), sql.placeholder('last')))
  const brokenMinute = db.queries
    .select({
      total: count(),
      success: sql<number>`count(*) filter (where status_code between 200 and 299)`,
      failed: sql<number>`count(*) filter (where status_code >= 400)`,
      responseMsSum: sum(requestLogs.responseMs).mapWith(Number),
    })
    .from(requestLogs)
    .where(
      and(
        gte(requestLogs.atMs, sql.placeholder('sinceMs')),
        lt(requestLogs.atMs, sql.placeholder('untilMs')),
      ),
    )
  return {
    wholeMinutes: db.prepare(wholeMinutes, 'log_whole_minutes'),
    brokenMinute: db.prepare(brokenMinute, 'log_broken_minute'),
  }
}

/** Adds up the parts of the log that a summary covers. */
function toSummary(parts: readonly LogTotals[]): LogSummary {
  const sumOf = (name: keyof LogTotals) => parts.reduce((sum, part) => sum + (part[name] ?? 0), 0)
  const [total, success, failed] = [sumOf('total'), sumOf('success'), sumOf('failed')]
  return {
    ...{ total, success, failed },
    successRate: total === 0 ? 0 : (100 * success) / total,
    errorRate: total === 0 ? 0 : (100 * failed) / total,
    avgResponseMs: total === 0 ? 0 : sumOf('responseMsSum') / total,
  }
}
