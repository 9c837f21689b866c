import { pgTable } from 'drizzle-orm/pg-core'
import { EXCHANGES } from 'schema'
import { integer, text } from './columns.ts'

/**
 * The owner: the node that sends to the exchanges. It has a row for each exchange, all of them
 * alike. A takeover locks the rows and counts `fence` up. A node marks an order as sent only under
 * its own number, in a transaction that holds the row against a takeover (`journal-writes.ts`).
 * SQLite has no such table: only one process has its file.
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
