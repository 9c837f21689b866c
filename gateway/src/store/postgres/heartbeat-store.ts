import { asc, eq, sql } from 'drizzle-orm'
import type { HeartbeatStore } from '../heartbeat-store.ts'
import type { Db } from './open.ts'
import { heartbeats } from './tables.ts'
import { unsyncedValue, writingOnce } from './write.ts'

export function createHeartbeatStore(db: Db): HeartbeatStore {
  const value = sql.placeholder
  const { ttlMs } = heartbeats
  const put = db
    .insert(heartbeats)
    .values({
      clientRef: value('clientRef'),
      ttlMs: unsyncedValue(sql`${sql.param(value('ttlMs'), ttlMs)}::bigint`),
      lastAtMs: value('lastAtMs'),
    })
    .onConflictDoUpdate({
      target: heartbeats.clientRef,
      set: { ttlMs: sql`excluded.ttl_ms`, lastAtMs: sql`excluded.last_at_ms` },
    })
    .prepare('heartbeat_put')

  return {
    async list() {
      return db.select().from(heartbeats).orderBy(asc(heartbeats.clientRef))
    },

    async put(row) {
      await writingOnce(db, () => put.execute({ ...row }))
    },

    async remove(clientRef) {
      await writingOnce(db, () => db.delete(heartbeats).where(eq(heartbeats.clientRef, clientRef)))
    },
  }
}
