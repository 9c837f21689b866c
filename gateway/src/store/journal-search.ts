import {
  and,
  asc,
  type Column,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  lt,
  lte,
  max,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { type ExchangeCode, FINAL_ORDER_STATES } from 'schema'
import { bySize, columns, type Database, filledUp, numbered, placeholderList } from './database.ts'
import { nextStep } from './in-steps.ts'
import {
  type ClientRequest,
  type ClientRequests,
  type JournalRow,
  type ListedOrder,
  type NamingRow,
  type NamingSearch,
  type OrderFilter,
  type OrderPlace,
  type OrderStep,
  SEARCHED,
  type SentSearch,
  UNFINDABLE_KEY,
} from './journal-store.ts'
import type { Tables } from './tables.ts'

/** Rows that a step of a list examines: 2 to 5 ms. */
const EXAMINED_AT_ONCE = 500
const HOUR_MS = 3_600_000
/** Working orders that a step looks up in the journal: 5 ms. */
const WORKING_AT_ONCE = 2_000

/** Orders for a person to look at, and for their client. Each statement reads by an index. */
export const createJournalSearch = (db: Database) => ({
  ...createNameSearch(db),
  ...createSentSearch(db),
  ...createLists(db),
})

function createNameSearch(db: Database) {
  const { clients, orderJournal, orderNames } = db.tables
  const newestIds = async (where: SQL | undefined, limit: number) =>
    db.queries
      .select({ id: orderJournal.id })
      .from(orderJournal)
      .where(where)
      // Without the sum PostgreSQL may read the journal from its end until it has found enough.
      .orderBy(desc(sql`${orderJournal.createdAtMs} + 0`))
      .limit(limit)
  const namingOf = prepareNaming(db)

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
      if (names.length === 0 || clientRefs.length === 0) return []
      const [some, clientsOf] = [filledUp(names), filledUp(clientRefs)]
      const values = { ...numbered('name', some), ...numbered('client', clientsOf), exchange }
      const statements = namingOf(some.length)(clientsOf.length)
      return (await Promise.all(statements.map((each) => each.execute(values)))).flat()
    },
  }
}

function createSentSearch(db: Database) {
  const { orderJournal } = db.tables
  return {
    /** Requests that were sent since then and have the id of their order, the newest first. */
    async sentSince({ exchange, clientRefs, keysRef, sentSinceMs, limit }: SentSearch) {
      return db.queries
        .select(columns(orderJournal, 'orderKey', 'orderId', 'clientOrderId', 'createdAtMs'))
        .from(orderJournal)
        .where(
          and(
            inArray(orderJournal.clientRef, [...clientRefs]),
            // By the index; none waits for so long.
            gte(orderJournal.createdAtMs, sentSinceMs - HOUR_MS),
            gte(orderJournal.sentAtMs, sentSinceMs),
            eq(orderJournal.exchange, exchange),
            eq(orderJournal.keysRef, keysRef),
            isNotNull(orderJournal.orderId),
          ),
        )
        .orderBy(desc(orderJournal.createdAtMs))
        .limit(limit)
    },

    /**
     * The keys of what some clients may have sent to an exchange since a time; of several requests
     * for one symbol by one endpoint, those of one of them.
     */
    async keysSince(
      exchange: ExchangeCode,
      clientRefs: readonly number[],
      sinceMs: number,
    ): Promise<Pick<JournalRow, 'orderKey'>[]> {
      const { symbol, endpoint, id } = orderJournal
      return (
        db.queries
          .select({ orderKey: max(orderJournal.orderKey) })
          .from(orderJournal)
          .where(
            and(
              inArray(orderJournal.clientRef, [...clientRefs]),
              eq(orderJournal.exchange, exchange),
              gte(orderJournal.createdAtMs, sinceMs),
              notInArray(orderJournal.state, ['dropped', 'refused', 'queued']),
            ),
          )
          // Of a call about several symbols it is null.
          .groupBy(endpoint, sql`coalesce(${symbol}, ${id})`)
      )
    },
  }
}

/** Events of accounts ask for names often: by how many names, and how many clients. */
function prepareNaming(db: Database) {
  const { orderJournal, orderNames } = db.tables
  const naming = columns(orderJournal, ...SEARCHED.NAMING)
  const prepare = (size: number, clientsSize: number) => {
    const ofThese = and(
      inArray(orderJournal.clientRef, placeholderList('client', clientsSize)),
      eq(orderJournal.exchange, sql.placeholder('exchange')),
      notInArray(orderJournal.state, ['dropped', 'refused']),
    )
    const isNamed = (column: Column) => and(inArray(column, placeholderList('name', size)), ofThese)
    const by = (column: Column) =>
      db.queries
        .select({ ...naming, name: sql<string>`${column}` })
        .from(orderJournal)
        .where(isNamed(column))
    const ofSeveral = db.queries
      .select({ ...naming, name: orderNames.name })
      .from(orderNames)
      .innerJoin(orderJournal, eq(orderJournal.id, orderNames.orderRef))
      .where(isNamed(orderNames.name))
    const nameOf = (way: string) => `journal_naming_${way}_${size}_${clientsSize}`
    return [
      db.prepare(by(orderJournal.orderId), nameOf('order_id')),
      db.prepare(by(orderJournal.clientOrderId), nameOf('client_order_id')),
      db.prepare(ofSeveral, nameOf('several')),
    ]
  }
  return bySize((size) => bySize((clientsSize) => prepare(size, clientsSize)))
}

function createLists(db: Database) {
  const { orderJournal, workingOrders } = db.tables
  return {
    /**
     * Orders of all clients, newest first, in steps that take a few milliseconds each.
     * @param atOnce rows that a step examines
     * @param workingAtOnce working orders that are looked up in one statement
     */
    async *list(
      filter: OrderFilter,
      atOnce = EXAMINED_AT_ONCE,
      workingAtOnce = WORKING_AT_ONCE,
    ): AsyncGenerator<OrderStep, void> {
      const isOfAll = filter.state === undefined || isFinal(filter.state)
      const steps = isOfAll ? walk(db, filter, atOnce) : open(db, filter, atOnce, workingAtOnce)
      for await (const found of steps) {
        const ids = found.filter(({ matches }) => matches === 1).map(({ id }) => id)
        const rows = ids.length === 0 ? [] : await listed(db, inArray(orderJournal.id, ids), atOnce)
        yield { rows, last: found.length < atOnce ? undefined : found.at(-1) }
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

/** Looks at all rows in steps, by the index of the client, the symbol or the time. */
async function* walk(
  { tables: { orderJournal }, queries }: Database,
  filter: OrderFilter,
  atOnce: number,
): AsyncGenerator<Examined[], void> {
  const { id, createdAtMs, clientRef, symbol } = orderJournal
  const byIndex =
    filter.clientRef !== undefined
      ? eq(clientRef, filter.clientRef)
      : filter.symbol === undefined
        ? undefined
        : and(isNotNull(symbol), eq(symbol, filter.symbol))
  const conditions = matching(orderJournal, filter) ?? sql`1 = 1`
  for (let { after } = filter; ; ) {
    const found = await queries
      .select({
        ...{ id, createdAtMs },
        matches: sql<number>`case when ${conditions} then 1 else 0 end`.mapWith(Number),
      })
      .from(orderJournal)
      .where(and(byIndex, ...within(sql`${createdAtMs}`, id, { ...filter, after })))
      .orderBy(desc(createdAtMs), desc(id))
      .limit(atOnce)
    yield found
    if (found.length < atOnce) return
    after = found.at(-1)
  }
}

/** The orders that have no end, or that may be open at an exchange: all are sorted first. */
async function* open(
  db: Database,
  filter: OrderFilter,
  atOnce: number,
  workingAtOnce: number,
): AsyncGenerator<Examined[], void> {
  const { state } = db.tables.orderJournal
  const hasNoEnd = sql`state in ('queued', 'sent', 'unknown')`
  const places = filter.state === 'open' ? await workingPlaces(db, filter, workingAtOnce) : []
  const is = filter.state === 'open' ? undefined : eq(state, filter.state ?? 'unknown')
  places.push(...(await placesOf(db, filter, and(hasNoEnd, is))))
  const found = new Map(places.map((place) => [place.id, { ...place, matches: 1 }]))
  const sorted = [...found.values()].sort(
    (a, b) => b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1),
  )
  for (let at = 0; at <= sorted.length; at += atOnce) yield sorted.slice(at, at + atOnce)
}

/** Of the orders that may be open, some at once: there may be tens of thousands. */
async function workingPlaces(
  db: Database,
  filter: OrderFilter,
  atOnce: number,
): Promise<OrderPlace[]> {
  const { orderJournal, workingOrders } = db.tables
  const { id, journalId } = workingOrders
  const { clientRef, exchange } = filter
  const ofFilter = and(
    isNotNull(journalId),
    clientRef === undefined ? undefined : eq(workingOrders.clientRef, clientRef),
    exchange === undefined ? undefined : eq(workingOrders.exchange, exchange),
  )
  const places: OrderPlace[] = []
  for (let afterId = 0; ; await nextStep(undefined)) {
    const [last] = await db.queries
      .select({ id })
      .from(workingOrders)
      .where(and(gt(id, afterId), ofFilter))
      .orderBy(asc(id))
      .limit(1)
      .offset(atOnce - 1)
    const some = db.queries
      .select({ journalId })
      .from(workingOrders)
      .where(and(gt(id, afterId), last && lte(id, last.id), ofFilter))
    places.push(...(await placesOf(db, filter, inArray(orderJournal.id, some))))
    if (last === undefined) return places
    afterId = last.id
  }
}

/** The sum keeps the databases from the index of all times. */
const placesOf = (
  { tables: { orderJournal }, queries }: Database,
  filter: OrderFilter,
  where: SQL | undefined,
): PromiseLike<OrderPlace[]> =>
  queries
    .select({ id: orderJournal.id, createdAtMs: orderJournal.createdAtMs })
    .from(orderJournal)
    .where(
      and(
        where,
        matching(orderJournal, filter),
        ...within(sql`${orderJournal.createdAtMs} + 0`, orderJournal.id, filter),
      ),
    )

/** Between the times, and behind the place where the list continues. */
const within = (
  createdAtMs: SQL,
  id: Tables['orderJournal']['id'],
  { fromMs, toMs, after }: OrderFilter,
): (SQL | undefined)[] => [
  gte(createdAtMs, fromMs),
  lt(createdAtMs, toMs),
  ...(after === undefined
    ? []
    : [
        lte(createdAtMs, after.createdAtMs),
        or(lt(createdAtMs, after.createdAtMs), lt(id, after.id)),
      ]),
]

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
