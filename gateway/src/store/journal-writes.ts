import { and, eq, inArray, lt, sql } from 'drizzle-orm'
import { FINAL_ORDER_STATES, OPEN_ORDER_STATES } from 'schema'
import { ClientGoneError } from './errors.ts'
import { rowWithKey } from './journal-reads.ts'
import type { JournalRow, NewJournalRow, Settlement } from './journal-store.ts'
import type { Db } from './open.ts'
import { orderJournal } from './tables.ts'
import { isOrphan, writing } from './write.ts'

/** The journal's writes. Each write is on disk when its promise resolves. */
export function createJournalWrites(db: Db) {
  return {
    /**
     * Inserts an order as queued.
     * @returns undefined, or the order that already has its idempotency key: then nothing was
     * written
     * @throws ClientGoneError, StoreUnwritableError
     */
    async admit(order: NewJournalRow): Promise<JournalRow | undefined> {
      const { clientRef, idempotencyKey } = order
      try {
        return await writing(db, () =>
          db.transaction(
            (tx) => {
              const first =
                idempotencyKey === null ? undefined : rowWithKey(db, clientRef, idempotencyKey)
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

    /**
     * The order is about to be sent. Nothing may be sent before this resolves.
     * @throws StoreUnwritableError
     */
    async markSent(
      id: string,
      sent: Pick<JournalRow, 'orderKey' | 'clientOrderId' | 'keysRef' | 'sentAtMs'>,
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

    /**
     * The exchange turned a sent order away, and it is queued again.
     * @throws StoreUnwritableError
     */
    async markQueued(id: string): Promise<void> {
      await writing(db, () =>
        db
          .update(orderJournal)
          .set({ state: 'queued', sentAtMs: null })
          .where(and(eq(orderJournal.id, id), eq(orderJournal.state, 'sent')))
          .run(),
      )
    },

    /** The outcome of a sent order is unknown. @throws StoreUnwritableError */
    async markUnknown(id: string): Promise<void> {
      await writing(db, () =>
        db
          .update(orderJournal)
          .set({ state: 'unknown' })
          .where(and(eq(orderJournal.id, id), inArray(orderJournal.state, ['sent', 'unknown'])))
          .run(),
      )
    },

    /** Counts a look-up at the exchange. @throws StoreUnwritableError */
    async countLookup(id: string): Promise<void> {
      await writing(db, () =>
        db
          .update(orderJournal)
          .set({ lookups: sql`${orderJournal.lookups} + 1` })
          .where(eq(orderJournal.id, id))
          .run(),
      )
    },

    /** Sets the final state. A second call changes nothing. @throws StoreUnwritableError */
    async settle(id: string, { releasesKey, ...settlement }: Settlement): Promise<void> {
      await writing(db, () =>
        db
          .update(orderJournal)
          .set({ ...settlement, ...(releasesKey ? { idempotencyKey: null } : {}) })
          .where(and(eq(orderJournal.id, id), inArray(orderJournal.state, [...OPEN_ORDER_STATES])))
          .run(),
      )
    },

    /**
     * Removes at most `limit` orders that were both placed and settled before a time: after a late
     * outcome, the idempotency key is kept as long as after any other.
     * @returns how many were removed
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
