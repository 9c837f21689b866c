import { eq, inArray, isNotNull, lte, max } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { EXCHANGES } from 'schema'
import { changedRows, type Database, first, type Queries, run, type Steps } from './database.ts'
import { putFacts, stoppedFact } from './fact-store.ts'
import { OWNER_LEASE_MS } from './node-store.ts'
import { beginningOf } from './stop-store.ts'

/**
 * What a restore leaves in the database: orders that were placed between these times are at the
 * exchanges and not in the journal.
 */
export interface RestoreMark {
  /** Every order that was placed before is in the journal. Unix ms. */
  readonly sinceMs: number
  /**
   * When the gateway on the replaced database can have sent its last order. Unix ms. With a file,
   * that is the restore: the gateway had ended. On a server, it is `STILL_SENT_MS` after the start
   * that noticed the restore.
   */
  readonly restoredAtMs: number
}

/** For how long an exchange takes what was signed. */
const SIGNED_FOR_MS = 30_000
/**
 * For how long after a start an order may still be placed by a gateway on the database server that
 * was replaced: until its lease ends it signs, and the exchange takes that a while later.
 */
export const STILL_SENT_MS = OWNER_LEASE_MS + SIGNED_FOR_MS

/** The name of the fact that has the mark. */
export const RESTORE_MARK_NAME = 'restored'

function writeRestoreMark({ sinceMs, restoredAtMs }: RestoreMark): string {
  return JSON.stringify({ sinceMs, restoredAtMs })
}

/** @param text the fact; undefined when the database was never restored */
export function readRestoreMark(text: string | undefined): RestoreMark | undefined {
  return text === undefined ? undefined : JSON.parse(text)
}

/** No exchange lists orders for longer. */
const FORGOTTEN_AFTER_MS = 90 * 86_400_000

/** The mark of a restored database whose backup had a mark of its own. */
function joinRestoreMarks(earlier: RestoreMark | undefined, mark: RestoreMark): RestoreMark {
  const isOld =
    earlier === undefined || mark.restoredAtMs - earlier.restoredAtMs > FORGOTTEN_AFTER_MS
  return isOld ? mark : { ...mark, sinceMs: Math.min(mark.sinceMs, earlier.sinceMs) }
}

/**
 * The database that was replaced may have had so many more clients. Their ids are not given again:
 * the client order ids that the gateway makes contain the id of the client.
 */
export const CLIENT_IDS_SKIPPED = 1_000_000

/** The facts that `factsOfRestore` needs and changes. */
const RESTORE_FACTS: readonly string[] = [RESTORE_MARK_NAME, ...EXCHANGES.map(stoppedFact)]

/**
 * The facts of a database that was restored: both exchanges are stopped, and the mark is set.
 * @param before what the facts were
 * @param mark undefined when the database lacks no orders
 */
function factsOfRestore(
  before: ReadonlyMap<string, string>,
  reason: string,
  mark: RestoreMark | undefined,
): Record<string, string> {
  const changes: Record<string, string> = {}
  for (const exchange of EXCHANGES) {
    const name = stoppedFact(exchange)
    const earlier = before.get(name) ?? ''
    changes[name] = earlier === '' ? reason : `${reason}. Stopped before: ${earlier}`
  }
  const earlier = readRestoreMark(before.get(RESTORE_MARK_NAME))
  if (mark !== undefined)
    changes[RESTORE_MARK_NAME] = writeRestoreMark(joinRestoreMarks(earlier, mark))
  return changes
}

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
