import { eq, sql } from 'drizzle-orm'
import type { HeartbeatRow, HeartbeatStore } from '../heartbeat-store.ts'
import type { Db } from './open.ts'
import { heartbeats } from './tables.ts'
import { writing, writingUnsynced } from './write.ts'

export function createHeartbeatStore(db: Db): HeartbeatStore {
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

    async put(row: HeartbeatRow): Promise<void> {
      await writingUnsynced(db, () => put.run({ ...row }))
    },

    async remove(clientRef: number): Promise<void> {
      await writing(db, () =>
        db.delete(heartbeats).where(eq(heartbeats.clientRef, clientRef)).run(),
      )
    },
  }
}
