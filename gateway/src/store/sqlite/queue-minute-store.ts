import { asc, gte, lt, sql } from 'drizzle-orm'
import type { QueueMinuteRow, QueueMinuteStore } from '../queue-minute-store.ts'
import type { Db } from './open.ts'
import { queueMinutes } from './tables.ts'
import { writingUnsynced } from './write.ts'

export function createQueueMinuteStore(db: Db): QueueMinuteStore {
  const counts = ['cancel', 'lookup', 'order', 'account', 'market', 'sent'] as const
  const set = Object.fromEntries(
    counts.map((name) => [name, sql`excluded.${sql.identifier(queueMinutes[name].name)}`]),
  )

  return {
    async since(atMs: number): Promise<QueueMinuteRow[]> {
      return db
        .select()
        .from(queueMinutes)
        .where(gte(queueMinutes.atMs, atMs))
        .orderBy(asc(queueMinutes.atMs))
        .all()
    },

    async save(rows: readonly QueueMinuteRow[]): Promise<void> {
      if (rows.length === 0) return
      await writingUnsynced(db, () =>
        db
          .insert(queueMinutes)
          .values([...rows])
          .onConflictDoUpdate({ target: [queueMinutes.atMs, queueMinutes.exchange], set })
          .run(),
      )
    },

    async removeOlderThan(beforeMs: number): Promise<number> {
      return writingUnsynced(
        db,
        () => db.delete(queueMinutes).where(lt(queueMinutes.atMs, beforeMs)).run().changes,
      )
    },
  }
}
