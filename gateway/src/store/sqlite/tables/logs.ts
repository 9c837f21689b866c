import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { EXCHANGES } from 'schema'
import { clients } from './clients.ts'

/** One row per proxied request, including rejected ones. Written once, never changed. */
export const requestLogs = sqliteTable(
  'request_logs',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    atMs: integer('at_ms').notNull(),
    method: text('method').notNull(),
    endpoint: text('endpoint').notNull(),
    statusCode: integer('status_code').notNull(),
    responseMs: integer('response_ms').notNull(),
    queueMs: integer('queue_ms').notNull(),
    upstreamMs: integer('upstream_ms'),
    clientRef: integer('client_ref').references(() => clients.id, { onDelete: 'cascade' }),
    clientId: text('client_id'),
    requestId: text('request_id').notNull(),
    exchange: text('exchange', { enum: EXCHANGES }),
    code: text('code'),
    shared: integer('shared', { mode: 'boolean' }).notNull().default(false),
    note: text('note'),
  },
  (table) => [
    // For reading a time range newest first, in steps (SQLite appends the row id), and for removal
    // by age.
    index('request_logs_at').on(table.atMs),
    // For removing one client's rows in steps, and for the cascade.
    index('request_logs_client').on(table.clientRef),
    // For finding notes by a part of them; few rows have one.
    index('request_logs_note').on(table.atMs, table.note).where(sql`${table.note} is not null`),
  ],
)

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
    // For finding the kind of a row.
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

/**
 * Totals of the log per minute and client: 24 hours of them are summed faster than rows are
 * counted.
 */
export const logMinutes = sqliteTable(
  'log_minutes',
  {
    // Minutes since 1970.
    minute: integer('minute').notNull(),
    // The client's row id, or 0 for none: NULLs would not conflict with one another in the key.
    clientKey: integer('client_key').notNull(),
    clientRef: integer('client_ref').references(() => clients.id, { onDelete: 'cascade' }),
    total: integer('total').notNull(),
    success: integer('success').notNull(),
    failed: integer('failed').notNull(),
    responseMsSum: integer('response_ms_sum').notNull(),
    /** How many of them the sum of queue times covers: an older version kept none. */
    timed: integer('timed').notNull().default(0),
    queueMsSum: integer('queue_ms_sum').notNull().default(0),
    /** How many of them were sent to an exchange, and the sum of its times. */
    sent: integer('sent').notNull().default(0),
    upstreamMsSum: integer('upstream_ms_sum').notNull().default(0),
  },
  (table) => [
    // For counting up the current minute of one client at each commit; its first column serves the
    // sum of a time range.
    primaryKey({ columns: [table.minute, table.clientKey] }),
    // For removing one client's minutes in steps, and for the cascade.
    index('log_minutes_client').on(table.clientRef),
  ],
)

/**
 * How many requests waited and were sent in a minute. A row is there for each minute in which the
 * gateway ran, for 24 hours.
 */
export const queueMinutes = sqliteTable(
  'queue_minutes',
  {
    /** When the minute began. */
    atMs: integer('at_ms').notNull(),
    exchange: text('exchange', { enum: EXCHANGES }).notNull(),
    // Of each class, the most that waited at one time.
    cancel: integer('cancels').notNull(),
    lookup: integer('lookups').notNull(),
    order: integer('orders').notNull(),
    account: integer('account_reads').notNull(),
    market: integer('market_reads').notNull(),
    sent: integer('sent').notNull(),
  },
  (table) => [
    // For writing a minute again; its first column serves reading and removal by age.
    primaryKey({ columns: [table.atMs, table.exchange] }),
  ],
)
