import { and, between, count, gte, lt, sql, sum } from 'drizzle-orm'
import type { LogTotals } from '../log-summary.ts'
import type { Db } from './open.ts'
import { logMinutes, requestLogs } from './tables.ts'

const MINUTE_MS = 60_000

/**
 * Sums the log from one time to the end of the minute of another. Whole minutes come from the
 * counts per minute, 24 hours of 20 clients in about 3 ms. Rows are read only for the first,
 * partial minute.
 */
export function createLogTotals(db: Db) {
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
