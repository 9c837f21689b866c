import { and, desc, eq, gte, inArray, lt, lte, notInArray, or, type SQL, sql } from 'drizzle-orm'
import {
  type ClientRequest,
  type ClientRequests,
  type ListedOrder,
  type NamingRow,
  type NamingSearch,
  UNFINDABLE_KEY,
} from '../journal-store.ts'
import type { Db } from './open.ts'
import { clients, orderJournal, orderNames } from './tables.ts'

const listed = {
  id: orderJournal.id,
  clientRef: orderJournal.clientRef,
  clientId: orderJournal.clientId,
  exchange: orderJournal.exchange,
  method: orderJournal.method,
  endpoint: orderJournal.endpoint,
  state: orderJournal.state,
  clientOrderId: orderJournal.clientOrderId,
  orderId: orderJournal.orderId,
  createdAtMs: orderJournal.createdAtMs,
  sentAtMs: orderJournal.sentAtMs,
  settledAtMs: orderJournal.settledAtMs,
  lookups: orderJournal.lookups,
  canBeLookedUp: sql<number>`${orderJournal.orderKey} is not null and ${orderJournal.orderKey} not like ${`${UNFINDABLE_KEY}%`}`,
}

const naming = {
  id: orderJournal.id,
  clientRef: orderJournal.clientRef,
  exchange: orderJournal.exchange,
  state: orderJournal.state,
  statusCode: orderJournal.statusCode,
  orderKey: orderJournal.orderKey,
  orderId: orderJournal.orderId,
  clientOrderId: orderJournal.clientOrderId,
  idempotencyKey: orderJournal.idempotencyKey,
}

const own = {
  id: orderJournal.id,
  exchange: orderJournal.exchange,
  endpoint: orderJournal.endpoint,
  state: orderJournal.state,
  orderKey: orderJournal.orderKey,
  clientOrderId: orderJournal.clientOrderId,
  orderId: orderJournal.orderId,
  createdAtMs: orderJournal.createdAtMs,
  sentAtMs: orderJournal.sentAtMs,
  settledAtMs: orderJournal.settledAtMs,
  statusCode: orderJournal.statusCode,
}

/** Orders for a person to look at, and for their client. Each statement reads by an index. */
export function createJournalSearch(db: Db) {
  const text = sql.placeholder('text')
  const ids = (where: SQL | undefined) =>
    db
      .select({ id: orderJournal.id })
      .from(orderJournal)
      .where(where)
      .orderBy(desc(sql`rowid`))
      .limit(sql.placeholder('limit'))
      .prepare()
  const ways = [
    ids(eq(orderJournal.id, text)),
    ids(eq(orderJournal.clientOrderId, text)),
    ids(eq(orderJournal.orderId, text)),
    // The index begins with the client, and there are few clients.
    ids(
      and(
        inArray(orderJournal.clientRef, db.select({ id: clients.id }).from(clients)),
        eq(orderJournal.idempotencyKey, text),
      ),
    ),
    ids(
      inArray(
        orderJournal.id,
        db.select({ id: orderNames.orderRef }).from(orderNames).where(eq(orderNames.name, text)),
      ),
    ),
  ]
  const rows = (where: SQL | undefined, limit: number): ListedOrder[] =>
    db
      .select(listed)
      .from(orderJournal)
      .where(where)
      .orderBy(desc(orderJournal.createdAtMs))
      .limit(limit)
      .all()

  return {
    async findByName(name: string, limit: number): Promise<ListedOrder[]> {
      const found = new Set(
        ways.flatMap((way) => way.all({ text: name, limit }).map(({ id }) => id)),
      )
      return found.size === 0 ? [] : rows(inArray(orderJournal.id, [...found]), limit)
    },

    async findNaming({ names, exchange, clientRefs }: NamingSearch): Promise<NamingRow[]> {
      const ofThese = and(
        inArray(orderJournal.clientRef, clientRefs),
        eq(orderJournal.exchange, exchange),
        notInArray(orderJournal.state, ['dropped', 'refused']),
      )
      const by = (column: typeof orderJournal.orderId | typeof orderJournal.clientOrderId) =>
        db
          .select({ ...naming, name: sql<string>`${column}` })
          .from(orderJournal)
          .where(and(inArray(column, names), ofThese))
          .all()
      const byName = db
        .select({ ...naming, name: orderNames.name })
        .from(orderNames)
        .innerJoin(orderJournal, eq(orderJournal.id, orderNames.orderRef))
        .where(and(inArray(orderNames.name, names), ofThese))
        .all()
      return [...by(orderJournal.orderId), ...by(orderJournal.clientOrderId), ...byName]
    },

    async listUnknown(limit: number): Promise<ListedOrder[]> {
      // The first condition is that of the partial index.
      return rows(sql`state in ('queued', 'sent', 'unknown') and state = 'unknown'`, limit)
    },

    async listNewest(limit: number): Promise<ListedOrder[]> {
      return rows(undefined, limit)
    },

    listOfClient: async (requests: ClientRequests) => listOfClient(db, requests),
  }
}

function listOfClient(db: Db, requests: ClientRequests): ClientRequest[] {
  const { clientRef, fromMs, toMs, after, state, limit } = requests
  const { id, createdAtMs } = orderJournal
  // The plus keeps SQLite from the client's index where that of the open orders is shorter.
  const isOfClient =
    state === undefined
      ? eq(orderJournal.clientRef, clientRef)
      : sql`state in ('queued', 'sent', 'unknown') and state = ${state} and +client_ref = ${clientRef}`
  return db
    .select(own)
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
    .all()
}
