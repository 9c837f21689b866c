import { integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { sqliteKit } from '../table-kit.ts'
import { defineTables } from '../tables.ts'

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
} = defineTables(sqliteKit)

/**
 * What filters of the log look at, once for all rows that have it in common. Filled later than the
 * log, for the last day only (`log-index.ts`).
 */
export const logKinds = sqliteTable(
  'log_kinds',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    endpoint: text('endpoint').notNull(),
    /** Empty for none: NULLs would not be the same kind. */
    clientId: text('client_id').notNull(),
    statusCode: integer('status_code').notNull(),
    method: text('method').notNull(),
    /** Of the error. Empty for none, likewise. */
    code: text('code').notNull(),
  },
  (table) => [
    // For finding the kind of a table.
    uniqueIndex('log_kinds_unique').on(
      table.endpoint,
      table.clientId,
      table.statusCode,
      table.method,
      table.code,
    ),
  ],
)

/**
 * Which rows of the log are of a kind. The table is WITHOUT ROWID, and a trigger removes the key of
 * a row that is removed: drizzle knows neither, both are in the migration.
 */
export const logKeys = sqliteTable(
  'log_keys',
  {
    kind: integer('kind').notNull(),
    atMs: integer('at_ms').notNull(),
    /** The row's. */
    id: integer('id').notNull(),
  },
  (table) => [
    // For reading the rows of a kind newest first.
    primaryKey({ columns: [table.kind, table.atMs, table.id] }),
  ],
)
