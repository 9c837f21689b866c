import { and, between, eq, inArray, lt, sql } from 'drizzle-orm'
import { inSteps, type StepsOptions } from '../in-steps.ts'
import type { LogRow, LogStore, LogSummary, LogThread } from '../log-store.ts'
import { toSummary } from '../log-summary.ts'
import { createLogIndex } from './log-index.ts'
import { createLogReads } from './log-reads.ts'
import { createLogTotals } from './log-totals.ts'
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
