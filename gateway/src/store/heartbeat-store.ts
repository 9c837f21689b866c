import { eq, sql } from 'drizzle-orm'
import type { Db } from './open.ts'
import { heartbeats } from './tables.ts'
import { writing, writingUnsynced } from './write.ts'

export type HeartbeatRow = typeof heartbeats.$inferSelect

/** The heartbeats that clients promised. */
export function createHeartbeatStore(db: Db) {
  const value = sql.placeholder
  const set = { ttlMs: sql`${value('ttlMs')}`, lastAtMs: sql`${value('lastAtMs')}` }
  const put = db
    .insert(heartbeats)
    .values({ clientRef: value('clientRef'), ttlMs: value('ttlMs'), lastAtMs: value('lastAtMs') })
    .onConflictDoUpdate({ target: heartbeats.clientRef, set })
    .prepare()

  return {
    async list(): Promise<HeartbeatRow[]> {
      return db.select().from(heartbeats).all()
    },

    /**
     * Keeps a heartbeat. A power cut may lose the last ones: a start waits at least some seconds
     * for the next. @throws StoreUnwritableError
     */
    async put(row: HeartbeatRow): Promise<void> {
      await writingUnsynced(db, () => put.run({ ...row }))
    },

    /** @throws StoreUnwritableError */
    async remove(clientRef: number): Promise<void> {
      await writing(db, () =>
        db.delete(heartbeats).where(eq(heartbeats.clientRef, clientRef)).run(),
      )
    },
  }
}
export type HeartbeatStore = ReturnType<typeof createHeartbeatStore>
