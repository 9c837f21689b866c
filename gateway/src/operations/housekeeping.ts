import type { AdminSessionStore } from '../store/admin-session-store.ts'
import { KNOWN_ADDRESS_MS } from '../store/admin-session-store.ts'
import type { ApprovalStore } from '../store/approval-store.ts'
import { inSteps } from '../store/in-steps.ts'
import type { JournalStore } from '../store/journal-store.ts'
import type { LogStore } from '../store/log-store.ts'
import type { NodeStore } from '../store/node-store.ts'
import type { QueueMinuteStore } from '../store/queue-minute-store.ts'
import type { SecretStore } from '../store/secret-store.ts'
import type { TokenStore } from '../store/token-store.ts'
import type { Time } from '../time.ts'
import { type RunRegularlyOptions, runRegularly } from './run-regularly.ts'

export interface HousekeepingDeps {
  readonly log: Pick<LogStore, 'removeOlderThan'>
  readonly tokens: Pick<TokenStore, 'removeExpired'>
  readonly approvals: Pick<ApprovalStore, 'expire' | 'removeOlderThan'>
  readonly secrets: Pick<SecretStore, 'removeExpired'>
  readonly journal: Pick<JournalStore, 'removeOlderThan'>
  readonly queueMinutes: Pick<QueueMinuteStore, 'removeOlderThan'>
  readonly sessions: Pick<AdminSessionStore, 'removeExpired' | 'forgetAddresses'>
  /** Absent: the database is a file, which one gateway uses. */
  readonly nodes?: Pick<NodeStore, 'removeUnseen'> | undefined
  readonly isBackupRunning: () => boolean
  readonly logRetentionMs: number
  readonly time: Time
  readonly onError: (error: unknown) => void
  /** The pauses between two runs; undefined: the usual ones. */
  readonly times?: Pick<RunRegularlyOptions, 'firstAfterMs' | 'everyMs'> | undefined
}

const ROWS_AT_ONCE = 250
/** The longest history of the queues that is shown. */
const QUEUE_HISTORY_MS = 24 * 3_600_000
/** A node that crashed and does not come back is shown for this long. */
const UNSEEN_NODE_MS = 24 * 3_600_000
/**
 * Requests get the event loop and the disk for ten times as long as a step took. The least rest
 * also keeps checkpoints apart, which each 100 steps or so make necessary: they use the disk too.
 */
const REST_PER_STEP = 10
const REST_MS = [100, 1_000] as const
const BACKUP_LOOK_EVERY_MS = 1_000

/**
 * Removes expired rows every hour, in short steps with long rests, so that requests do not notice.
 * Removes nothing while a backup is made: the write-ahead log cannot be emptied then, and each
 * removed row makes it longer.
 * @returns a function that stops it
 */
export function startHousekeeping(deps: HousekeepingDeps): () => void {
  const { log, tokens, secrets, journal, sessions, queueMinutes, approvals } = deps
  const { logRetentionMs, time, onError, times, isBackupRunning } = deps
  // Does not keep the process alive.
  const sleep = (ms: number, signal: AbortSignal) => time.sleep(ms, { signal, ref: false })

  async function run(signal: AbortSignal): Promise<void> {
    const now = time.now()
    const before = now - logRetentionMs
    const options = { signal, rest: (stepMs: number) => rest(stepMs, signal) }
    await backupEnds(signal)
    await log.removeOlderThan(before, ROWS_AT_ONCE, options)
    await inSteps(() => journal.removeOlderThan(before, ROWS_AT_ONCE), options)
    await inSteps(() => tokens.removeExpired(now, ROWS_AT_ONCE), options)
    // At most one for each client.
    await secrets.removeExpired(now)
    await queueMinutes.removeOlderThan(now - QUEUE_HISTORY_MS)
    await inSteps(() => sessions.removeExpired(now, ROWS_AT_ONCE), options)
    await sessions.forgetAddresses(now - KNOWN_ADDRESS_MS)
    await approvals.expire(now)
    await approvals.removeOlderThan(before)
    await deps.nodes?.removeUnseen(UNSEEN_NODE_MS)
  }

  async function rest(stepMs: number, signal: AbortSignal): Promise<void> {
    const [least, most] = REST_MS
    await sleep(Math.min(most, Math.max(least, REST_PER_STEP * stepMs)), signal)
    await backupEnds(signal)
  }

  async function backupEnds(signal: AbortSignal): Promise<void> {
    while (isBackupRunning()) await sleep(BACKUP_LOOK_EVERY_MS, signal)
  }

  return runRegularly(run, { ...times, time, onError })
}
