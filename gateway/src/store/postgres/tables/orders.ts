import { sql } from 'drizzle-orm'
import { boolean, index, pgTable, primaryKey, uniqueIndex } from 'drizzle-orm/pg-core'
import { EXCHANGES, FINAL_ORDER_STATES, OPEN_ORDER_STATES } from 'schema'
import { clients } from './clients.ts'
import { integer, text } from './columns.ts'

/** Longer names are not stored: an entry of a B-tree has at most 2,700 bytes. */
export const ORDER_NAME_LENGTH_MAX = 512

const ORDER_STATES = [...OPEN_ORDER_STATES, ...FINAL_ORDER_STATES] as const

/**
 * Every order and cancel, written before its first byte is sent. The response is stored as well, so
 * that a retry with the same idempotency key gets it again.
 */
export const orderJournal = pgTable(
  'order_journal',
  {
    id: text('id').primaryKey(),
    clientRef: integer('client_ref')
      .notNull()
      .references(() => clients.id, { onDelete: 'cascade' }),
    clientId: text('client_id').notNull(),
    exchange: text('exchange', { enum: EXCHANGES }).notNull(),
    method: text('method').notNull(),
    endpoint: text('endpoint').notNull(),
    fingerprint: text('fingerprint').notNull(),
    idempotencyKey: text('idempotency_key'),
    state: text('state', { enum: ORDER_STATES }).notNull(),
    orderKey: text('trace'),
    clientOrderId: text('client_order_id'),
    orderId: text('order_id'),
    keysRef: integer('keys_ref'),
    createdAtMs: integer('created_at_ms').notNull(),
    sentAtMs: integer('sent_at_ms'),
    settledAtMs: integer('settled_at_ms'),
    handedOverAtMs: integer('handed_over_at_ms'),
    valueMicros: integer('value_micros'),
    lookups: integer('lookups').notNull().default(0),
    events: text('events').notNull().default(''),
    statusCode: integer('status_code'),
    contentType: text('content_type'),
    body: text('body'),
  },
  (table) => [
    // For finding the first request with a key; it also keeps two requests from inserting the same
    // key at once.
    uniqueIndex('order_journal_key').on(table.clientRef, table.idempotencyKey),
    // For the orders that a start has to finish, and that must not be removed by age.
    index('order_journal_open').on(table.state).where(sql`state in ('queued', 'sent', 'unknown')`),
    // For removal by age.
    index('order_journal_created').on(table.createdAtMs),
    // For a client's own list.
    index('order_journal_client').on(table.clientRef, table.createdAtMs),
    // For finding an order by what a person knows of it. Hashes, because the ids of a bot may be
    // longer than an entry of a B-tree.
    index('order_journal_client_order').using('hash', table.clientOrderId),
    index('order_journal_order').using('hash', table.orderId),
  ],
)

/**
 * What else an order can be found by: the ids of calls about several orders, the old id of a
 * change, and the idempotency key of an order that was not sent, which is free again. A name is at
 * most `ORDER_NAME_LENGTH_MAX` long.
 */
export const orderNames = pgTable(
  'order_names',
  {
    orderRef: text('order_ref')
      .notNull()
      .references(() => orderJournal.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
  },
  (table) => [
    // Its first column serves the cascade.
    primaryKey({ columns: [table.orderRef, table.name] }),
    index('order_names_name').using('hash', table.name),
  ],
)

/**
 * Orders that clients placed and that may still be working: written when the exchange took them,
 * removed when they are known to have ended.
 */
export const workingOrders = pgTable(
  'working_orders',
  {
    id: integer('id').primaryKey().generatedByDefaultAsIdentity(),
    clientRef: integer('client_ref')
      .notNull()
      .references(() => clients.id, { onDelete: 'cascade' }),
    exchange: text('exchange', { enum: EXCHANGES }).notNull(),
    clientOrderId: text('client_order_id'),
    orderId: text('order_id'),
    orderKey: text('order_key').notNull(),
    keysRef: integer('keys_ref'),
    journalId: text('journal_id'),
    placedAtMs: integer('placed_at_ms').notNull(),
  },
  (table) => [
    // For reading the orders of one client, and for the cascade.
    index('working_orders_client').on(table.clientRef, table.exchange),
  ],
)

/**
 * What clients opened themselves and have not closed: orders that may still be filled or whose fill
 * is not known, and for each position the sums of those before them.
 */
export const ownPositionOrders = pgTable(
  'own_position_orders',
  {
    id: integer('id').primaryKey(),
    clientRef: integer('client_ref')
      .notNull()
      .references(() => clients.id, { onDelete: 'cascade' }),
    exchange: text('exchange', { enum: EXCHANGES }).notNull(),
    keysRef: integer('keys_ref').notNull(),
    place: text('place').notNull(),
    side: text('side', { enum: ['long', 'short'] }).notNull(),
    does: text('does', { enum: ['open', 'close'] }).notNull(),
    exitKind: text('exit_kind', { enum: ['now', 'stop', 'profit'] }),
    hasAttachedExit: boolean('has_attached_exit').notNull(),
    isNetting: boolean('is_netting').notNull(),
    isEitherSide: boolean('is_either_side').notNull(),
    journalId: text('journal_id'),
    orderKey: text('order_key'),
    orderId: text('order_id'),
    clientOrderId: text('client_order_id'),
    asked: text('asked'),
    filled: text('filled').notNull(),
    counted: text('counted').notNull(),
    isFinal: boolean('is_final').notNull(),
    placedAtMs: integer('placed_at_ms').notNull(),
  },
  (table) => [
    // For the cascade.
    index('own_position_orders_client').on(table.clientRef),
  ],
)
