import { sql } from 'drizzle-orm'
import { check, pgTable } from 'drizzle-orm/pg-core'
import { AUDIT_ACTOR_KINDS } from 'schema'
import { integer, text } from './columns.ts'

/**
 * The audit trail: who did what, each entry with the hash of the one before (`audit-chain.ts`).
 * Nothing refers to another table, so entries survive what they are about. Triggers in the
 * migration, which drizzle does not know, refuse to change, remove or insert anything but a next
 * entry.
 */
export const auditEntries = pgTable('audit_entries', {
  // Given by the store: numbers of a sequence have gaps.
  id: integer('id').primaryKey().generatedByDefaultAsIdentity(),
  atMs: integer('at_ms').notNull(),
  actor: text('actor').notNull(),
  actorKind: text('actor_kind', { enum: AUDIT_ACTOR_KINDS }).notNull(),
  session: text('session'),
  address: text('address'),
  action: text('action').notNull(),
  subjectKind: text('subject_kind').notNull(),
  subject: text('subject').notNull(),
  before: text('before'),
  after: text('after'),
  requestId: text('request_id'),
  previousHash: text('previous_hash').notNull(),
  hash: text('hash').notNull(),
})

/**
 * One row: the highest number that an entry ever had, also when the entry is gone. SQLite remembers
 * it by itself, and a sequence of PostgreSQL also counts what was rolled back. A trigger writes it.
 */
export const auditHighest = pgTable(
  'audit_highest',
  { id: integer('id').primaryKey().default(1), highest: integer('highest').notNull().default(0) },
  (table) => [check('audit_highest_one', sql`${table.id} = 1`)],
)
