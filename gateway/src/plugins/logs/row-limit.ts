import { PerMinute } from '../../http/client-budget.ts'
import type { NewLogRow } from '../../store/log-store.ts'
import type { Time, Timer } from '../../time.ts'

export interface RowLimitOptions {
  readonly time: Pick<Time, 'now' | 'setTimeout'>
  /**
   * Called once for each client after a minute in which requests got no row.
   * @param last the row that the last of them would have had
   * @param dropped how many they were
   */
  readonly onDropped: (last: NewLogRow, dropped: number) => void
}

const MINUTE_MS = 60_000

/**
 * Limits how many rows of one kind a client, or all senders without a client together, write to the
 * request log per minute: a flood must neither fill the disk nor push other rows out of sight.
 */
export function createRowLimit({ time, onDropped }: RowLimitOptions) {
  const rows = new PerMinute(() => time.now())
  const dropped = new Map<string, { last: NewLogRow; count: number }>()
  let timer: Timer | undefined

  function report(): void {
    timer?.cancel()
    timer = undefined
    const ended = [...dropped.values()]
    dropped.clear()
    for (const { last, count } of ended) onDropped(last, count)
  }

  function drop(row: NewLogRow): void {
    if (rows.begin()) report()
    const count = dropped.get(keyOf(row))?.count ?? 0
    dropped.set(keyOf(row), { last: row, count: count + 1 })
    // Reports the end of a flood as well.
    timer ??= time.setTimeout(report, MINUTE_MS).unref()
  }

  return {
    /**
     * Whether another row may be written. It is counted in either case.
     * @param perMinute 0: no limit
     */
    admits(row: NewLogRow, perMinute: number): boolean {
      if (rows.begin()) report()
      if (perMinute === 0 || rows.add(keyOf(row)) <= perMinute) return true
      drop(row)
      return false
    },

    /** Counts a request that gets no row in any case. */
    drop,

    /** Reports what is still unreported. */
    close: report,
  }
}
export type RowLimit = ReturnType<typeof createRowLimit>

/** Senders without a client count together. A client id is never empty. */
const keyOf = ({ clientId }: NewLogRow) => clientId ?? ''
