import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'

const PATIENCE_MS = 3_000

/** Resolves once so many statements of a database wait for a lock. */
export async function untilWaiting(client: pg.Client, count: number): Promise<void> {
  for (const untilMs = performance.now() + PATIENCE_MS; ; await setTimeout(5)) {
    const { rowCount } = await client.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (rowCount === count) return
    if (performance.now() > untilMs) throw new Error(`${rowCount} statements wait, not ${count}`)
  }
}
