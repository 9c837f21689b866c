import {
  and,
  asc,
  count,
  eq,
  gte,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  notInArray,
  or,
  sql,
} from 'drizzle-orm'
import { OPEN_ORDER_STATES } from 'schema'
import {
  type JournalStore,
  NOT_CARRIED_OUT_STATUS,
  type RequestedOrder,
  type UnvaluedOrder,
} from '../journal-store.ts'
import type { Db } from './open.ts'
import type { Queries } from './session.ts'
import { orderJournal } from './tables.ts'
import { reading } from './write.ts'

// Literals, as in the partial index: a prepared statement uses that index for no others.
const openStates = sql.raw(OPEN_ORDER_STATES.map((state) => `'${state}'`).join(', '))
const isOpen = sql`${orderJournal.state} in (${openStates})`

const mayBePlaced = or(
  ne(orderJournal.state, 'resolved'),
  ne(orderJournal.statusCode, NOT_CARRIED_OUT_STATUS),
)

/** Rows of which each is read from JSON, valued and written. */
const VALUED_AT_ONCE = 250

type Reads = Pick<
  JournalStore,
  | 'find'
  | 'findByKey'
  | 'listOpen'
  | 'isInDoubt'
  | 'countOpen'
  | 'countUnknown'
  | 'dayValues'
  | 'unvalued'
  | 'belongsToEarlierRequest'
>

/** The journal's reads. */
export function createJournalReads(db: Db): Reads {
  const byId = db
    .select()
    .from(orderJournal)
    .where(eq(orderJournal.id, sql.placeholder('id')))
    .prepare('journal_by_id')
  const ofKey = prepareRowWithKey(db)

  return {
    async find(id) {
      return (await byId.execute({ id }))[0]
    },

    async findByKey(clientRef, key) {
      return (await ofKey.execute({ clientRef, key }))[0]
    },

    async listOpen() {
      return db
        .select()
        .from(orderJournal)
        .where(isOpen)
        .orderBy(asc(orderJournal.createdAtMs), asc(orderJournal.id))
    },

    async isInDoubt(clientRef, sinceMs) {
      const rows = await db
        .select({ id: orderJournal.id })
        .from(orderJournal)
        .where(
          and(
            isOpen,
            inArray(orderJournal.state, ['sent', 'unknown']),
            eq(orderJournal.clientRef, clientRef),
            gte(orderJournal.createdAtMs, sinceMs),
          ),
        )
        .limit(1)
      return rows.length > 0
    },

    async countOpen() {
      const rows = await db
        .select({ state: orderJournal.state, count: count() })
        .from(orderJournal)
        .where(isOpen)
        .groupBy(orderJournal.state)
      return {
        queued: 0,
        sent: 0,
        unknown: 0,
        ...Object.fromEntries(rows.map((row) => [row.state, row.count])),
      }
    },

    async countUnknown() {
      const { method, endpoint, state } = orderJournal
      return db
        .select({ method, endpoint, count: count() })
        .from(orderJournal)
        .where(and(isOpen, eq(state, 'unknown')))
        .groupBy(method, endpoint)
    },

    async dayValues(sinceMs) {
      const minute = sql<number>`${orderJournal.createdAtMs} / 60000`
      return db
        .select({
          clientRef: orderJournal.clientRef,
          minute,
          // A number, as SQLite returns it, also when it is too large to be exact.
          valueMicros: sql<number>`sum(${orderJournal.valueMicros})::float8`,
        })
        .from(orderJournal)
        .where(
          and(
            gte(orderJournal.createdAtMs, sinceMs),
            isNotNull(orderJournal.valueMicros),
            notInArray(orderJournal.state, ['dropped', 'refused', 'queued']),
            mayBePlaced,
          ),
        )
        .groupBy(orderJournal.clientRef, minute)
        .orderBy(orderJournal.clientRef, minute)
    },

    unvalued: (clientRef, sinceMs) => unvalued(db, clientRef, sinceMs),

    async belongsToEarlierRequest(row, clientOrderId, orderId) {
      // It reads all responses to the client's orders.
      return reading(db, async (tx) => {
        const rows = await earlierRequests(tx, row, clientOrderId, orderId)
        return rows.length > 0
      })
    },
  }
}

/** Finds the order that holds an idempotency key of a client. */
export function prepareRowWithKey(db: Db) {
  return db
    .select()
    .from(orderJournal)
    .where(
      and(
        eq(orderJournal.clientRef, sql.placeholder('clientRef')),
        eq(orderJournal.idempotencyKey, sql.placeholder('key')),
      ),
    )
    .prepare('journal_by_key')
}

async function* unvalued(
  db: Db,
  clientRef: number,
  sinceMs: number,
): AsyncGenerator<UnvaluedOrder[], void> {
  const { id, exchange, state, createdAtMs, orderKey } = orderJournal
  let after: Pick<UnvaluedOrder, 'id' | 'createdAtMs'> = { id: '', createdAtMs: sinceMs }
  for (;;) {
    const rows = await db
      .select({ id, exchange, state, createdAtMs, orderKey })
      .from(orderJournal)
      .where(
        and(
          eq(orderJournal.clientRef, clientRef),
          sql`(${createdAtMs}, ${id}) > (${after.createdAtMs}, ${after.id})`,
          isNull(orderJournal.valueMicros),
          notInArray(state, ['dropped', 'refused']),
          mayBePlaced,
        ),
      )
      .orderBy(asc(createdAtMs), asc(id))
      .limit(VALUED_AT_ONCE)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < VALUED_AT_ONCE) return
    after = last
  }
}

/** An earlier request of a client with this client order id, and this order in its response. */
function earlierRequests(tx: Queries, row: RequestedOrder, clientOrderId: string, orderId: string) {
  const contains = (column: typeof orderJournal.body, part: string) =>
    sql`strpos(${column}, ${sql.param(part, column)}) > 0`
  return tx
    .select({ id: orderJournal.id })
    .from(orderJournal)
    .where(
      and(
        eq(orderJournal.clientRef, row.clientRef),
        eq(orderJournal.exchange, row.exchange),
        or(
          eq(orderJournal.clientOrderId, clientOrderId),
          // A request about several orders has their ids only in its order key.
          contains(orderJournal.orderKey, JSON.stringify(clientOrderId)),
        ),
        ne(orderJournal.id, row.id),
        lte(orderJournal.createdAtMs, row.createdAtMs),
        contains(orderJournal.body, orderId),
      ),
    )
    .limit(1)
}
