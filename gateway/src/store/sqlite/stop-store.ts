import { and, eq, isNull } from 'drizzle-orm'
import type { NewAuditEntry } from '../audit-chain.ts'
import { beginningOf, type NewStop, type StopRow, type StopStore } from '../stop-store.ts'
import { recordChange } from './audit-trail.ts'
import type { Db } from './open.ts'
import { clients, stops } from './tables.ts'
import { writing, writingUnsynced } from './write.ts'

export function createStopStore(db: Db): StopStore {
  return {
    async find(scope: string): Promise<StopRow | undefined> {
      return db.select().from(stops).where(eq(stops.scope, scope)).get()
    },

    async listIncomplete(): Promise<StopRow[]> {
      return db
        .select()
        .from(stops)
        .where(
          and(isNull(stops.completedAtMs), isNull(stops.resumedAtMs), eq(stops.cancelOrders, true)),
        )
        .all()
    },

    async begin(stop: NewStop, clientRef?: number, entry?: NewAuditEntry): Promise<StopRow> {
      const { reason, startedAtMs } = stop
      const row = beginningOf(stop)
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

    async update(scope: string, changes: Partial<Omit<StopRow, 'scope'>>): Promise<void> {
      await writingUnsynced(db, () =>
        db.update(stops).set(changes).where(eq(stops.scope, scope)).run(),
      )
    },

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
