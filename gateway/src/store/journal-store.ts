import { setImmediate as nextTurn } from 'node:timers/promises'
import { and, asc, count, desc, eq, gte, inArray, lt, ne, or, sql } from 'drizzle-orm'
import { FINAL_ORDER_STATES, OPEN_ORDER_STATES } from 'schema'
import { ClientGoneError } from './errors.ts'
import type { Db } from './open.ts'
import { orderJournal } from './tables.ts'
import { isOrphan, toStoreError, writing } from './write.ts'

export type JournalRow = typeof orderJournal.$inferSelect
export type NewJournalRow = Pick<
  JournalRow,
  | 'id'
  | 'clientRef'
  | 'clientId'
  | 'exchange'
  | 'method'
  | 'endpoint'
  | 'fingerprint'
  | 'idempotencyKey'
  | 'createdAtMs'
>
export type FinalState = (typeof FINAL_ORDER_STATES)[number]

export interface Settlement {
  readonly state: FinalState
  readonly statusCode: number
  readonly contentType: string
  readonly body: string
  readonly settledAtMs: number
  /** The order was proven not sent or not taken: the same key may be used for another try. */
  readonly releasesKey: boolean
}

// Written out as the partial index has it: SQLite does not use that index for bound values.
const openStates = sql.raw(OPEN_ORDER_STATES.map((state) => `'${state}'`).join(', '))
const isOpen = sql`${orderJournal.state} in (${openStates})`

const rowid = sql<number>`rowid`
/** Rows that one statement reads through: about 5 ms. */
const ROWS_AT_ONCE = 1_000

/** The journal of everything that trades. Each write is on disk when its promise resolves. */
export function createJournalStore(db: Db) {
  const byId = db
    .select()
    .from(orderJournal)
    .where(eq(orderJournal.id, sql.placeholder('id')))
    .prepare()

  function rowWithKey(clientRef: number, key: string): JournalRow | undefined {
    return db
      .select()
      .from(orderJournal)
      .where(and(eq(orderJournal.clientRef, clientRef), eq(orderJournal.idempotencyKey, key)))
      .get()
  }

  /** The first and the last row's place; of an empty journal none lies between them. */
  function endsOf(): { oldest: number; newest: number } {
    const ends = (direction: typeof asc | typeof desc) =>
      db.select({ rowid }).from(orderJournal).orderBy(direction(rowid)).limit(1).get()?.rowid ?? 0
    return { oldest: Math.max(ends(asc), 1), newest: ends(desc) }
  }

  return {
    /**
     * Enters an order as queued. Returns undefined, or the order that holds its idempotency key already: then
     * nothing was written.
     * @throws ClientGoneError, StoreUnwritableError
     */
    async admit(order: NewJournalRow): Promise<JournalRow | undefined> {
      const { clientRef, idempotencyKey } = order
      try {
        return await writing(db, () =>
          db.transaction(
            (tx) => {
              const first =
                idempotencyKey === null ? undefined : rowWithKey(clientRef, idempotencyKey)
              if (first !== undefined) return first
              tx.insert(orderJournal)
                .values({ ...order, state: 'queued' })
                .run()
              return undefined
            },
            { behavior: 'immediate' },
          ),
        )
      } catch (cause) {
        throw isOrphan(cause) ? new ClientGoneError({ cause }) : cause
      }
    },

    /** The order goes out now. Nothing may be sent before this resolves. @throws StoreUnwritableError */
    async markSent(
      id: string,
      sent: Pick<JournalRow, 'trace' | 'clientOrderId' | 'keysRef' | 'sentAtMs'>,
    ): Promise<void> {
      const { changes } = await writing(db, () =>
        db
          .update(orderJournal)
          .set({ ...sent, state: 'sent' })
          .where(eq(orderJournal.id, id))
          .run(),
      )
      if (changes === 0) throw new ClientGoneError()
    },

    /** A sent order was turned away and waits again. @throws StoreUnwritableError */
    async markQueued(id: string): Promise<void> {
      await writing(db, () =>
        db
          .update(orderJournal)
          .set({ state: 'queued', sentAtMs: null })
          .where(and(eq(orderJournal.id, id), eq(orderJournal.state, 'sent')))
          .run(),
      )
    },

    /** Nobody knows what became of a sent order. @throws StoreUnwritableError */
    async markUnknown(id: string): Promise<void> {
      await writing(db, () =>
        db
          .update(orderJournal)
          .set({ state: 'unknown' })
          .where(and(eq(orderJournal.id, id), inArray(orderJournal.state, ['sent', 'unknown'])))
          .run(),
      )
    },

    /** The exchange was asked once more. @throws StoreUnwritableError */
    async countLookup(id: string): Promise<void> {
      await writing(db, () =>
        db
          .update(orderJournal)
          .set({ lookups: sql`${orderJournal.lookups} + 1` })
          .where(eq(orderJournal.id, id))
          .run(),
      )
    },

    /** The first final state counts: an order ends once. @throws StoreUnwritableError */
    async settle(id: string, { releasesKey, ...settlement }: Settlement): Promise<void> {
      await writing(db, () =>
        db
          .update(orderJournal)
          .set({ ...settlement, ...(releasesKey ? { idempotencyKey: null } : {}) })
          .where(and(eq(orderJournal.id, id), inArray(orderJournal.state, [...OPEN_ORDER_STATES])))
          .run(),
      )
    },

    async find(id: string): Promise<JournalRow | undefined> {
      return byId.get({ id })
    },

    /** The order that holds an idempotency key of a client. @throws StoreUnwritableError when it cannot be read */
    async findByKey(clientRef: number, key: string): Promise<JournalRow | undefined> {
      try {
        return rowWithKey(clientRef, key)
      } catch (error) {
        throw toStoreError(error)
      }
    },

    /** What has no final state, oldest first. */
    async listOpen(): Promise<JournalRow[]> {
      return db
        .select()
        .from(orderJournal)
        .where(isOpen)
        .orderBy(asc(orderJournal.createdAtMs))
        .all()
    },

    /**
     * Whether an earlier request of the client with that client order id was answered with this order. Reads the journal
     * in steps that leave the event loop free.
     */
    async isToldOfAnother(
      row: JournalRow,
      clientOrderId: string,
      orderId: string,
    ): Promise<boolean> {
      // A request about several orders has their ids in its trace alone.
      const inTrace = sql`instr(${orderJournal.trace}, ${JSON.stringify(clientOrderId)}) > 0`
      const inStretch = db
        .select({ id: orderJournal.id })
        .from(orderJournal)
        .where(
          and(
            sql`rowid between ${sql.placeholder('first')} and ${sql.placeholder('last')}`,
            // The plus keeps SQLite from the client's index, behind which it would read all its orders at once.
            eq(sql`+${orderJournal.clientRef}`, row.clientRef),
            eq(orderJournal.exchange, row.exchange),
            or(eq(orderJournal.clientOrderId, clientOrderId), inTrace),
            ne(orderJournal.id, row.id),
            sql`+${orderJournal.createdAtMs} <= ${row.createdAtMs}`,
            sql`instr(${orderJournal.body}, ${orderId}) > 0`,
          ),
        )
        .limit(1)
        .prepare()
      const { oldest, newest } = endsOf()
      for (let last = newest; last >= oldest; last -= ROWS_AT_ONCE) {
        if (inStretch.get({ first: last - ROWS_AT_ONCE + 1, last }) !== undefined) return true
        await nextTurn()
      }
      return false
    },

    /** Whether a client has an order, made since then, with an unknown outcome. */
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

    /** How many have no final state, by state. */
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

    /**
     * Removes at most `limit` orders that were placed and ended before: the key of an order whose outcome became known
     * a moment ago is kept as long as any other. Returns how many went.
     * @throws StoreUnwritableError
     */
    async removeOlderThan(beforeMs: number, limit: number): Promise<number> {
      const old = db
        .select({ id: orderJournal.id })
        .from(orderJournal)
        .where(
          and(
            lt(orderJournal.createdAtMs, beforeMs),
            lt(orderJournal.settledAtMs, beforeMs),
            inArray(orderJournal.state, [...FINAL_ORDER_STATES]),
          ),
        )
        .limit(limit)
      return writing(
        db,
        () => db.delete(orderJournal).where(inArray(orderJournal.id, old)).run().changes,
      )
    },
  }
}
export type JournalStore = ReturnType<typeof createJournalStore>
