import { and, between, count, gte, lt, sql, sum } from 'drizzle-orm'
import type { Db } from './open.ts'
import { logMinutes, requestLogs } from './tables.ts'

/** Totals of a part of the log. */
export interface LogTotals {
  total: number
  /** Responses with a status of 200 to 299. */
  success: number
  /** Responses with a status of 400 and above. */
  failed: number
  responseMsSum: number
}

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

  return (sinceMs: number, toMs: number): LogTotals => {
    const first = Math.ceil(sinceMs / MINUTE_MS)
    const whole = wholeMinutes.get({ first, last: Math.floor(toMs / MINUTE_MS) })
    const broken = brokenMinute.get({ sinceMs, untilMs: first * MINUTE_MS })
    return {
      total: (whole?.total ?? 0) + (broken?.total ?? 0),
      success: (whole?.success ?? 0) + (broken?.success ?? 0),
      failed: (whole?.failed ?? 0) + (broken?.failed ?? 0),
      responseMsSum: (whole?.responseMsSum ?? 0) + (broken?.responseMsSum ?? 0),
    }
  }
}
