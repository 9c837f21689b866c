import { pgTable } from 'drizzle-orm/pg-core'
import { EXCHANGES } from 'schema'
import { integer, text } from './columns.ts'

/**
 * Which node has the lane of an exchange. SQLite has no such table: one process has its file, and
 * with it every lane. A takeover locks the row and counts `fence` up; an order is marked as sent
 * only under the number that its node has, in a transaction that holds the row against a takeover
 * (`journal-writes.ts`).
 */
export const laneOwners = pgTable('lane_owners', {
  exchange: text('exchange', { enum: EXCHANGES }).primaryKey(),
  /** The fencing number: grows with each change of the owner. */
  fence: integer('fence').notNull(),
  nodeId: text('node_id').notNull(),
  /** The origin of its listener for other nodes: its NODE_URL. */
  nodeUrl: text('node_url').notNull(),
  sinceMs: integer('since_ms').notNull(),
})
