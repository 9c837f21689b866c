import { eq, inArray, isNotNull, lte, max } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { changedRows, type Database, first, type Queries, run, type Steps } from './database.ts'
import { putFacts } from './fact-store.ts'
import { factsOfRestore, RESTORE_FACTS, type RestoreMark } from './restore-mark.ts'
import { beginningOf } from './stop-store.ts'

/*
 * What a restored database needs before a gateway uses it, as steps of a transaction.
 */

/**
 * The time of the last event in the database; undefined when it has none. Call it before anything
 * is written: what the database does not have happened later.
 */
export function* lastEvent(db: Database, tx: Queries, nowMs: number): Steps<number | undefined> {
  const { apiKeys, auditEntries, clients, clientTokens, orderJournal, requestLogs } = db.tables
  const times = [
    yield* newest(tx, requestLogs.atMs, nowMs),
    yield* newest(tx, orderJournal.createdAtMs, nowMs),
    yield* newest(tx, clientTokens.issuedAtMs, nowMs),
    yield* newest(tx, apiKeys.createdAtMs, nowMs),
    yield* newest(tx, clients.updatedAtMs, nowMs),
    yield* newest(tx, auditEntries.atMs, nowMs),
  ]
  return Math.max(...times) || undefined
}

function* newest(tx: Queries, column: SQLiteColumn, nowMs: number): Steps<number> {
  const found = yield* first(
    tx
      .select({ atMs: max(column) })
      .from(column.table)
      .where(lte(column, nowMs)),
  )
  return Number(found?.atMs)
}

/**
 * Marks queued orders as unknown: they may have been sent after the backup was made. Otherwise the
 * next start would report them as not sent, and bots would send them again.
 * @returns how many
 */
export function* doubtQueuedOrders(
  { tables: { orderJournal } }: Database,
  tx: Queries,
): Steps<number> {
  const isQueued = eq(orderJournal.state, 'queued')
  return changedRows(yield* run(tx.update(orderJournal).set({ state: 'unknown' }).where(isQueued)))
}

export interface StopAndMark {
  readonly reason: string
  /** Undefined when the database lacks no orders. */
  readonly mark: RestoreMark | undefined
  readonly nowMs: number
}

/**
 * Stops both exchanges, for the next start and until somebody resumes them, and marks the database
 * as one that lacks orders.
 */
export function* stopAndMark(
  db: Database,
  tx: Queries,
  { reason, mark, nowMs }: StopAndMark,
): Steps<void> {
  const { facts, stops } = db.tables
  const known = yield* run(
    tx
      .select()
      .from(facts)
      .where(inArray(facts.name, [...RESTORE_FACTS])),
  )
  const before = new Map(known.map(({ name, value }) => [name, value]))
  yield* putFacts(db, tx, factsOfRestore(before, reason, mark))
  const row = beginningOf({
    ...{ scope: 'everything', reason, cancelOrders: false, startedAtMs: nowMs },
  })
  // One that is in force may still have orders to cancel.
  yield* run(
    tx
      .insert(stops)
      .values(row)
      .onConflictDoUpdate({
        target: stops.scope,
        set: row,
        setWhere: isNotNull(stops.resumedAtMs),
      }),
  )
}
