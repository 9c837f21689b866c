import { sql } from 'drizzle-orm'
import {
  EXCHANGES,
  FINAL_ORDER_STATES,
  OPEN_ORDER_STATES,
  STREAM_MARKETS,
  STREAM_SOURCES,
  type StoredStreamType,
} from 'schema'
import type { Clients } from './client-tables.ts'
import type { Kit } from './table-kit.ts'

type OrderJournal = ReturnType<typeof orderJournalTable>

/**
 * Longer names are not stored in PostgreSQL: an entry of a B-tree has at most 2,700 bytes.
 */
export const ORDER_NAME_LENGTH_MAX = 512

/** What a request does: the kind of the order that it places, or a change, or a cancel. */
const ORDER_KINDS = ['limit', 'market', 'trigger', 'change', 'cancel'] as const

const ORDER_STATES = [...OPEN_ORDER_STATES, ...FINAL_ORDER_STATES] as const

/**
 * What lists show. Null where the call does not say it, where it differs between the orders of one
 * call, and in rows of older versions.
 */
const listedColumns = ({ text }: Pick<Kit, 'text'>) => ({
  symbol: text('symbol'),
  side: text('side', { enum: ['buy', 'sell'] }),
  kind: text('kind', { enum: ORDER_KINDS }),
  quantity: text('quantity'),
  price: text('price'),
  /** What a market order spends, in the quote coin. */
  amount: text('amount'),
  /** What the order was filled with, as a look-up found it; null where none did. */
  filled: text('filled'),
  averagePrice: text('average_price'),
})

/**
 * Every order and cancel, written before its first byte is sent. The response is stored as well, so
 * that a retry with the same idempotency key gets it again.
 */
const orderJournalTable = (
  { table, text, integer, index, equalityIndex, uniqueIndex }: Kit,
  clients: Clients,
) =>
  table(
    'order_journal',
    {
      /** The request's id. */
      id: text('id').primaryKey(),
      clientRef: integer('client_ref')
        .notNull()
        .references(() => clients.id, { onDelete: 'cascade' }),
      clientId: text('client_id').notNull(),
      exchange: text('exchange', { enum: EXCHANGES }).notNull(),
      method: text('method').notNull(),
      endpoint: text('endpoint').notNull(),
      /** SHA-256 of method, URL and body: one key with two of them names two orders. */
      fingerprint: text('fingerprint').notNull(),
      /** Null when there is none, or when the order was proven not sent, which releases the key. */
      idempotencyKey: text('idempotency_key'),
      state: text('state', { enum: ORDER_STATES }).notNull(),
      /**
       * JSON of the `OrderKey`, which finds the order at the exchange. Null when it cannot be
       * looked up; where it may have closed a position, the key of that, marked `isUnfindable`.
       */
      orderKey: text('trace'),
      clientOrderId: text('client_order_id'),
      /**
       * The exchange's id of the order that was placed or changed, or that a cancel names; null in
       * rows of older versions.
       */
      orderId: text('order_id'),
      /** The account that the order was sent to, by `accountRefOf` of its keys. */
      keysRef: integer('keys_ref'),
      createdAtMs: integer('created_at_ms').notNull(),
      /** The exchange's time, so that changes of this machine's clock do not affect look-ups. */
      sentAtMs: integer('sent_at_ms'),
      settledAtMs: integer('settled_at_ms'),
      /**
       * Set while the order is queued and no process has it: the owner that had it leaves, and the
       * next one gets its request.
       */
      handedOverAtMs: integer('handed_over_at_ms'),
      /** What the order is worth at most, millionths of a USDT; null where nobody asked. */
      valueMicros: integer('value_micros'),
      ...listedColumns({ text }),
      /** How many look-ups were made. */
      lookups: integer('lookups').notNull().default(0),
      /** JSON of each `LifeEvent`, with a comma after it: events are appended. */
      events: text('events').notNull().default(''),
      /** The response, once there is one. */
      statusCode: integer('status_code'),
      ...{ contentType: text('content_type'), body: text('body') },
    },
    (row) => [
      // For finding the first request with a key; it also keeps two requests from inserting the
      // same key at once.
      uniqueIndex('order_journal_key').on(row.clientRef, row.idempotencyKey),
      // For the orders that a start has to finish, and that must not be removed by age.
      index('order_journal_open').on(row.state).where(sql`state in ('queued', 'sent', 'unknown')`),
      // For removal by age.
      index('order_journal_created').on(row.createdAtMs),
      // For a client's own list.
      index('order_journal_client').on(row.clientRef, row.createdAtMs),
      // For finding an order by what a person knows of it.
      equalityIndex(
        'order_journal_client_order',
        row.clientOrderId,
        sql`client_order_id is not null`,
      ),
      equalityIndex('order_journal_order', row.orderId, sql`order_id is not null`),
      // For the orders of a symbol.
      index('order_journal_symbol').on(row.symbol, row.createdAtMs).where(sql`symbol is not null`),
    ],
  )

/**
 * What else an order can be found by: the ids of calls about several orders, the old id of a
 * change, and the idempotency key of an order that was not sent, which is free again.
 */
const orderNamesTable = (
  { table, text, equalityIndex, primaryKey }: Kit,
  orderJournal: OrderJournal,
) =>
  table(
    'order_names',
    {
      /** The row of the journal. */
      orderRef: text('order_ref')
        .notNull()
        .references(() => orderJournal.id, { onDelete: 'cascade' }),
      name: text('name').notNull(),
    },
    (row) => [
      // Its first column serves the cascade.
      primaryKey({ columns: [row.orderRef, row.name] }),
      equalityIndex('order_names_name', row.name),
    ],
  )

/**
 * Orders that clients placed and that may still be working: written when the exchange took them,
 * removed when they are known to have ended.
 */
const workingOrdersTable = ({ table, id, text, integer, index }: Kit, clients: Clients) =>
  table(
    'working_orders',
    {
      id: id('id'),
      clientRef: integer('client_ref')
        .notNull()
        .references(() => clients.id, { onDelete: 'cascade' }),
      exchange: text('exchange', { enum: EXCHANGES }).notNull(),
      clientOrderId: text('client_order_id'),
      /** The exchange's id; null when its response was lost. */
      orderId: text('order_id'),
      /** JSON of the order's `OrderKey`. */
      orderKey: text('order_key').notNull(),
      /** The keys that the order was sent with. */
      keysRef: integer('keys_ref'),
      /** The journal's row that placed it; null where an earlier version did not store it. */
      journalId: text('journal_id'),
      placedAtMs: integer('placed_at_ms').notNull(),
    },
    (row) => [
      // For reading the orders of one client, and for the cascade.
      index('working_orders_client').on(row.clientRef, row.exchange),
    ],
  )

/**
 * What clients opened themselves and have not closed: orders that may still be filled or whose fill
 * is not known, and for each position the sums of those before them.
 */
const ownPositionOrdersTable = ({ table, text, integer, flag, index }: Kit, clients: Clients) =>
  table(
    'own_position_orders',
    {
      /** In the order in which they ended; a sum counts before all others. */
      id: integer('id').primaryKey(),
      clientRef: integer('client_ref')
        .notNull()
        .references(() => clients.id, { onDelete: 'cascade' }),
      exchange: text('exchange', { enum: EXCHANGES }).notNull(),
      /** The account, by `accountRefOf` of its keys. */
      keysRef: integer('keys_ref').notNull(),
      /** By `placeNameOf`. */
      place: text('place').notNull(),
      side: text('side', { enum: ['long', 'short'] }).notNull(),
      does: text('does', { enum: ['open', 'close'] }).notNull(),
      /** When one that closes does so; null of one that opens. */
      exitKind: text('exit_kind', { enum: ['now', 'stop', 'profit'] }),
      /** A take profit or stop loss hangs on one that opens. */
      hasAttachedExit: flag('has_attached_exit').notNull(),
      /** One that opens closes what is open on the other side first. */
      isNetting: flag('is_netting').notNull(),
      /** Nobody knows which side one that closes takes from: `side` or the other one. */
      isEitherSide: flag('is_either_side').notNull(),
      /** The journal's row that placed it; null in a sum, as what names the order. */
      journalId: text('journal_id'),
      /** JSON of the order's `OrderKey`. */
      orderKey: text('order_key'),
      orderId: text('order_id'),
      clientOrderId: text('client_order_id'),
      /** Decimal, as `filled`; null when the call does not say it. */
      asked: text('asked'),
      /** As far as it is known. */
      filled: text('filled').notNull(),
      /** The part of `filled` that is in a sum. */
      counted: text('counted').notNull(),
      /** Nothing more of it will be filled. */
      isFinal: flag('is_final').notNull(),
      placedAtMs: integer('placed_at_ms').notNull(),
    },
    (row) => [
      // For the cascade.
      index('own_position_orders_client').on(row.clientRef),
    ],
  )

/**
 * Events of accounts, for the streams of their bots. An event is written before it is sent, and
 * kept for a day. The owner of the exchanges numbers the rows.
 */
const streamEventsTable = ({ table, text, integer, index, equalityIndex }: Kit) =>
  table(
    'stream_events',
    {
      seq: integer('seq').primaryKey(),
      /** The account, by `accountRefOf` of the keys of its feed. */
      accountRef: integer('account_ref').notNull(),
      /**
       * Of an order or fill: the client that placed it, even if that client was deleted. Null: no
       * client that the gateway knows.
       */
      ownerRef: integer('owner_ref'),
      type: text('type').$type<StoredStreamType>().notNull(),
      exchange: text('exchange', { enum: EXCHANGES }).notNull(),
      market: text('market', { enum: STREAM_MARKETS }).notNull(),
      symbol: text('symbol'),
      /** By the exchange's clock. */
      timeMs: integer('time_ms'),
      receivedAtMs: integer('received_at_ms').notNull(),
      source: text('source', { enum: STREAM_SOURCES }).notNull(),
      /** JSON of the event's data. */
      data: text('data').notNull(),
      /** JSON that only the gateway reads, after a restart. Bots do not get it. */
      key: text('key'),
      /**
       * Names the order, position or balance whose latest event this is, while the order is open,
       * or the position or balance exists. Null in all other events.
       */
      latestOf: text('latest_of'),
    },
    (row) => [
      // For reading what came after an event.
      index('stream_events_account').on(row.accountRef, row.seq),
      // For removal by age.
      index('stream_events_received').on(row.receivedAtMs),
      // For the latest event of each open order, position and balance.
      equalityIndex('stream_events_latest', row.latestOf, sql`latest_of is not null`),
    ],
  )

/** The tables of orders and of what clients hold. */
export function orderTables(kit: Kit, clients: Clients) {
  const orderJournal = orderJournalTable(kit, clients)
  return {
    orderJournal,
    orderNames: orderNamesTable(kit, orderJournal),
    workingOrders: workingOrdersTable(kit, clients),
    ownPositionOrders: ownPositionOrdersTable(kit, clients),
    streamEvents: streamEventsTable(kit),
  }
}
