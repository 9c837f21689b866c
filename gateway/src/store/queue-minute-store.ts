import { asc, gte, lt, sql } from 'drizzle-orm'
import type { Db } from './open.ts'
import { queueMinutes } from './tables.ts'
import { writingUnsynced } from './write.ts'

/** What waited at most, by class, and what was sent, in one minute. */
export type QueueMinuteRow = typeof queueMinutes.$inferSelect

/** The history of the queues: a row for each minute and exchange. */
export function createQueueMinuteStore(db: Db) {
  const counts = ['cancel', 'lookup', 'order', 'account', 'market', 'sent'] as const
  const set = Object.fromEntries(
    counts.map((name) => [name, sql`excluded.${sql.identifier(queueMinutes[name].name)}`]),
  )

  return {
    /** The minutes from a moment on, oldest first. */
    async since(atMs: number): Promise<QueueMinuteRow[]> {
      return db
        .select()
        .from(queueMinutes)
        .where(gte(queueMinutes.atMs, atMs))
        .orderBy(asc(queueMinutes.atMs))
        .all()
    },

    /**
     * Stores minutes in place of what was stored for them. A power cut may lose the last ones.
     * @throws StoreUnwritableError
     */
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

    /**
     * Removes the minutes that are older. Usually it is an hour of them.
     * @throws StoreUnwritableError
     */
    async removeOlderThan(beforeMs: number): Promise<number> {
      return writingUnsynced(
        db,
        () => db.delete(queueMinutes).where(lt(queueMinutes.atMs, beforeMs)).run().changes,
      )
    },
  }
}
export type QueueMinuteStore = ReturnType<typeof createQueueMinuteStore>
