import { createHash } from 'node:crypto'
import { and, desc, eq, sql } from 'drizzle-orm'
import type { Db } from './open.ts'
import { approvals, auditEntries } from './tables.ts'

export type AuditRow = typeof auditEntries.$inferSelect

/** Who does something, from where, and when. */
export interface Author
  extends Pick<AuditRow, 'atMs' | 'actor' | 'actorKind' | 'session' | 'address' | 'requestId'> {
  /** What this person approved, and somebody else asked for: it is in each entry. */
  readonly approval?: { readonly id: number; readonly requestedBy: string }
}

/** The gateway itself: what it does without a person. */
export function gatewayAuthor(atMs: number): Author {
  return {
    atMs,
    actor: 'gateway',
    actorKind: 'gateway',
    session: null,
    address: null,
    requestId: null,
  }
}

/** What an entry tells of a thing: plain values, never a secret. */
export type AuditFacts = Readonly<Record<string, unknown>>

/** What was done to what. */
export interface AuditAct {
  /** A stable name such as `client.created`. */
  readonly action: string
  readonly subjectKind: string
  /** The name of what it was done to, as people know it. */
  readonly subject: string
  readonly before?: AuditFacts | null
  readonly after?: AuditFacts | null
}

export interface NewAuditEntry extends AuditAct {
  readonly author: Author
}

/** The last entry. A copy kept elsewhere shows when the end of the trail was cut off. */
export type AuditHead = Pick<AuditRow, 'id' | 'hash'>

/** What the first entry has in place of the hash of the one before. */
export const FIRST_PREVIOUS_HASH = '0'.repeat(64)

/** The columns of an entry that its hash covers, in this order. */
const HASHED = [
  'id',
  'atMs',
  'actor',
  'actorKind',
  'session',
  'address',
  'action',
  'subjectKind',
  'subject',
  'before',
  'after',
  'requestId',
  'previousHash',
] as const satisfies readonly (keyof AuditRow)[]

/**
 * SHA-256, in hex, of the JSON array of all columns but the hash. `before` and `after` are in it as
 * the texts that are stored, so nothing has to be written the same way twice.
 */
export function hashOf(row: Omit<AuditRow, 'hash'>): string {
  const values = HASHED.map((column) => row[column])
  return createHash('sha256').update(JSON.stringify(values)).digest('hex')
}

/** Appends an entry. Call it inside the transaction of the change that it tells of. */
export function appendEntry(db: Db, { author, before, after, ...act }: NewAuditEntry): AuditHead {
  const previousHash = headOf(db)?.hash ?? FIRST_PREVIOUS_HASH
  const { atMs, actor, actorKind, session, address, requestId, approval } = author
  const row = {
    id: highestId(db) + 1,
    ...{ atMs, actor, actorKind, session, address, requestId },
    ...{ action: act.action, subjectKind: act.subjectKind, subject: act.subject },
    before: toText(before),
    after: toText(approval === undefined ? after : { ...after, approval }),
    previousHash,
  }
  const hash = hashOf(row)
  db.insert(auditEntries)
    .values({ ...row, hash })
    .run()
  return { id: row.id, hash }
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

function toText(facts: AuditFacts | null | undefined): string | null {
  return facts === null || facts === undefined ? null : JSON.stringify(facts)
}
