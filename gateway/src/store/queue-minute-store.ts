import { asc, gte, lt, sql } from 'drizzle-orm'
import { changedRows, type Database, run } from './database.ts'
import type { Tables } from './tables.ts'

/** What waited at most, by class, and what was sent, in one minute. */
export type QueueMinuteRow = Tables['queueMinutes']['$inferSelect']

/**
 * The history of the queues: a row for each minute and exchange. Its writes throw
 * StoreUnwritableError.
 */
export type QueueMinuteStore = ReturnType<typeof createQueueMinuteStore>

export function createQueueMinuteStore({ tables: { queueMinutes }, ...db }: Database) {
  const counts = ['cancel', 'lookup', 'order', 'account', 'market', 'sent'] as const
  const set = Object.fromEntries(
    counts.map((name) => [name, sql`excluded.${sql.identifier(queueMinutes[name].name)}`]),
  )

  return {
    /** The minutes from a moment on, oldest first. */
    since: async (atMs: number): Promise<QueueMinuteRow[]> =>
      db.queries
        .select()
        .from(queueMinutes)
        .where(gte(queueMinutes.atMs, Math.ceil(atMs)))
        .orderBy(asc(queueMinutes.atMs), asc(queueMinutes.exchange)),

    /** Stores minutes in place of what was stored for them. A power cut may lose the last ones. */
    async save(rows: readonly QueueMinuteRow[]): Promise<void> {
      if (rows.length === 0) return
      // One statement changes a row once.
      const last = new Map(rows.map((row) => [`${row.atMs} ${row.exchange}`, row]))
      await db.writingUnsynced((tx) =>
        run(
          tx
            .insert(queueMinutes)
            .values([...last.values()])
            .onConflictDoUpdate({ target: [queueMinutes.atMs, queueMinutes.exchange], set }),
        ),
      )
    },

    /** Removes the minutes that are older. Usually it is an hour of them. */
    async removeOlderThan(beforeMs: number): Promise<number> {
      const isOld = lt(queueMinutes.atMs, Math.ceil(beforeMs))
      return changedRows(
        await db.writingUnsynced((tx) => run(tx.delete(queueMinutes).where(isOld))),
      )
    },
  }
}
