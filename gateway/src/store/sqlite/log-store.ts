import { eq, sql } from 'drizzle-orm'
import { createLogRows } from '../log-rows.ts'
import type { LogStore, LogThread, NewLogRow } from '../log-store.ts'
import { questionsTo, Writability } from '../writability.ts'
import { createDatabase, writing, writingUnsynced } from './database.ts'
import { createLogIndex } from './log-index.ts'
import { createLogReads } from './log-reads.ts'
import type { Db } from './open.ts'
import { clients, facts, logMinutes, requestLogs } from './tables.ts'

/** @param thread for another connection; undefined: there can be no other */
export function createLogStore(db: Db, thread?: LogThread): LogStore {
  const index = createLogIndex(db)
  return {
    ...createLogWriter(db),
    ...createLogReads(db.$client),
    ...createLogRows(createDatabase(db)),
    ...(thread === undefined ? {} : { thread }),
    updateIndex: index.update,
    unindexedRows: async () => index.unindexedRows(),
  }
}

/** Writes log rows. A power cut may lose the last ones. */
function createLogWriter(db: Db) {
  const insertRow = prepareRow(db)
  const countRow = prepareMinute(db)
  const writability = new Writability((value) =>
    writing(db, () =>
      db
        .insert(facts)
        .values({ name: 'write_probe', value })
        .onConflictDoUpdate({ target: facts.name, set: { value } })
        .run(),
    ),
  )
  db.damage.onFound((error) => writability.fail(error))

  return {
    async append(row: NewLogRow): Promise<number> {
      return writability.attempt(() => writingUnsynced(db, () => insert(row)))
    },

    flush: () => db.commits.idle(),

    ...questionsTo(writability),
  }

  function insert(row: NewLogRow): number {
    const { lastInsertRowid } = insertRow.run({ ...row })
    const { atMs, statusCode, responseMs, queueMs, upstreamMs, clientRef } = row
    countRow.run({
      minute: Math.floor(atMs / 60_000),
      clientRef,
      success: Number(statusCode >= 200 && statusCode < 300),
      failed: Number(statusCode >= 400),
      refused: Number(statusCode >= 400 && upstreamMs === null),
      responseMs,
      queueMs: Math.round(queueMs),
      sent: Number(upstreamMs !== null),
      upstreamMs: Math.round(upstreamMs ?? 0),
    })
    return Number(lastInsertRowid)
  }
}

// The client's row id, or null: a request may end after its client was deleted.
const isLogged = eq(clients.id, sql.placeholder('clientRef'))
const presentClient = sql`(select ${clients.id} from ${clients} where ${isLogged})`

function prepareRow(db: Db) {
  return db
    .insert(requestLogs)
    .values({
      atMs: sql.placeholder('atMs'),
      method: sql.placeholder('method'),
      endpoint: sql.placeholder('endpoint'),
      statusCode: sql.placeholder('statusCode'),
      responseMs: sql.placeholder('responseMs'),
      queueMs: sql.placeholder('queueMs'),
      upstreamMs: sql.placeholder('upstreamMs'),
      clientRef: presentClient,
      clientId: sql.placeholder('clientId'),
      requestId: sql.placeholder('requestId'),
      exchange: sql.placeholder('exchange'),
      code: sql.placeholder('code'),
      shared: sql.placeholder('shared'),
      note: sql.placeholder('note'),
      message: sql.placeholder('message'),
    })
    .prepare()
}

function prepareMinute(db: Db) {
  return db
    .insert(logMinutes)
    .values({
      minute: sql.placeholder('minute'),
      clientKey: sql`coalesce(${presentClient}, 0)`,
      clientRef: presentClient,
      total: 1,
      success: sql.placeholder('success'),
      failed: sql.placeholder('failed'),
      refused: sql.placeholder('refused'),
      responseMsSum: sql.placeholder('responseMs'),
      timed: 1,
      queueMsSum: sql.placeholder('queueMs'),
      sent: sql.placeholder('sent'),
      upstreamMsSum: sql.placeholder('upstreamMs'),
    })
    .onConflictDoUpdate({
      target: [logMinutes.minute, logMinutes.clientKey],
      set: {
        total: sql`${logMinutes.total} + 1`,
        success: sql`${logMinutes.success} + excluded.success`,
        failed: sql`${logMinutes.failed} + excluded.failed`,
        refused: sql`${logMinutes.refused} + excluded.refused`,
        responseMsSum: sql`${logMinutes.responseMsSum} + excluded.response_ms_sum`,
        timed: sql`${logMinutes.timed} + 1`,
        queueMsSum: sql`${logMinutes.queueMsSum} + excluded.queue_ms_sum`,
        sent: sql`${logMinutes.sent} + excluded.sent`,
        upstreamMsSum: sql`${logMinutes.upstreamMsSum} + excluded.upstream_ms_sum`,
      },
    })
    .prepare()
}
