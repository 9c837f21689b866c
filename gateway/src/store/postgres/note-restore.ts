import { eq, inArray, sql } from 'drizzle-orm'
import { gatewayAuthor } from '../audit-chain.ts'
import {
  CLIENT_IDS_SKIPPED,
  factsOfRestore,
  RESTORE_FACTS,
  RESTORE_MARK_NAME,
  STILL_SENT_MS,
} from '../restore-mark.ts'
import { beginningOf } from '../stop-store.ts'
import type { RestoreNoted } from '../stores.ts'
import { appendEntry } from './audit-trail.ts'
import { putFacts } from './fact-store.ts'
import { IDENTITY, IDENTITY_NAME } from './identity.ts'
import type { Db } from './open.ts'
import type { Queries } from './session.ts'
import { facts, orderJournal, stops } from './tables.ts'
import { theRow } from './the-row.ts'
import { changing } from './write.ts'

/**
 * Compares the identity of the database with the one that it had when a gateway last began to use
 * it. When it is another one, a backup was restored or a standby has taken over, and the last
 * orders may be missing: both exchanges are stopped, and orders that the journal does not have are
 * looked up before they are sent (docs/decisions/0008-orders-after-a-restore.md). Call it before
 * anything else is written.
 * @returns undefined when it is the same
 */
export function noteRestore(db: Db, nowMs: number): Promise<RestoreNoted | undefined> {
  return changing(db, async (tx) => {
    const { identity } = theRow((await tx.execute<{ identity: string | null }>(IDENTITY)).rows)
    if (identity === null)
      throw new Error('The server has become a standby, or its tables are gone')
    const known = await factsOf(tx)
    const before = known.get(IDENTITY_NAME)
    if (before === identity) return undefined
    if (before === undefined) {
      await putFacts(tx, { [IDENTITY_NAME]: identity })
      return undefined
    }
    const lastMs = await lastOf(tx, nowMs)
    // Before the next start reports them as not sent: they may have been, later.
    const doubtful = await tx
      .update(orderJournal)
      .set({ state: 'unknown' })
      .where(eq(orderJournal.state, 'queued'))
      .returning({ id: orderJournal.id })
    const reason = reasonOf(lastMs)
    const mark = { sinceMs: lastMs ?? 0, restoredAtMs: nowMs + STILL_SENT_MS }
    const changes = factsOfRestore(known, reason, mark)
    await putFacts(tx, { ...changes, [IDENTITY_NAME]: identity })
    const stop = { scope: 'everything', reason, cancelOrders: false, startedAtMs: nowMs }
    // One that is in force may still have orders to cancel.
    await tx
      .insert(stops)
      .values(beginningOf(stop))
      .onConflictDoUpdate({
        target: stops.scope,
        set: beginningOf(stop),
        setWhere: sql`${stops.resumedAtMs} is not null`,
      })
    await tx.execute(
      sql`select setval(pg_get_serial_sequence('clients', 'id'),
        (select coalesce(max(id), 0) from clients) + ${CLIENT_IDS_SKIPPED}::bigint)`,
    )
    const noted = { lastMs, inDoubt: doubtful.length }
    await appendEntry(tx, {
      author: gatewayAuthor(nowMs),
      ...{ action: 'database.restored', subjectKind: 'database', subject: 'PostgreSQL' },
      before: { identity: before, restored: known.get(RESTORE_MARK_NAME) ?? null },
      after: { identity, lastEventAt: lastMs === undefined ? null : toText(lastMs), ...noted },
    })
    return noted
  })
}

async function factsOf(tx: Queries): Promise<Map<string, string>> {
  const names = [IDENTITY_NAME, ...RESTORE_FACTS]
  const rows = await tx.select().from(facts).where(inArray(facts.name, names))
  return new Map(rows.map(({ name, value }) => [name, value]))
}

/** The time of the last event in the database: what it does not have happened later. */
async function lastOf(tx: Queries, nowMs: number): Promise<number | undefined> {
  const { rows } = await tx.execute<{ last: number | null }>(sql`select greatest(
    (select max(at_ms) from request_logs where at_ms <= ${nowMs}),
    (select max(created_at_ms) from order_journal where created_at_ms <= ${nowMs}),
    (select max(issued_at_ms) from client_tokens where issued_at_ms <= ${nowMs}),
    (select max(created_at_ms) from api_keys where created_at_ms <= ${nowMs}),
    (select max(updated_at_ms) from clients where updated_at_ms <= ${nowMs}),
    (select max(at_ms) from audit_entries where at_ms <= ${nowMs})) as last`)
  return theRow(rows).last ?? undefined
}

function reasonOf(lastMs: number | undefined): string {
  const upTo = lastMs === undefined ? 'without any event' : `up to ${toText(lastMs)}`
  return `PostgreSQL was restored from a backup, or a standby took over: what it has goes ${upTo}. Resume when you have checked what "After a restore" in docs/operations/postgresql.md lists`
}

function toText(atMs: number): string {
  return new Date(atMs).toISOString()
}
