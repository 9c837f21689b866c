import {
  and,
  type Column,
  desc,
  eq,
  gte,
  inArray,
  lt,
  lte,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { columns, type Database } from './database.ts'
import {
  type ClientRequest,
  type ClientRequests,
  type ListedOrder,
  type NamingRow,
  type NamingSearch,
  SEARCHED,
  UNFINDABLE_KEY,
} from './journal-store.ts'

/** Orders for a person to look at, and for their client. Each statement reads by an index. */
export const createJournalSearch = (db: Database) => ({
  ...createNameSearch(db),
  ...createLists(db),
})

function createNameSearch(db: Database) {
  const { clients, orderJournal, orderNames } = db.tables
  const naming = columns(orderJournal, ...SEARCHED.NAMING)
  const newestIds = async (where: SQL | undefined, limit: number) =>
    db.queries
      .select({ id: orderJournal.id })
      .from(orderJournal)
      .where(where)
      // Without the sum PostgreSQL may read the journal from its end until it has found enough.
      .orderBy(desc(sql`${orderJournal.createdAtMs} + 0`))
      .limit(limit)

  return {
    /** Orders with exactly this id, client order id, order id or idempotency key, newest first. */
    async findByName(name: string, limit: number): Promise<ListedOrder[]> {
      const allClients = db.queries.select({ id: clients.id }).from(clients)
      const isNamed = eq(orderNames.name, name)
      const named = db.queries.select({ id: orderNames.orderRef }).from(orderNames).where(isNamed)
      // Each way on its own: for an `or` PostgreSQL would read the whole journal.
      const ways = [
        eq(orderJournal.id, name),
        eq(orderJournal.clientOrderId, name),
        eq(orderJournal.orderId, name),
        // The index begins with the client, and there are few clients.
        and(inArray(orderJournal.clientRef, allClients), eq(orderJournal.idempotencyKey, name)),
        inArray(orderJournal.id, named),
      ]
      const ids = new Set<string>()
      for (const way of ways) for (const { id } of await newestIds(way, limit)) ids.add(id)
      return ids.size === 0 ? [] : listed(db, inArray(orderJournal.id, [...ids]), limit)
    },

    /**
     * The requests of some clients that may have placed or changed an order with one of these
     * names, once for each name.
     */
    async findNaming({ names, exchange, clientRefs }: NamingSearch): Promise<NamingRow[]> {
      const ofThese = and(
        inArray(orderJournal.clientRef, [...clientRefs]),
        eq(orderJournal.exchange, exchange),
        notInArray(orderJournal.state, ['dropped', 'refused']),
      )
      const by = (column: Column) =>
        db.queries
          .select({ ...naming, name: sql<string>`${column}` })
          .from(orderJournal)
          .where(and(inArray(column, [...names]), ofThese))
      const found = await Promise.all([
        by(orderJournal.orderId),
        by(orderJournal.clientOrderId),
        db.queries
          .select({ ...naming, name: orderNames.name })
          .from(orderNames)
          .innerJoin(orderJournal, eq(orderJournal.id, orderNames.orderRef))
          .where(and(inArray(orderNames.name, [...names]), ofThese)),
      ])
      return found.flat()
    },
  }
}

function createLists(db: Database) {
  const { orderJournal } = db.tables
  return {
    /** The newest orders whose outcome is unknown. */
    listUnknown: (limit: number): Promise<ListedOrder[]> =>
      // The first condition is that of the partial index.
      listed(db, sql`state in ('queued', 'sent', 'unknown') and state = 'unknown'`, limit),

    /** The newest orders. */
    listNewest: (limit: number): Promise<ListedOrder[]> => listed(db, undefined, limit),

    /** Requests of one client, newest first. */
    async listOfClient(requests: ClientRequests): Promise<ClientRequest[]> {
      const { clientRef, fromMs, toMs, after, state, limit } = requests
      const { id, createdAtMs } = orderJournal
      // The sum keeps the databases from the client's index where that of the open orders is
      // shorter.
      const isOfClient =
        state === undefined
          ? eq(orderJournal.clientRef, clientRef)
          : sql`state in ('queued', 'sent', 'unknown') and state = ${state} and client_ref + 0 = ${clientRef}`
      return db.queries
        .select(columns(orderJournal, ...SEARCHED.OF_CLIENT))
        .from(orderJournal)
        .where(
          and(
            isOfClient,
            gte(createdAtMs, fromMs),
            after === undefined ? lt(createdAtMs, toMs) : lte(createdAtMs, after.createdAtMs),
            after && or(lt(createdAtMs, after.createdAtMs), lt(id, after.id)),
          ),
        )
        .orderBy(desc(createdAtMs), desc(id))
        .limit(limit)
    },
  }
}

async function listed(
  { tables: { orderJournal }, queries }: Database,
  where: SQL | undefined,
  limit: number,
): Promise<ListedOrder[]> {
  const hasKey = sql`${orderJournal.orderKey} is not null
    and ${orderJournal.orderKey} not like ${`${UNFINDABLE_KEY}%`}`
  const canBeLookedUp = sql<number>`(${hasKey})`.mapWith(Number)
  return queries
    .select({ ...columns(orderJournal, ...SEARCHED.LISTED), canBeLookedUp })
    .from(orderJournal)
    .where(where)
    .orderBy(desc(orderJournal.createdAtMs), desc(orderJournal.id))
    .limit(limit)
}
