import type { JournalStore, Settlement } from '../store/journal-store.ts'

export interface SettlerDeps {
  readonly journal: Pick<JournalStore, 'settle'>
  /** The end of an order could not be written down; it is tried again. */
  readonly onFailure: (error: unknown, id: string) => void
}

const RETRY_MS = 1_000

/**
 * Writes down how orders ended. What cannot be written, because the disk is full, is kept and tried again until it can:
 * what happened is told all the same, and a retry gets it from here.
 */
export function createSettler({ journal, onFailure }: SettlerDeps) {
  const owed = new Map<string, Settlement>()
  let timer: NodeJS.Timeout | undefined

  async function settle(id: string, settlement: Settlement): Promise<void> {
    try {
      await journal.settle(id, settlement)
      owed.delete(id)
    } catch (error) {
      if (!owed.has(id)) onFailure(error, id)
      owed.set(id, settlement)
      timer ??= setTimeout(onTimer, RETRY_MS).unref()
    }
  }

  function onTimer(): void {
    timer = undefined
    void settleOwed()
  }

  /** Tries what is owed once more. */
  async function settleOwed(): Promise<void> {
    for (const [id, settlement] of owed) await settle(id, settlement)
  }

  return {
    settle,

    isOwed: (id: string) => owed.has(id),

    /** Tries once more to write down how an order ended. Returns that when it still cannot be written. */
    async retry(id: string): Promise<Settlement | undefined> {
      const settlement = owed.get(id)
      if (settlement !== undefined) await settle(id, settlement)
      return owed.get(id)
    },

    /** Tries all that is owed a last time; what cannot be written the next start finds out again. */
    async close(): Promise<void> {
      clearTimeout(timer)
      await settleOwed()
      clearTimeout(timer)
    },
  }
}
export type Settler = ReturnType<typeof createSettler>
