import { and, desc, eq } from 'drizzle-orm'
import { type AuditHead, type Author, type NewAuditEntry, toAuditRow } from '../audit-chain.ts'
import type { Queries } from './session.ts'
import { approvals, auditEntries, auditHighest } from './tables.ts'

/** Appends an entry. Call it inside of `changing`, with the change that it tells of. */
export async function appendEntry(tx: Queries, entry: NewAuditEntry): Promise<AuditHead> {
  const row = toAuditRow(entry, (await highestId(tx)) + 1, await headOf(tx))
  await tx.insert(auditEntries).values(row)
  return { id: row.id, hash: row.hash }
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
  const [found] = await db.select({ highest: auditHighest.highest }).from(auditHighest)
  return Math.max(found?.highest ?? 0, (await headOf(db))?.id ?? 0)
}
