import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  customType,
  index,
  json,
  type PgColumn,
  pgTable,
  primaryKey,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { EXCHANGES } from 'schema'
import type { Kit } from '../table-kit.ts'
import { defineTables } from '../tables.ts'

const bytewise = customType<{ data: string; driverData: string }>({
  dataType: () => 'text COLLATE "C"',
  // A prepared statement has its nulls converted too.
  toDriver: (value: string | null) => (value === null ? (value as never) : storable(value)),
})

/** PostgreSQL stores no NUL. SQLite does, but only what is not text contains one. */
export function storable(bytewiseText: string): string {
  return bytewiseText.includes('\0') ? bytewiseText.replaceAll('\0', '\u{fffd}') : bytewiseText
}

/**
 * Text, compared and sorted byte by byte, as SQLite does: the locale of the database plays no part.
 * `lower()` and `ilike` change the case of ASCII letters only, likewise.
 * @param _options the values that the type allows; the database does not check them
 */
function bytewiseText<const Value extends string = string>(
  name: string,
  _options?: { readonly enum: readonly Value[] },
) {
  return bytewise(name).$type<Value>()
}

/** An integer of 8 bytes: times in milliseconds, counts, ids. */
export const integer = (name: string) => bigint(name, { mode: 'number' })

/**
 * What makes the tables of PostgreSQL. Its own types are given up for those of SQLite, so that one
 * query serves for both.
 *
 * JSON is of the type `json`, not `jsonb`: it stays the text that was written, where `jsonb` would
 * put its fields into another order.
 */
export const postgresKit = {
  isPostgres: true,
  ...{
    table: pgTable,
    text: bytewiseText,
    integer,
    index,
    uniqueIndex,
    primaryKey,
    json,
    flag: boolean,
  },
  id: (name: string) => integer(name).primaryKey().generatedByDefaultAsIdentity(),
  // An entry of a B-tree has at most 2,700 bytes, and the ids of a bot may be longer.
  equalityIndex: (name: string, column: SQLiteColumn) =>
    index(name).using('hash', column as unknown as PgColumn),
} as unknown as Kit

/** Every table. The migration tool takes them from here. */
export const {
  admins,
  adminSessions,
  adminAddresses,
  openIdIdentities,
  secondFactors,
  recoveryCodes,
  approvals,
  auditEntries,
  clients,
  oldSecrets,
  secretUses,
  heartbeats,
  stops,
  clientTokens,
  listenKeys,
  removedKeys,
  apiKeys,
  facts,
  requestLogs,
  logMinutes,
  queueMinutes,
  orderJournal,
  orderNames,
  workingOrders,
  ownPositionOrders,
  streamEvents,
} = defineTables(postgresKit)

const { table, text, integer: count, flag } = postgresKit

/**
 * The owner: the node that sends to the exchanges. It has a row for each exchange, all of them
 * alike. A takeover locks the rows and counts `fence` up. A node marks an order as sent only under
 * its own number, in a transaction that holds the row against a takeover (`journal-statements.ts`).
 * SQLite has no such table: only one process has its file.
 */
export const laneOwners = table('lane_owners', {
  exchange: text('exchange', { enum: EXCHANGES }).primaryKey(),
  /** The fencing number: grows with each change of the owner. */
  fence: count('fence').notNull(),
  nodeId: text('node_id').notNull(),
  /** The origin of its listener for other nodes: its NODE_URL. */
  nodeUrl: text('node_url').notNull(),
  sinceMs: count('since_ms').notNull(),
})

/**
 * The nodes of the group, for people and for rotations of the master key: nothing decides by it
 * who the owner is. SQLite has no such table. What the columns mean is said in `node-store.ts`.
 * Times are the database's.
 */
export const nodes = table('nodes', {
  nodeId: text('node_id').primaryKey(),
  nodeUrl: text('node_url').notNull(),
  version: text('version').notNull(),
  startedAtMs: count('started_at_ms').notNull(),
  seenAtMs: count('seen_at_ms').notNull(),
  isLeaving: flag('is_leaving').notNull(),
  /** Separated by commas. */
  keyIds: text('key_ids').notNull(),
  clockOffsetMs: count('clock_offset_ms'),
})

/**
 * One row: how often the rows that are kept in memory were changed (`rows.ts`). Triggers in the
 * migration count at the end of each transaction that changes one, so that a transaction holds this
 * row for as long as its commit takes, and cannot deadlock over it.
 */
export const rowChanges = pgTable(
  'row_changes',
  { id: integer('id').primaryKey().default(1), version: integer('version').notNull().default(0) },
  (row) => [check('row_changes_one', sql`${row.id} = 1`)],
)

/**
 * One row: the highest number that an entry of the audit trail ever had, also when the entry is
 * gone. SQLite remembers it by itself, and a sequence of PostgreSQL also counts what was rolled
 * back. A trigger writes it.
 */
export const auditHighest = pgTable(
  'audit_highest',
  { id: integer('id').primaryKey().default(1), highest: integer('highest').notNull().default(0) },
  (row) => [check('audit_highest_one', sql`${row.id} = 1`)],
)
