import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'

/** For a busy machine; nothing waits for it to pass. */
const PATIENCE_MS = 60_000

/**
 * Resolves once so many statements of a database, or more, wait for a lock; for 0, once none does.
 * A worker of autovacuum may wait beside them.
 */
export async function untilWaiting(client: pg.Client, count: number): Promise<void> {
  for (const untilMs = performance.now() + PATIENCE_MS; ; await setTimeout(5)) {
    const { rowCount } = await client.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and backend_type = 'client backend'`,
    )
    const waiting = rowCount ?? 0
    if (count === 0 ? waiting === 0 : waiting >= count) return
    if (performance.now() > untilMs) throw new Error(`${waiting} statements wait, not ${count}`)
  }
}
