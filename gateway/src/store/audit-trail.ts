import { and, desc, eq } from 'drizzle-orm'
import { type AuditHead, type Author, type NewAuditEntry, toAuditRow } from './audit-chain.ts'
import { type Database, first, type Queries, run, type Steps, theRow } from './database.ts'

/** Appends an entry. Call it inside of `changing`, with the change that it describes. */
export function* appendEntry(db: Database, tx: Queries, entry: NewAuditEntry): Steps<AuditHead> {
  const { auditEntries } = db.tables
  const { highest } = yield* theRow(tx.select({ highest: db.highestAuditId }).from(auditEntries))
  const row = toAuditRow(entry, highest + 1, yield* first(newest(db, tx)))
  yield* run(tx.insert(auditEntries).values(row))
  return { id: row.id, hash: row.hash }
}

/**
 * Appends the entry of a change, when it has one, inside of `changing`. A change that was approved
 * settles its approval there too, so that no crash leaves one without the other.
 */
export function* recordChange(
  db: Database,
  tx: Queries,
  entry: NewAuditEntry | undefined,
): Steps<void> {
  if (entry === undefined) return
  yield* settleApproval(db, tx, entry.author)
  yield* appendEntry(db, tx, entry)
}

/** The approval counts as carried out, and its request is removed. */
export function* settleApproval(db: Database, tx: Queries, author: Author): Steps<void> {
  if (author.approval === undefined) return
  const { id } = author.approval
  const { approvals } = db.tables
  const settled = yield* first(
    tx
      .update(approvals)
      .set({
        ...{ state: 'approved', requestSealed: null, keyId: null },
        ...{ decidedBy: author.actor, decidedAtMs: author.atMs },
      })
      .where(and(eq(approvals.id, id), eq(approvals.state, 'waiting')))
      .returning(),
  )
  // A change may have several entries: the first one settles.
  if (settled === undefined) return
  const { action, subjectKind, subject } = settled
  yield* appendEntry(db, tx, {
    ...{ author, subjectKind, subject },
    ...{ action: 'approval.approved', after: { action } },
  })
}

/** The last entry; no row while there is none. */
export function newest({ tables: { auditEntries } }: Database, tx: Queries) {
  return tx
    .select({ id: auditEntries.id, hash: auditEntries.hash })
    .from(auditEntries)
    .orderBy(desc(auditEntries.id))
    .limit(1)
}
