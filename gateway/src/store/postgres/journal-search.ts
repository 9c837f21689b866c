import { and, desc, eq, gte, inArray, lt, lte, notInArray, or, type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import { type JournalStore, type ListedOrder, UNFINDABLE_KEY } from '../journal-store.ts'
import type { Db } from './open.ts'
import { storable } from './tables/columns.ts'
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
  canBeLookedUp: sql<number>`(${orderJournal.orderKey} is not null and ${orderJournal.orderKey} not like ${`${UNFINDABLE_KEY}%`})::int4`,
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

type Search = Pick<
  JournalStore,
  'findByName' | 'findNaming' | 'listUnknown' | 'listNewest' | 'listOfClient'
>

/** Orders for a person to look at, and for their client. Each statement reads by an index. */
export function createJournalSearch(db: Db): Search {
  const rows = (where: SQL | undefined, limit: number): Promise<ListedOrder[]> =>
    db
      .select(listed)
      .from(orderJournal)
      .where(where)
      .orderBy(desc(orderJournal.createdAtMs), desc(orderJournal.id))
      .limit(limit)

  return {
    async findByName(name, limit) {
      // Each way on its own: for an `or` PostgreSQL would read the whole journal.
      const found = await newestWith(db, storable(name), limit)
      const ids = [...new Set(found.map(({ id }) => id))]
      return ids.length === 0 ? [] : rows(inArray(orderJournal.id, ids), limit)
    },

    async findNaming({ names, exchange, clientRefs }) {
      const texts = names.map(storable)
      const ofThese = and(
        inArray(orderJournal.clientRef, [...clientRefs]),
        eq(orderJournal.exchange, exchange),
        notInArray(orderJournal.state, ['dropped', 'refused']),
      )
      const by = (column: typeof orderJournal.orderId | typeof orderJournal.clientOrderId) =>
        db
          .select({ ...naming, name: sql<string>`${column}` })
          .from(orderJournal)
          .where(and(inArray(column, texts), ofThese))
      const found = await Promise.all([
        by(orderJournal.orderId),
        by(orderJournal.clientOrderId),
        db
          .select({ ...naming, name: orderNames.name })
          .from(orderNames)
          .innerJoin(orderJournal, eq(orderJournal.id, orderNames.orderRef))
          .where(and(inArray(orderNames.name, texts), ofThese)),
      ])
      return found.flat()
    },

    async listUnknown(limit) {
      // The first condition is that of the partial index.
      return rows(sql`state in ('queued', 'sent', 'unknown') and state = 'unknown'`, limit)
    },

    async listNewest(limit) {
      return rows(undefined, limit)
    },

    async listOfClient({ clientRef, fromMs, toMs, after, state, limit }) {
      const { id, createdAtMs } = orderJournal
      const isInState = state && sql`state in ('queued', 'sent', 'unknown') and state = ${state}`
      // With the sum, those in a state are read by the index of the open orders.
      const newestFirst = state === undefined ? createdAtMs : sql`${createdAtMs} + 0`
      return db
        .select(own)
        .from(orderJournal)
        .where(
          and(
            isInState,
            eq(orderJournal.clientRef, clientRef),
            gte(createdAtMs, fromMs),
            after === undefined ? lt(createdAtMs, toMs) : lte(createdAtMs, after.createdAtMs),
            after && or(lt(createdAtMs, after.createdAtMs), lt(id, after.id)),
          ),
        )
        .orderBy(desc(newestFirst), desc(id))
        .limit(limit)
    },
  }
}

/** The newest orders by each name that they have. */
function newestWith(db: Db, text: string, limit: number) {
  const ids = (where: SQL | undefined) =>
    db
      .select({ id: orderJournal.id })
      .from(orderJournal)
      .where(where)
      // Without the sum PostgreSQL may read the journal from its end until it has found enough.
      .orderBy(desc(sql`${orderJournal.createdAtMs} + 0`))
      .limit(limit)
  return unionAll(
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
  )
}
