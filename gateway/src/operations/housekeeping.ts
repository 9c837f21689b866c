import type { AdminSessionStore } from '../store/admin-session-store.ts'
import { inSteps } from '../store/in-steps.ts'
import type { JournalStore } from '../store/journal-store.ts'
import type { LogStore } from '../store/log-store.ts'
import type { TokenStore } from '../store/token-store.ts'

export interface HousekeepingDeps {
  readonly log: Pick<LogStore, 'removeOlderThan'>
  readonly tokens: Pick<TokenStore, 'removeExpired'>
  readonly journal: Pick<JournalStore, 'removeOlderThan'>
  readonly sessions: Pick<AdminSessionStore, 'removeExpired'>
  readonly logRetentionMs: number
  readonly nowMs: () => number
  readonly onError: (error: unknown) => void
}

const FIRST_AFTER_MS = 60_000
const EVERY_MS = 3_600_000
const ROWS_AT_ONCE = 250

/**
 * Removes expired rows every hour, in steps too small to disturb requests.
 * @returns a function that stops it
 */
export function startHousekeeping(deps: HousekeepingDeps): () => void {
  const { log, tokens, journal, sessions, logRetentionMs, nowMs, onError } = deps
  const stop = new AbortController()

  async function run(): Promise<void> {
    const now = nowMs()
    const before = now - logRetentionMs
    const { signal } = stop
    await log.removeOlderThan(before, ROWS_AT_ONCE, signal)
    await inSteps(() => journal.removeOlderThan(before, ROWS_AT_ONCE), signal)
    await inSteps(() => tokens.removeExpired(now, ROWS_AT_ONCE), signal)
    await inSteps(() => sessions.removeExpired(now, ROWS_AT_ONCE), signal)
  }

  let timer = setTimeout(tick, FIRST_AFTER_MS).unref()
  function tick(): void {
    run()
      .catch((error: unknown) => {
        if (!stop.signal.aborted) onError(error)
      })
      .finally(() => {
        if (!stop.signal.aborted) timer = setTimeout(tick, EVERY_MS).unref()
      })
  }
  return () => {
    stop.abort()
    clearTimeout(timer)
  }
}
