import { and, desc, eq, sql } from 'drizzle-orm'
import { type AuditHead, type Author, type NewAuditEntry, toAuditRow } from '../audit-chain.ts'
import type { Queries } from './session.ts'
import { approvals, auditEntries } from './tables.ts'
import { theRow } from './the-row.ts'

/** Appends an entry. Call it inside of `changing`, with the change that it tells of. */
export async function appendEntry(tx: Queries, entry: NewAuditEntry): Promise<AuditHead> {
  return theRow(await appendEntries(tx, [entry]))
}

/** Appends several entries, in their order, likewise. */
export async function appendEntries(
  tx: Queries,
  entries: readonly NewAuditEntry[],
): Promise<AuditHead[]> {
  const last = await lastOf(tx)
  let previous = last.head
  const rows = entries.map((entry, index) => {
    const row = toAuditRow(entry, last.highest + 1 + index, previous)
    previous = row
    return row
  })
  // The trigger, which is called for each row, sees the rows before it.
  if (rows.length > 0) await tx.insert(auditEntries).values(rows)
  return rows.map(({ id, hash }) => ({ id, hash }))
}

/**
 * Appends the entry of a change, when it has one, inside of `changing`. A change that was approved
 * settles its approval there too, so that no crash leaves one without the other.
 */
export async function recordChange(tx: Queries, entry: NewAuditEntry | undefined): Promise<void> {
  if (entry === undefined) return
  await settleApproval(tx, entry.author)
  await appendEntry(tx, entry)
}

/** The approval counts as carried out, and its request is removed. */
export async function settleApproval(tx: Queries, author: Author): Promise<void> {
  if (author.approval === undefined) return
  const { id } = author.approval
  const [settled] = await tx
    .update(approvals)
    .set({
      ...{ state: 'approved', requestSealed: null, keyId: null },
      ...{ decidedBy: author.actor, decidedAtMs: author.atMs },
    })
    .where(and(eq(approvals.id, id), eq(approvals.state, 'waiting')))
    .returning()
  // A change may have several entries: the first one settles.
  if (settled === undefined) return
  const { action, subjectKind, subject } = settled
  await appendEntry(tx, {
    ...{ author, subjectKind, subject },
    ...{ action: 'approval.approved', after: { action } },
  })
}

/** Undefined while there is no entry. */
export async function headOf(db: Queries): Promise<AuditHead | undefined> {
  const [head] = await db
    .select({ id: auditEntries.id, hash: auditEntries.hash })
    .from(auditEntries)
    .orderBy(desc(auditEntries.id))
    .limit(1)
  return head
}

/** The highest id that was ever given, also when its row is gone. */
export async function highestId(db: Queries): Promise<number> {
  return (await lastOf(db)).highest
}

async function lastOf(
  db: Queries,
): Promise<{ readonly head: AuditHead | undefined; readonly highest: number }> {
  const { rows } = await db.execute<{ highest: number; id: number | null; hash: string }>(
    sql`select greatest((select highest from audit_highest), newest.id, 0) as highest, newest.id, newest.hash
      from (select) as one
      left join (select id, hash from audit_entries order by id desc limit 1) as newest on true`,
  )
  const { highest, id, hash } = theRow(rows)
  return { head: id === null ? undefined : { id, hash }, highest }
}
