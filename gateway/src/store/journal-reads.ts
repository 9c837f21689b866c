import {
  and,
  asc,
  count,
  eq,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  ne,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { FINAL_ORDER_STATES, OPEN_ORDER_STATES } from 'schema'
import type { Database } from './database.ts'
import { type JournalRow, NOT_CARRIED_OUT_STATUS } from './journal-store.ts'
import type { Tables } from './tables.ts'

/** What the orders of a client in one minute since 1970 are worth together. */
interface MinuteValue {
  readonly clientRef: number
  readonly minute: number
  readonly valueMicros: number
}

/** The journal's reads. */
export const createJournalReads = (db: Database) => ({ ...createFinds(db), ...createCounts(db) })

function createFinds(db: Database) {
  const { orderJournal } = db.tables
  const isOpen = isOpenIn(orderJournal)
  const byId = db.prepare(
    db.queries
      .select()
      .from(orderJournal)
      .where(eq(orderJournal.id, sql.placeholder('id'))),
    'journal_by_id',
  )
  const ofKey = prepareRowWithKey(db)

  return {
    async find(id: string): Promise<JournalRow | undefined> {
      return (await byId.execute({ id }))[0]
    },

    /**
     * The order that holds an idempotency key of a client.
     * @throws StoreUnwritableError when it cannot be read
     */
    async findByKey(clientRef: number, key: string): Promise<JournalRow | undefined> {
      try {
        return (await ofKey.execute({ clientRef, key }))[0]
      } catch (error) {
        throw db.toStoreError(error)
      }
    },

    /** Orders without a final state, oldest first. */
    listOpen: async (): Promise<JournalRow[]> =>
      db.queries
        .select()
        .from(orderJournal)
        .where(isOpen)
        .orderBy(asc(orderJournal.createdAtMs), asc(orderJournal.id)),

    /** Whether a client has an order since a time whose outcome is unknown. */
    async isInDoubt(clientRef: number, sinceMs: number): Promise<boolean> {
      const rows = await db.queries
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
  }
}

function createCounts(db: Database) {
  const { orderJournal } = db.tables
  const isOpen = isOpenIn(orderJournal)
  return {
    /** How many orders have no final state, by state. */
    async countOpen(): Promise<Record<(typeof OPEN_ORDER_STATES)[number], number>> {
      const rows = await db.queries
        .select({ state: orderJournal.state, count: count() })
        .from(orderJournal)
        .where(isOpen)
        .groupBy(orderJournal.state)
      const counts = Object.fromEntries(rows.map((row) => [row.state, row.count]))
      return { queued: 0, sent: 0, unknown: 0, ...counts }
    },

    /** How many requests have an unknown outcome, by their endpoints. */
    async countUnknown(): Promise<{ method: string; endpoint: string; count: number }[]> {
      const { method, endpoint, state } = orderJournal
      return db.queries
        .select({ method, endpoint, count: count() })
        .from(orderJournal)
        .where(and(isOpen, eq(state, 'unknown')))
        .groupBy(method, endpoint)
    },

    /**
     * What the orders since a time are worth together, by client and minute. Those that were not
     * placed do not count.
     */
    async dayValues(sinceMs: number): Promise<MinuteValue[]> {
      const minute = sql<number>`${orderJournal.createdAtMs} / 60000`
      // A number also when the sum is too large to be exact.
      const valueMicros = sql<number>`cast(sum(${orderJournal.valueMicros}) as double precision)`
      return db.queries
        .select({ clientRef: orderJournal.clientRef, minute, valueMicros })
        .from(orderJournal)
        .where(
          and(
            gte(orderJournal.createdAtMs, sinceMs),
            isNotNull(orderJournal.valueMicros),
            notInArray(orderJournal.state, ['dropped', 'refused', 'queued']),
            mayBePlacedIn(orderJournal),
          ),
        )
        .groupBy(orderJournal.clientRef, minute)
        .orderBy(orderJournal.clientRef, minute)
    },
  }
}

/** Finds the order that holds an idempotency key of a client. */
export function prepareRowWithKey({ tables: { orderJournal }, ...db }: Database) {
  return db.prepare(
    db.queries
      .select()
      .from(orderJournal)
      .where(
        and(
          eq(orderJournal.clientRef, sql.placeholder('clientRef')),
          eq(orderJournal.idempotencyKey, sql.placeholder('key')),
        ),
      ),
    'journal_by_key',
  )
}

/** When the journal's writes change an order. */
export function changeableIn({ state, orderKey, handedOverAtMs }: Tables['orderJournal']) {
  const isQueued = eq(state, 'queued')
  return {
    /** An order that has ended under this id, or that another owner has, is not this one. */
    hasNotEnded: and(inArray(state, ['queued', 'sent']), isNull(handedOverAtMs)),
    /** A restored order that waited when the backup was made may have no key yet. */
    needsKey: or(isQueued, and(eq(state, 'unknown'), isNull(orderKey))),
    isHandedOver: and(isQueued, isNotNull(handedOverAtMs)),
    isSent: eq(state, 'sent'),
    isInDoubt: inArray(state, ['sent', 'unknown']),
    isUnknown: eq(state, 'unknown'),
    isOpen: inArray(state, [...OPEN_ORDER_STATES]),
  }
}

/** What an order was filled with, with the average price of that: it does not fall. */
export function filledWith(
  { filled, averagePrice }: Tables['orderJournal'],
  given: SQL,
  price: SQL,
): { filled: SQL; averagePrice: SQL } {
  const isMore = sql`cast(${filled} as numeric) > cast(${given} as numeric)`
  const keeps = sql`cast(${given} as numeric) is null or ${isMore}`
  return {
    filled: sql`case when ${keeps} then ${filled} else ${given} end`,
    averagePrice: sql`case when ${keeps} then ${averagePrice} else coalesce(${price}, ${averagePrice}) end`,
  }
}

/** Orders that were both placed and settled before a time. */
export const isOldIn = (
  { createdAtMs, settledAtMs, state }: Tables['orderJournal'],
  beforeMs: number,
): SQL | undefined =>
  and(lt(createdAtMs, beforeMs), lt(settledAtMs, beforeMs), inArray(state, [...FINAL_ORDER_STATES]))

/** Literals, as in the partial index: it is used for no others. */
function isOpenIn({ state }: Tables['orderJournal']): SQL {
  return sql`${state} in (${sql.raw(OPEN_ORDER_STATES.map((name) => `'${name}'`).join(', '))})`
}

/** Whether an order was not found to have been placed nowhere. */
export const mayBePlacedIn = ({ state, statusCode }: Tables['orderJournal']): SQL | undefined =>
  or(ne(state, 'resolved'), ne(statusCode, NOT_CARRIED_OUT_STATUS))
