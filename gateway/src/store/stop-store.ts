import { and, eq, isNull } from 'drizzle-orm'
import { type NewAuditEntry, recordChange } from './audit-chain.ts'
import type { Db } from './open.ts'
import { clients, stops } from './tables.ts'
import { writing, writingUnsynced } from './write.ts'

export type StopRow = typeof stops.$inferSelect
export type NewStop = Pick<StopRow, 'scope' | 'reason' | 'cancelOrders' | 'startedAtMs'>

/** The stops of clients, of exchanges and of everything: the newest of each. */
export function createStopStore(db: Db) {
  return {
    async find(scope: string): Promise<StopRow | undefined> {
      return db.select().from(stops).where(eq(stops.scope, scope)).get()
    },

    /** Those that still have orders to cancel. */
    async listIncomplete(): Promise<StopRow[]> {
      return db
        .select()
        .from(stops)
        .where(
          and(isNull(stops.completedAtMs), isNull(stops.resumedAtMs), eq(stops.cancelOrders, true)),
        )
        .all()
    },

    /**
     * Begins a stop in place of an earlier one of the same scope.
     * @param clientRef the client that is halted with it
     * @param entry of the audit trail
     * @throws StoreUnwritableError
     */
    async begin(stop: NewStop, clientRef?: number, entry?: NewAuditEntry): Promise<StopRow> {
      const { reason, startedAtMs } = stop
      const row = {
        ...stop,
        // Without orders to cancel, there is nothing that could be interrupted.
        completedAtMs: stop.cancelOrders ? null : startedAtMs,
        ...{ resumedAtMs: null, failed: [] },
        ...{ dropped: 0, inFlight: 0, cancelled: 0 },
      }
      return writing(db, () => {
        recordChange(db, entry)
        if (clientRef !== undefined)
          db.update(clients)
            .set({ stoppedAtMs: startedAtMs, stopReason: reason })
            .where(eq(clients.id, clientRef))
            .run()
        return db
          .insert(stops)
          .values(row)
          .onConflictDoUpdate({ target: stops.scope, set: row })
          .returning()
          .get()
      })
    },

    /** Writes how far a stop is; a power cut may lose it. @throws StoreUnwritableError */
    async update(scope: string, changes: Partial<Omit<StopRow, 'scope'>>): Promise<void> {
      await writingUnsynced(db, () =>
        db.update(stops).set(changes).where(eq(stops.scope, scope)).run(),
      )
    },

    /**
     * Ends a stop, and lets its client place orders again.
     * @returns undefined when there was none
     * @throws StoreUnwritableError
     */
    async resume(
      scope: string,
      atMs: number,
      clientRef?: number,
      entry?: NewAuditEntry,
    ): Promise<StopRow | undefined> {
      return writing(db, () => {
        recordChange(db, entry)
        if (clientRef !== undefined)
          db.update(clients)
            .set({ stoppedAtMs: null, stopReason: null })
            .where(eq(clients.id, clientRef))
            .run()
        db.update(stops)
          .set({ resumedAtMs: atMs })
          .where(and(eq(stops.scope, scope), isNull(stops.resumedAtMs)))
          .run()
        return db.select().from(stops).where(eq(stops.scope, scope)).get()
      })
    },
  }
}
export type StopStore = ReturnType<typeof createStopStore>
