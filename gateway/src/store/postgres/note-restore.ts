import { sql } from 'drizzle-orm'
import type pg from 'pg'
import { gatewayAuthor } from '../audit-chain.ts'
import { appendEntry } from '../audit-store.ts'
import { run, theRow } from '../database.ts'
import { StoreLostError, StoreReplacedError } from '../errors.ts'
import { putFacts } from '../fact-store.ts'
import {
  CLIENT_IDS_SKIPPED,
  doubtQueuedOrders,
  lastEvent,
  RESTORE_MARK_NAME,
  STILL_SENT_MS,
  stopAndMark,
} from '../restored.ts'
import type { RestoreNoted } from '../stores.ts'
import { createDatabase, execute } from './database.ts'
import type { Db } from './open.ts'

/** The fact that has the identity that the database had when a gateway last began to use it. */
const IDENTITY_NAME = 'database_identity'

/**
 * SQL that identifies the history of a database: the cluster, the timeline of its write-ahead log,
 * the database, and the table of the facts. A dump that is restored is another table at least; a
 * recovery to a point in time and a standby that takes over begin another timeline. Null on a
 * standby, and while the tables are gone. A copy of the files that is started without a recovery
 * has the same identity.
 */
const IDENTITY = `select case when pg_is_in_recovery() or to_regclass('settings') is null then null else
  concat_ws(' ', (select system_identifier from pg_control_system()),
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
    (select oid from pg_database where datname = current_database()),
    to_regclass('settings')::oid) end as identity`

/** Notices that connections of one process reach different databases. */
export class Identity {
  #first: string | undefined
  #isReplaced = false
  #listener: (() => void) | undefined

  /**
   * Looks at what a connection reaches.
   * @throws StoreReplacedError; StoreLostError on a standby, and while the tables are gone
   */
  async check(client: pg.ClientBase): Promise<void> {
    const { rows } = await client.query<{ identity: string | null }>(IDENTITY)
    const found = rows[0]?.identity ?? null
    if (found === null) throw new StoreLostError()
    this.#first ??= found
    if (found === this.#first) return
    const isFirst = !this.#isReplaced
    this.#isReplaced = true
    if (isFirst) this.#listener?.()
    throw new StoreReplacedError()
  }

  /** @throws StoreReplacedError */
  requireSame(): void {
    if (this.#isReplaced) throw new StoreReplacedError()
  }

  /** Calls back once. The listener must not throw. */
  onReplaced(listener: () => void): void {
    this.#listener = listener
    if (this.#isReplaced) listener()
  }
}

/**
 * Compares the identity of the database with the one that it had when a gateway last began to use
 * it. When it is another one, a backup was restored or a standby has taken over, and the last
 * orders may be missing: both exchanges are stopped, and orders that the journal does not have are
 * looked up before they are sent (docs/decisions/0008-orders-after-a-restore.md). Call it before
 * anything else is written.
 * @returns undefined when it is the same
 */
export function noteRestore(postgres: Db, nowMs: number): Promise<RestoreNoted | undefined> {
  const db = createDatabase(postgres)
  const { facts } = db.tables
  return db.changing(function* (tx) {
    const { identity } = yield* theRow(execute<{ identity: string | null }>(tx, IDENTITY))
    if (identity === null)
      throw new Error('The server has become a standby, or its tables are gone')
    const known = new Map(
      (yield* run(tx.select().from(facts))).map(({ name, value }) => [name, value]),
    )
    const before = known.get(IDENTITY_NAME)
    if (before === identity) return undefined
    yield* putFacts(db, tx, { [IDENTITY_NAME]: identity })
    if (before === undefined) return undefined
    const lastMs = yield* lastEvent(db, tx, nowMs)
    const inDoubt = yield* doubtQueuedOrders(db, tx)
    const mark = { sinceMs: lastMs ?? 0, restoredAtMs: nowMs + STILL_SENT_MS }
    yield* stopAndMark(db, tx, { reason: reasonOf(lastMs), mark, nowMs })
    yield* run(
      execute(
        tx,
        sql`select setval(pg_get_serial_sequence('clients', 'id'),
          (select coalesce(max(id), 0) from clients) + ${CLIENT_IDS_SKIPPED}::bigint)`,
      ),
    )
    const noted = { lastMs, inDoubt }
    yield* appendEntry(db, tx, {
      author: gatewayAuthor(nowMs),
      ...{ action: 'database.restored', subjectKind: 'database', subject: 'PostgreSQL' },
      before: { identity: before, restored: known.get(RESTORE_MARK_NAME) ?? null },
      after: { identity, lastEventAt: lastMs === undefined ? null : toText(lastMs), ...noted },
    })
    return noted
  })
}

function reasonOf(lastMs: number | undefined): string {
  const upTo = lastMs === undefined ? 'without any event' : `up to ${toText(lastMs)}`
  return `PostgreSQL was restored from a backup, or a standby took over: what it has goes ${upTo}. Resume when you have checked what "After a restore" in docs/operations/postgresql.md lists`
}

function toText(atMs: number): string {
  return new Date(atMs).toISOString()
}
