import { sql } from 'drizzle-orm'
import { gatewayAuthor } from '../audit-chain.ts'
import { appendEntry } from '../audit-trail.ts'
import { run, theRow } from '../database.ts'
import { putFacts } from '../fact-store.ts'
import { CLIENT_IDS_SKIPPED, RESTORE_MARK_NAME, STILL_SENT_MS } from '../restore-mark.ts'
import { doubtQueuedOrders, lastEvent, stopAndMark } from '../restored.ts'
import type { RestoreNoted } from '../stores.ts'
import { createDatabase, execute } from './database.ts'
import { IDENTITY, IDENTITY_NAME } from './identity.ts'
import type { Db } from './open.ts'

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
