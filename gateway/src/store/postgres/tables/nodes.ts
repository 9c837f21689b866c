import { boolean, pgTable } from 'drizzle-orm/pg-core'
import { integer, text } from './columns.ts'

/**
 * The nodes of the group, for people and for rotations of the master key: nothing decides by it
 * who the owner is. SQLite has no such table. What the columns mean is said in `node-store.ts`.
 * Times are the database's.
 */
export const nodes = pgTable('nodes', {
  nodeId: text('node_id').primaryKey(),
  nodeUrl: text('node_url').notNull(),
  version: text('version').notNull(),
  startedAtMs: integer('started_at_ms').notNull(),
  seenAtMs: integer('seen_at_ms').notNull(),
  isLeaving: boolean('is_leaving').notNull(),
  /** Separated by commas. */
  keyIds: text('key_ids').notNull(),
  clockOffsetMs: integer('clock_offset_ms'),
})
