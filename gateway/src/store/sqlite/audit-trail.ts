import { and, desc, eq, sql } from 'drizzle-orm'
import { type AuditHead, type Author, type NewAuditEntry, toAuditRow } from '../audit-chain.ts'
import type { Db } from './open.ts'
import { approvals, auditEntries } from './tables.ts'

/** Appends an entry. Call it inside the transaction of the change that it tells of. */
export function appendEntry(db: Db, entry: NewAuditEntry): AuditHead {
  const row = toAuditRow(entry, highestId(db) + 1, headOf(db))
  db.insert(auditEntries).values(row).run()
  return { id: row.id, hash: row.hash }
}

/**
 * Appends the entry of a change, when it has one, inside its transaction. A change that was
 * approved settles its approval there too, so that no crash leaves one without the other.
 */
export function recordChange(db: Db, entry: NewAuditEntry | undefined): void {
  if (entry === undefined) return
  settleApproval(db, entry.author)
  appendEntry(db, entry)
}

/** The approval counts as carried out, and its request is removed. */
export function settleApproval(db: Db, author: Author): void {
  if (author.approval === undefined) return
  const { id } = author.approval
  const settled = db
    .update(approvals)
    .set({
      ...{ state: 'approved', requestSealed: null, keyId: null },
      ...{ decidedBy: author.actor, decidedAtMs: author.atMs },
    })
    .where(and(eq(approvals.id, id), eq(approvals.state, 'waiting')))
    .returning()
    .get()
  // A change may have several entries: the first one settles.
  if (settled === undefined) return
  const { action, subjectKind, subject } = settled
  appendEntry(db, {
    ...{ author, subjectKind, subject },
    ...{ action: 'approval.approved', after: { action } },
  })
}

/** Undefined while there is no entry. */
export function headOf(db: Db): AuditHead | undefined {
  return db
    .select({ id: auditEntries.id, hash: auditEntries.hash })
    .from(auditEntries)
    .orderBy(desc(auditEntries.id))
    .limit(1)
    .get()
}

/** The highest id that was ever given, also when its row is gone. */
export function highestId(db: Db): number {
  const found = db.get<{ seq: number } | undefined>(
    sql`select seq from sqlite_sequence where name = 'audit_entries'`,
  )
  return Math.max(found?.seq ?? 0, headOf(db)?.id ?? 0)
}
