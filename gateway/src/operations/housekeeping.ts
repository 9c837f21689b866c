import type { AdminSessionStore } from '../store/admin-session-store.ts'
import { inSteps } from '../store/in-steps.ts'
import type { JournalStore } from '../store/journal-store.ts'
import type { LogStore } from '../store/log-store.ts'
import type { TokenStore } from '../store/token-store.ts'
import { runRegularly } from './run-regularly.ts'

export interface HousekeepingDeps {
  readonly log: Pick<LogStore, 'removeOlderThan'>
  readonly tokens: Pick<TokenStore, 'removeExpired'>
  readonly journal: Pick<JournalStore, 'removeOlderThan'>
  readonly sessions: Pick<AdminSessionStore, 'removeExpired'>
  readonly logRetentionMs: number
  readonly nowMs: () => number
  readonly onError: (error: unknown) => void
}

const ROWS_AT_ONCE = 250

/**
 * Removes expired rows every hour, in steps too small to disturb requests.
 * @returns a function that stops it
 */
export function startHousekeeping(deps: HousekeepingDeps): () => void {
  const { log, tokens, journal, sessions, logRetentionMs, nowMs, onError } = deps

  async function run(signal: AbortSignal): Promise<void> {
    const now = nowMs()
    const before = now - logRetentionMs
    await log.removeOlderThan(before, ROWS_AT_ONCE, signal)
    await inSteps(() => journal.removeOlderThan(before, ROWS_AT_ONCE), signal)
    await inSteps(() => tokens.removeExpired(now, ROWS_AT_ONCE), signal)
    await inSteps(() => sessions.removeExpired(now, ROWS_AT_ONCE), signal)
  }

  return runRegularly(run, { onError })
}
