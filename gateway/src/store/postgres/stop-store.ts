import { and, asc, eq, isNull } from 'drizzle-orm'
import { beginningOf, type StopStore } from '../stop-store.ts'
import { recordChange } from './audit-trail.ts'
import type { Db } from './open.ts'
import { clients, stops } from './tables.ts'
import { theRow } from './the-row.ts'
import { changing, isOwner, requireOwner, unsynced, writingOnce } from './write.ts'

export function createStopStore(db: Db): StopStore {
  return {
    async find(scope) {
      const [row] = await db.select().from(stops).where(eq(stops.scope, scope))
      return row
    },

    async listIncomplete() {
      return db
        .select()
        .from(stops)
        .where(
          and(isNull(stops.completedAtMs), isNull(stops.resumedAtMs), eq(stops.cancelOrders, true)),
        )
        .orderBy(asc(stops.startedAtMs), asc(stops.scope))
    },

    async begin(stop, clientRef, entry, fence) {
      const row = beginningOf(stop)
      const { reason: stopReason, startedAtMs: stoppedAtMs } = stop
      return changing(
        db,
        async (tx) => {
          await recordChange(tx, entry)
          if (clientRef !== undefined)
            await tx
              .update(clients)
              .set({ stoppedAtMs, stopReason })
              .where(eq(clients.id, clientRef))
          return theRow(
            await tx
              .insert(stops)
              .values(row)
              .onConflictDoUpdate({ target: stops.scope, set: row })
              .returning(),
          )
        },
        fence,
      )
    },

    async update(scope, changes, fence) {
      const { rowCount } = await writingOnce(db, () =>
        db
          .update(stops)
          .set(changes)
          .where(and(eq(stops.scope, scope), unsynced, isOwner(fence))),
      )
      if (rowCount === 0) await requireOwner(db, fence)
    },

    async resume(scope, atMs, clientRef, entry, fence) {
      return changing(
        db,
        async (tx) => {
          await recordChange(tx, entry)
          if (clientRef !== undefined)
            await tx
              .update(clients)
              .set({ stoppedAtMs: null, stopReason: null })
              .where(eq(clients.id, clientRef))
          await tx
            .update(stops)
            .set({ resumedAtMs: atMs })
            .where(and(eq(stops.scope, scope), isNull(stops.resumedAtMs)))
          const [row] = await tx.select().from(stops).where(eq(stops.scope, scope))
          return row
        },
        fence,
      )
    },
  }
}
