import {
  and,
  type Column,
  desc,
  eq,
  gte,
  inArray,
  isNotNull,
  lt,
  lte,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { FINAL_ORDER_STATES } from 'schema'
import { columns, type Database } from './database.ts'
import {
  type ClientRequest,
  type ClientRequests,
  type ListedOrder,
  type NamingRow,
  type NamingSearch,
  type OrderFilter,
  type OrderPlace,
  type OrderStep,
  SEARCHED,
  UNFINDABLE_KEY,
} from './journal-store.ts'
import type { Tables } from './tables.ts'

/** Rows that a step of a list examines: 2 to 5 ms. */
const EXAMINED_AT_ONCE = 500

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
  const { orderJournal, workingOrders } = db.tables
  return {
    /**
     * Orders of all clients, newest first, in steps that take a few milliseconds each.
     * @param atOnce rows that a step examines
     */
    async *list(filter: OrderFilter, atOnce = EXAMINED_AT_ONCE): AsyncGenerator<OrderStep, void> {
      const examine = filter.state === undefined || isFinal(filter.state) ? walk : openOrders
      for (let { after } = filter; ; ) {
        const found = await examine(db, { ...filter, after }, atOnce)
        const ids = found.filter(({ matches }) => matches === 1).map(({ id }) => id)
        const rows = ids.length === 0 ? [] : await listed(db, inArray(orderJournal.id, ids), atOnce)
        const last = found.length < atOnce ? undefined : found.at(-1)
        yield { rows, last }
        if (last === undefined) return
        after = last
      }
    },

    /** Which of these requests placed an order that may be open at its exchange. */
    async whichAreOpen(ids: readonly string[]): Promise<Set<string | null>> {
      const { journalId } = workingOrders
      const rows = await db.queries
        .selectDistinct({ journalId })
        .from(workingOrders)
        .where(inArray(journalId, [...ids]))
      return new Set(rows.map((row) => row.journalId))
    },

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

/** A row that was looked at: 1 when it belongs to the list. */
type Examined = OrderPlace & { readonly matches: number }

const isFinal = (state: string): boolean => FINAL_ORDER_STATES.some((final) => final === state)

/** Looks at the next rows by the index of the client, the symbol or the time. */
async function walk(
  { tables: { orderJournal }, queries }: Database,
  filter: OrderFilter,
  atOnce: number,
): Promise<Examined[]> {
  const { id, createdAtMs, clientRef, symbol } = orderJournal
  const { fromMs, toMs, after } = filter
  const byIndex =
    filter.clientRef !== undefined
      ? eq(clientRef, filter.clientRef)
      : filter.symbol === undefined
        ? undefined
        : and(isNotNull(symbol), eq(symbol, filter.symbol))
  const conditions = matching(orderJournal, filter) ?? sql`1 = 1`
  return queries
    .select({
      ...{ id, createdAtMs },
      matches: sql<number>`case when ${conditions} then 1 else 0 end`.mapWith(Number),
    })
    .from(orderJournal)
    .where(
      and(
        byIndex,
        gte(createdAtMs, fromMs),
        after === undefined ? lt(createdAtMs, toMs) : lte(createdAtMs, after.createdAtMs),
        after && or(lt(createdAtMs, after.createdAtMs), lt(id, after.id)),
      ),
    )
    .orderBy(desc(createdAtMs), desc(id))
    .limit(atOnce)
}

/**
 * The next orders that have no end, or that may be open at an exchange. Each way on its own, as
 * above; the sums keep the databases from the indexes of all orders.
 */
async function openOrders(
  { tables: { orderJournal, workingOrders }, queries }: Database,
  filter: OrderFilter,
  atOnce: number,
): Promise<Examined[]> {
  const { id, createdAtMs, state } = orderJournal
  const { fromMs, toMs, after, clientRef, exchange } = filter
  const created = sql`${createdAtMs} + 0`
  const working = queries
    .select({ id: workingOrders.journalId })
    .from(workingOrders)
    .where(
      and(
        isNotNull(workingOrders.journalId),
        clientRef === undefined ? undefined : eq(workingOrders.clientRef, clientRef),
        exchange === undefined ? undefined : eq(workingOrders.exchange, exchange),
      ),
    )
  const hasNoEnd = sql`state in ('queued', 'sent', 'unknown')`
  const ways =
    filter.state === 'open'
      ? [hasNoEnd, inArray(id, working)]
      : [and(hasNoEnd, eq(state, filter.state ?? 'unknown'))]
  const found = new Map<string, Examined>()
  for (const way of ways) {
    const rows = await queries
      .select({ id, createdAtMs })
      .from(orderJournal)
      .where(
        and(
          way,
          matching(orderJournal, filter),
          gte(created, fromMs),
          after === undefined ? lt(created, toMs) : lte(created, after.createdAtMs),
          after && or(lt(created, after.createdAtMs), lt(id, after.id)),
        ),
      )
      .orderBy(desc(created), desc(id))
      .limit(atOnce)
    for (const row of rows) found.set(row.id, { ...row, matches: 1 })
  }
  const sorted = [...found.values()].sort(
    (a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1),
  )
  return sorted.slice(0, atOnce)
}

/** The conditions of a filter but for the times, so that no index of all orders is used. */
function matching(
  { clientRef, exchange, symbol, side, state }: Tables['orderJournal'],
  filter: OrderFilter,
): SQL | undefined {
  const isState = filter.state !== undefined && filter.state !== 'open'
  return and(
    filter.clientRef === undefined ? undefined : sql`${clientRef} + 0 = ${filter.clientRef}`,
    filter.exchange === undefined ? undefined : eq(exchange, filter.exchange),
    filter.symbol === undefined ? undefined : sql`${symbol} || '' = ${filter.symbol}`,
    filter.side === undefined || filter.side === null ? undefined : eq(side, filter.side),
    isState ? sql`${state} || '' = ${filter.state}` : undefined,
  )
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
