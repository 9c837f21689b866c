import type { JournalRow, JournalStore } from '../store/journal-store.ts'
import type { StoredAnswer } from '../upstream/stored-response.ts'
import { GatewayRestartedError } from './errors.ts'
import type { Reconciler } from './reconcile.ts'

export interface RecoverDeps {
  readonly journal: Pick<JournalStore, 'listOpen' | 'settle' | 'markUnknown'>
  readonly reconciler: Pick<Reconciler, 'watch'>
  readonly toAnswer: (error: unknown, requestId: string) => StoredAnswer
  readonly nowMs: () => number
  /** A sent order whose outcome is still unknown. */
  readonly onUnknown?: (row: JournalRow) => void
}

/**
 * Brings the journal to the truth after a stop without warning: what waited was not sent, and what was sent is
 * looked up, before any new order. Returns how many of each.
 */
export async function recoverJournal(
  deps: RecoverDeps,
): Promise<{ dropped: number; sent: number }> {
  const { journal, reconciler, toAnswer, nowMs, onUnknown } = deps
  let dropped = 0
  let sent = 0
  for (const row of await journal.listOpen()) {
    if (row.state === 'queued') {
      await journal.settle(row.id, {
        state: 'dropped',
        ...toAnswer(new GatewayRestartedError(), row.id),
        settledAtMs: nowMs(),
        releasesKey: true,
      })
      dropped += 1
    } else {
      await journal.markUnknown(row.id)
      onUnknown?.(row)
      reconciler.watch(row.id, 0)
      sent += 1
    }
  }
  return { dropped, sent }
}
