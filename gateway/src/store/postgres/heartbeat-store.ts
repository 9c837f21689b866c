import { and, asc, eq, sql } from 'drizzle-orm'
import type { HeartbeatRow, HeartbeatStore } from '../heartbeat-store.ts'
import type { Db } from './open.ts'
import { heartbeats } from './tables.ts'
import { isOwner, requireOwner, unsynced, writingOnce } from './write.ts'

export function createHeartbeatStore(db: Db): HeartbeatStore {
  const put = ({ clientRef, ttlMs, lastAtMs }: HeartbeatRow, fence: number | undefined) =>
    db
      .insert(heartbeats)
      .select(
        sql`select ${clientRef}::bigint, ${ttlMs}::bigint, ${lastAtMs}::bigint
          where ${and(unsynced, isOwner(fence))}`,
      )
      .onConflictDoUpdate({
        target: heartbeats.clientRef,
        set: { ttlMs: sql`excluded.ttl_ms`, lastAtMs: sql`excluded.last_at_ms` },
      })

  return {
    async list() {
      return db.select().from(heartbeats).orderBy(asc(heartbeats.clientRef))
    },

    async put(row, fence) {
      const { rowCount } = await writingOnce(db, () => put(row, fence))
      if (rowCount === 0) await requireOwner(db, fence)
    },

    async remove(clientRef, fence) {
      const { rowCount } = await writingOnce(db, () =>
        db.delete(heartbeats).where(and(eq(heartbeats.clientRef, clientRef), isOwner(fence))),
      )
      if (rowCount === 0) await requireOwner(db, fence)
    },
  }
}
