import { and, between, count, eq, gte, lt, sql, sum } from 'drizzle-orm'
import { inSteps, type StepsOptions } from '../in-steps.ts'
import { toSummary } from '../log-counts.ts'
import type { LogStore } from '../log-store.ts'
import { lockFor } from './advisory-locks.ts'
import { createDatabase } from './database.ts'
import { createLogReads } from './log-reads.ts'
import { createLogWriter } from './log-writer.ts'
import type { Db } from './open.ts'
import { named } from './session.ts'
import { logMinutes, requestLogs } from './tables.ts'
import { writingUnsynced } from './write.ts'

const MINUTE_MS = 60_000
/** Kinds that one statement looks at. */
const KINDS_AT_ONCE = 500

export function createLogStore(db: Db): LogStore {
  const database = createDatabase(db)
  const summary = createSummary(db)
  const ofRequest = named(
    db
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
    ...createLogWriter(db),
    ...createLogReads(db),
    summary,

    // The database keeps its index itself.
    updateIndex: async () => {},
    unindexedRows: async () => 0,

    async findByRequest(requestId, fromMs, toMs) {
      const [row] = await ofRequest.execute({ requestId, fromMs, toMs })
      return row
    },

    async removeOlderThan(before, chunk = 1_000, options = {}) {
      const beforeMs = Math.ceil(before)
      const minute = Math.floor(beforeMs / MINUTE_MS)
      const some = { limit: chunk, isSynced: false }
      const removed = await inSteps(
        () => database.removeSome(requestLogs, lt(requestLogs.atMs, beforeMs), some),
        options,
      )
      const isOld = lt(logMinutes.minute, minute)
      await inSteps(() => database.removeSome(logMinutes, isOld, some), options)
      await removeKinds(db, options)
      return removed
    },
  }
}

/** Removes the kinds that no row of the log has any more. */
async function removeKinds(db: Db, options: StepsOptions): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000'
  await inSteps(async () => {
    const { rows } = await db.execute<{ kind: string; isUsed: boolean }>(
      sql`select kind, ${IS_USED} as "isUsed" from log_kinds where kind > ${after}::uuid
        order by kind limit ${KINDS_AT_ONCE}`,
    )
    const unused = rows.filter(({ isUsed }) => !isUsed).map(({ kind }) => kind)
    if (unused.length > 0)
      await writingUnsynced(db, async (tx) => {
        // No row is being added, so that the next statement sees them all.
        await tx.execute(sql.raw(lockFor('log')))
        await tx.execute(
          sql`delete from log_kinds where kind = any(${sql.param(unused)}::uuid[]) and not ${IS_USED}`,
        )
      })
    after = rows.at(-1)?.kind ?? after
    return rows.length
  }, options)
}

const IS_USED = sql`exists (select 1 from request_logs where request_logs.kind = log_kinds.kind)`

/** Sums the log from one time to the end of the minute of another. */
function createSummary(db: Db): LogStore['summary'] {
  const wholeMinutes = named(
    db
      .select({
        total: sum(logMinutes.total).mapWith(Number),
        success: sum(logMinutes.success).mapWith(Number),
        failed: sum(logMinutes.failed).mapWith(Number),
        responseMsSum: sum(logMinutes.responseMsSum).mapWith(Number),
      })
      .from(logMinutes)
      .where(between(logMinutes.minute, sql.placeholder('first'), sql.placeholder('last'))),
    'log_whole_minutes',
  )
  const brokenMinute = named(
    db
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
      ),
    'log_broken_minute',
  )

  return async (sinceMs, nowMs) => {
    const first = Math.ceil(sinceMs / MINUTE_MS)
    const last = Math.floor(nowMs / MINUTE_MS)
    const parts = await Promise.all([
      wholeMinutes.execute({ first, last }),
      brokenMinute.execute({ sinceMs: Math.ceil(sinceMs), untilMs: first * MINUTE_MS }),
    ])
    return toSummary(parts.flat())
  }
}
