import { asc, gte, lt, sql } from 'drizzle-orm'
import type { QueueMinuteStore } from '../queue-minute-store.ts'
import type { Db } from './open.ts'
import { queueMinutes } from './tables.ts'
import { writingUnsynced } from './write.ts'

export function createQueueMinuteStore(db: Db): QueueMinuteStore {
  const counts = ['cancel', 'lookup', 'order', 'account', 'market', 'sent'] as const
  const set = Object.fromEntries(
    counts.map((name) => [name, sql`excluded.${sql.identifier(queueMinutes[name].name)}`]),
  )

  return {
    async since(atMs) {
      return db
        .select()
        .from(queueMinutes)
        .where(gte(queueMinutes.atMs, Math.ceil(atMs)))
        .orderBy(asc(queueMinutes.atMs), asc(queueMinutes.exchange))
    },

    async save(rows) {
      if (rows.length === 0) return
      // One statement changes a row once.
      const last = new Map(rows.map((row) => [`${row.atMs} ${row.exchange}`, row]))
      await writingUnsynced(db, (tx) =>
        tx
          .insert(queueMinutes)
          .values([...last.values()])
          .onConflictDoUpdate({ target: [queueMinutes.atMs, queueMinutes.exchange], set }),
      )
    },

    async removeOlderThan(beforeMs) {
      const { rowCount } = await writingUnsynced(db, (tx) =>
        tx.delete(queueMinutes).where(lt(queueMinutes.atMs, Math.ceil(beforeMs))),
      )
      return rowCount ?? 0
    },
  }
}
