import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { AUDIT_ACTOR_KINDS } from 'schema'

/**
 * The audit trail: who did what, each entry with the hash of the one before (`audit-chain.ts`).
 * Nothing refers to another table, so entries survive what they are about. Triggers in the
 * migration, which drizzle does not know, refuse to change, remove or insert anything but a next
 * entry.
 */
export const auditEntries = sqliteTable('audit_entries', {
  // AUTOINCREMENT: SQLite remembers the highest id apart from the rows.
  id: integer('id').primaryKey({ autoIncrement: true }),
  atMs: integer('at_ms').notNull(),
  /** An e-mail, a client id, a user of the operating system, or `gateway`. */
  actor: text('actor').notNull(),
  actorKind: text('actor_kind', { enum: AUDIT_ACTOR_KINDS }).notNull(),
  /** The token id of the administrator's session. */
  session: text('session'),
  address: text('address'),
  /** A stable name such as `client.created`. */
  action: text('action').notNull(),
  subjectKind: text('subject_kind').notNull(),
  /** A name, not a reference. */
  subject: text('subject').notNull(),
  /** JSON of what there was before; null when there was nothing. It contains no secret. */
  before: text('before'),
  /** JSON of what there is now, likewise. */
  after: text('after'),
  requestId: text('request_id'),
  previousHash: text('previous_hash').notNull(),
  hash: text('hash').notNull(),
})
