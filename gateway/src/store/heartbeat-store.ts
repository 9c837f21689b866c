import { asc, eq } from 'drizzle-orm'
import { type Database, requireOwner, run } from './database.ts'
import type { Tables } from './tables.ts'

type HeartbeatRow = Tables['heartbeats']['$inferSelect']

/**
 * The heartbeats that clients promised. Its writes throw StoreUnwritableError and NotOwnerError.
 */
export type HeartbeatStore = ReturnType<typeof createHeartbeatStore>

export function createHeartbeatStore(db: Database) {
  const { heartbeats } = db.tables
  return {
    list: async (): Promise<HeartbeatRow[]> =>
      db.queries.select().from(heartbeats).orderBy(asc(heartbeats.clientRef)),

    /**
     * Keeps a heartbeat. A power cut may lose the last ones: a start waits at least some seconds
     * for the next.
     * @param fence as for StopStore.begin
     */
    put: (row: HeartbeatRow, fence?: number): Promise<void> =>
      db.writingUnsynced(function* (tx) {
        const { clientRef: _, ...set } = row
        const target = heartbeats.clientRef
        yield* run(tx.insert(heartbeats).values(row).onConflictDoUpdate({ target, set }))
        yield* requireOwner(db, tx, fence)
      }),

    /** @param fence as for StopStore.begin */
    remove: (clientRef: number, fence?: number): Promise<void> =>
      db.writing(function* (tx) {
        yield* run(tx.delete(heartbeats).where(eq(heartbeats.clientRef, clientRef)))
        yield* requireOwner(db, tx, fence)
      }),
  }
}
