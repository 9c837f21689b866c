import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  and,
  asc,
  count,
  desc,
  eq,
  gte,
  inArray,
  isNotNull,
  isNull,
  ne,
  notInArray,
  or,
  sql,
} from 'drizzle-orm'
import { OPEN_ORDER_STATES } from 'schema'
import { type JournalRow, NOT_CARRIED_OUT_STATUS, type UnvaluedOrder } from '../journal-store.ts'
import type { Db } from './open.ts'
import { orderJournal } from './tables.ts'
import { toStoreError } from './write.ts'

// Literals, as in the partial index: SQLite does not use that index for bound values.
const openStates = sql.raw(OPEN_ORDER_STATES.map((state) => `'${state}'`).join(', '))
const isOpen = sql`${orderJournal.state} in (${openStates})`

const rowid = sql<number>`rowid`
/** Rows that one statement reads: about 5 ms. */
const ROWS_AT_ONCE = 1_000
/** Rows of which each is read from JSON, valued and written. */
const VALUED_AT_ONCE = 250

const mayBePlaced = or(
  ne(orderJournal.state, 'resolved'),
  ne(orderJournal.statusCode, NOT_CARRIED_OUT_STATUS),
)

/** The journal's reads. */
export function createJournalReads(db: Db) {
  const byId = db
    .select()
    .from(orderJournal)
    .where(eq(orderJournal.id, sql.placeholder('id')))
    .prepare()
  const ofKey = prepareRowWithKey(db)

  return {
    async find(id: string): Promise<JournalRow | undefined> {
      return byId.get({ id })
    },

    async findByKey(clientRef: number, key: string): Promise<JournalRow | undefined> {
      try {
        return ofKey.get({ clientRef, key })
      } catch (error) {
        throw toStoreError(error)
      }
    },

    async listOpen(): Promise<JournalRow[]> {
      return db
        .select()
        .from(orderJournal)
        .where(isOpen)
        .orderBy(asc(orderJournal.createdAtMs))
        .all()
    },

    async isInDoubt(clientRef: number, sinceMs: number): Promise<boolean> {
      const row = db
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
        .get()
      return row !== undefined
    },

    async countOpen(): Promise<Record<(typeof OPEN_ORDER_STATES)[number], number>> {
      const rows = db
        .select({ state: orderJournal.state, count: count() })
        .from(orderJournal)
        .where(isOpen)
        .groupBy(orderJournal.state)
        .all()
      return {
        queued: 0,
        sent: 0,
        unknown: 0,
        ...Object.fromEntries(rows.map((row) => [row.state, row.count])),
      }
    },

    async countUnknown(): Promise<{ method: string; endpoint: string; count: number }[]> {
      const { method, endpoint, state } = orderJournal
      return db
        .select({ method, endpoint, count: count() })
        .from(orderJournal)
        .where(and(isOpen, eq(state, 'unknown')))
        .groupBy(method, endpoint)
        .all()
    },

    async dayValues(
      sinceMs: number,
    ): Promise<{ clientRef: number; minute: number; valueMicros: number }[]> {
      const minute = sql<number>`${orderJournal.createdAtMs} / 60000`
      return db
        .select({
          clientRef: orderJournal.clientRef,
          minute,
          valueMicros: sql<number>`sum(${orderJournal.valueMicros})`,
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
        .all()
    },

    unvalued: (clientRef: number, sinceMs: number) => unvalued(db, clientRef, sinceMs),

    belongsToEarlierRequest: (row: Requested, clientOrderId: string, orderId: string) =>
      belongsToEarlierRequest(db, row, clientOrderId, orderId),
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
    .prepare()
}

/** A request, as far as it tells which others are earlier ones of its client. */
type Requested = Pick<JournalRow, 'id' | 'clientRef' | 'exchange' | 'createdAtMs'>

/**
 * Whether an earlier request of the client, with the same client order id, already has this order
 * in its response. Reads the journal in steps that leave the event loop free.
 */
async function belongsToEarlierRequest(
  db: Db,
  row: Requested,
  clientOrderId: string,
  orderId: string,
): Promise<boolean> {
  // A request about several orders has their ids only in its order key.
  const inOrderKey = sql`instr(${orderJournal.orderKey}, ${JSON.stringify(clientOrderId)}) > 0`
  const inStretch = db
    .select({ id: orderJournal.id })
    .from(orderJournal)
    .where(
      and(
        sql`rowid between ${sql.placeholder('first')} and ${sql.placeholder('last')}`,
        // The plus keeps SQLite from using the client's index, which would read all its orders at
        // once.
        eq(sql`+${orderJournal.clientRef}`, row.clientRef),
        eq(orderJournal.exchange, row.exchange),
        or(eq(orderJournal.clientOrderId, clientOrderId), inOrderKey),
        ne(orderJournal.id, row.id),
        sql`+${orderJournal.createdAtMs} <= ${row.createdAtMs}`,
        sql`instr(${orderJournal.body}, ${orderId}) > 0`,
      ),
    )
    .limit(1)
    .prepare()
  const { oldest, newest } = rowidsOf(db)
  for (let last = newest; last >= oldest; last -= ROWS_AT_ONCE) {
    if (inStretch.get({ first: last - ROWS_AT_ONCE + 1, last }) !== undefined) return true
    await nextTurn()
  }
  return false
}

/** By rowids: the rows of a day are too many for one statement. */
async function* unvalued(
  db: Db,
  clientRef: number,
  sinceMs: number,
): AsyncGenerator<UnvaluedOrder[], void> {
  const { id, exchange, state, createdAtMs, orderKey } = orderJournal
  const inStretch = db
    .select({ id, exchange, state, createdAtMs, orderKey })
    .from(orderJournal)
    .where(
      and(
        sql`rowid between ${sql.placeholder('first')} and ${sql.placeholder('last')}`,
        // As below: the plus keeps SQLite from using another index.
        eq(sql`+${orderJournal.clientRef}`, clientRef),
        gte(sql`+${createdAtMs}`, sinceMs),
        isNull(orderJournal.valueMicros),
        sql`+${state} not in ('dropped', 'refused')`,
        mayBePlaced,
      ),
    )
    .prepare()
  const [oldest] = db
    .select({ rowid })
    .from(orderJournal)
    .where(gte(createdAtMs, sinceMs))
    .orderBy(asc(createdAtMs))
    .limit(1)
    .all()
  if (oldest === undefined) return
  const { newest } = rowidsOf(db)
  for (let first = oldest.rowid; first <= newest; first += VALUED_AT_ONCE) {
    const rows = inStretch.all({ first, last: first + VALUED_AT_ONCE - 1 })
    if (rows.length > 0) yield rows
    await nextTurn()
  }
}

/** The rowids of the first and the last row. In an empty journal no rowid is between them. */
function rowidsOf(db: Db): { oldest: number; newest: number } {
  const end = (direction: typeof asc | typeof desc) =>
    db.select({ rowid }).from(orderJournal).orderBy(direction(rowid)).limit(1).get()?.rowid ?? 0
  return { oldest: Math.max(end(asc), 1), newest: end(desc) }
}
