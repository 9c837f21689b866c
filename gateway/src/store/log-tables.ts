import { sql } from 'drizzle-orm'
import { EXCHANGES } from 'schema'
import type { Clients } from './client-tables.ts'
import type { Kit } from './table-kit.ts'

/**
 * One row per proxied request, including rejected ones. Written once, never changed.
 *
 * Filters of the log look at a row's *kind*: endpoint, client, status, method and error code
 * together, of which there are few. In PostgreSQL the migrations add what drizzle does not know:
 * the generated column `kind`, a hash of them, with the index `request_logs_kind` (kind, at_ms,
 * id); the table `log_kinds`, which a trigger fills; and a trigger that lets one insert run at a
 * time, so that rows are committed in the order of their ids. They cover the whole log and are
 * never behind it. The extension `pg_trgm` is not used: a role may create it only where it may
 * create on the database, it does not help with one or two letters, and every row would pay for it.
 * SQLite has tables of kinds of its own (`sqlite/tables.ts`).
 */
const requestLogsTable = (
  { table, id, text, integer, flag, index, isPostgres }: Kit,
  clients: Clients,
) =>
  table(
    'request_logs',
    {
      id: id('id'),
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
      shared: flag('shared').notNull().default(false),
      note: text('note'),
      /** The message of the response, where it is an error; null in rows of older versions. */
      message: text('message'),
    },
    (row) => [
      // For reading a time range newest first, in steps (SQLite appends the row id), and for
      // removal by age.
      index('request_logs_at').on(row.atMs, ...(isPostgres ? [row.id] : [])),
      // For removing one client's rows in steps, and for the cascade.
      index('request_logs_client').on(row.clientRef),
      // For finding notes by a part of them; few rows have one. An entry of a B-tree of PostgreSQL
      // may not be longer than 2,700 bytes, so the note is not in it.
      isPostgres
        ? index('request_logs_note').on(row.atMs, row.id).where(sql`note is not null`)
        : index('request_logs_note').on(row.atMs, row.note).where(sql`${row.note} is not null`),
    ],
  )

/**
 * Totals of the log per minute and client: 24 hours of them are summed faster than rows are
 * counted.
 */
const logMinutesTable = ({ table, integer, index, primaryKey }: Kit, clients: Clients) =>
  table(
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
      /** How many of `failed` the gateway refused itself; an older version counted none. */
      refused: integer('refused').notNull().default(0),
      responseMsSum: integer('response_ms_sum').notNull(),
      /** How many of them the sum of queue times covers: an older version kept none. */
      timed: integer('timed').notNull().default(0),
      queueMsSum: integer('queue_ms_sum').notNull().default(0),
      /** How many of them were sent to an exchange, and the sum of its times. */
      sent: integer('sent').notNull().default(0),
      upstreamMsSum: integer('upstream_ms_sum').notNull().default(0),
    },
    (row) => [
      // For counting up the current minute of one client at each commit; its first column serves
      // the sum of a time range.
      primaryKey({ columns: [row.minute, row.clientKey] }),
      // For removing one client's minutes in steps, and for the cascade.
      index('log_minutes_client').on(row.clientRef),
    ],
  )

/**
 * How many requests waited and were sent in a minute. A row is there for each minute in which the
 * gateway ran, for 24 hours.
 */
const queueMinutesTable = ({ table, text, integer, primaryKey }: Kit) =>
  table(
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
    (row) => [
      // For writing a minute again; its first column serves reading and removal by age.
      primaryKey({ columns: [row.atMs, row.exchange] }),
    ],
  )

/**
 * Facts about the database itself, such as the master key's check value. The table keeps its old
 * name on disk.
 */
const factsTable = ({ table, text }: Kit) =>
  table('settings', {
    name: text('name').primaryKey(),
    value: text('value').notNull(),
  })

/** The tables of the log, of the queues and of facts. */
export function logTables(kit: Kit, clients: Clients) {
  return {
    requestLogs: requestLogsTable(kit, clients),
    logMinutes: logMinutesTable(kit, clients),
    queueMinutes: queueMinutesTable(kit),
    facts: factsTable(kit),
  }
}
