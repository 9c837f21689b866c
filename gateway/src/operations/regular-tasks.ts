import { randomUUID } from 'node:crypto'
import type { ExchangeCode } from 'schema'
import { checkKey, expiryOf, keysOf } from '../exchanges/keys.ts'
import { KNOWN_ADDRESS_MS } from '../store/admin-session-store.ts'
import type { ApiKeyListRow } from '../store/api-key-store.ts'
import { inSteps } from '../store/in-steps.ts'
import type { StoreFile, Stores } from '../store/stores.ts'
import { type RunRegularlyOptions, runRegularly, type Time } from '../time.ts'
import type { OperatorLog } from '../upstream/events.ts'
import { createTimings } from '../upstream/request-context.ts'
import { type ServeCommandsDeps, serveCommands } from './serve-commands.ts'

type Pauses = Pick<RunRegularlyOptions, 'firstAfterMs' | 'everyMs'>

interface TasksOptions extends HousekeepingOptions {
  readonly stores: HousekeepingOptions['stores'] & Pick<Stores, 'apiKeys' | 'facts' | 'file'>
  readonly upstreams: ServeCommandsDeps['upstreams']
  readonly feedTrials: ServeCommandsDeps['feedTrials']
  /** The pauses between readings of when keys expire; undefined: the usual ones. */
  readonly keyExpiryTimes: Pauses | undefined
  /** The pauses between checks of all pages; undefined: the usual ones. */
  readonly pageCheckTimes: Pauses | undefined
}

/** The rows of this time are examined one by one when the log is filtered. */
const INDEX_EVERY_MS = 10_000
/** From the end of one check of all pages to the next. */
const PAGE_CHECK_EVERY_MS = 24 * 3_600_000

/** Starts what runs by itself at intervals. @returns a function that stops it */
export function startTasks(options: TasksOptions): () => void {
  const { stores, upstreams, time, log } = options
  const nowMs = () => time.now()
  const { file } = stores
  const stopHousekeeping = startHousekeeping(options)
  const keyExpiry = new KeyExpiry(options)
  const stopKeyExpiry = runRegularly((signal) => keyExpiry.refresh(signal), {
    ...options.keyExpiryTimes,
    time,
    onError: (error) => log.error({ err: error }, 'reading when keys expire failed'),
  })
  const stopIndexing = runRegularly((signal) => stores.log.updateIndex(nowMs(), signal), {
    firstAfterMs: INDEX_EVERY_MS,
    everyMs: INDEX_EVERY_MS,
    time,
    onError: (error) => log.warn({ err: error }, 'the newest log rows could not be indexed'),
  })
  const stopServing = serveCommands({
    ...{ facts: stores.facts, apiKeys: stores.apiKeys, upstreams, time },
    feedTrials: options.feedTrials,
    onError: (error) => log.warn({ err: error }, 'the question of a command was not dealt with'),
  })
  const stopPageCheck =
    file &&
    runRegularly((signal) => file.checkAllPages(signal), {
      everyMs: PAGE_CHECK_EVERY_MS,
      ...options.pageCheckTimes,
      time,
      onError: (error) => log.error({ err: error }, 'the pages of the database were not checked'),
    })
  return () => {
    stopServing()
    stopPageCheck?.()
    stopHousekeeping()
    stopIndexing()
    stopKeyExpiry()
  }
}

interface HousekeepingOptions {
  readonly stores: Pick<
    Stores,
    | 'adminSessions'
    | 'approvals'
    | 'journal'
    | 'listenKeys'
    | 'log'
    | 'nodes'
    | 'queueMinutes'
    | 'secrets'
    | 'streamEvents'
    | 'tokens'
  > & { readonly file?: Pick<StoreFile, 'isBackupRunning'> }
  readonly logRetentionMs: number
  readonly time: Time
  readonly log: OperatorLog
  /** The pauses between two removals of old rows; undefined: the usual ones. */
  readonly housekeepingTimes?: Pauses | undefined
}

const ROWS_AT_ONCE = 250
/** The longest history of the queues that is shown. */
const QUEUE_HISTORY_MS = 24 * 3_600_000
/** A stream can be resumed for this long. */
const STREAM_EVENTS_MS = 24 * 3_600_000
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
export function startHousekeeping(options: HousekeepingOptions): () => void {
  const { stores, logRetentionMs, time, log, housekeepingTimes } = options
  const { tokens, secrets, journal, adminSessions, queueMinutes, approvals } = stores
  const { streamEvents } = stores
  // Does not keep the process alive.
  const sleep = (ms: number, signal: AbortSignal) => time.sleep(ms, { signal, ref: false })

  async function run(signal: AbortSignal): Promise<void> {
    const now = time.now()
    const before = now - logRetentionMs
    const steps = { signal, rest: (stepMs: number) => rest(stepMs, signal) }
    await backupEnds(signal)
    await stores.log.removeOlderThan(before, ROWS_AT_ONCE, steps)
    await inSteps(() => journal.removeOlderThan(before, ROWS_AT_ONCE), steps)
    const eventsBefore = now - STREAM_EVENTS_MS
    await inSteps(() => streamEvents.removeOlderThan(eventsBefore, ROWS_AT_ONCE), steps)
    await inSteps(() => tokens.removeExpired(now, ROWS_AT_ONCE), steps)
    await inSteps(() => stores.listenKeys.removeExpired(now, ROWS_AT_ONCE), steps)
    // At most one for each client.
    await secrets.removeExpired(now)
    await queueMinutes.removeOlderThan(now - QUEUE_HISTORY_MS)
    await inSteps(() => adminSessions.removeExpired(now, ROWS_AT_ONCE), steps)
    await adminSessions.forgetAddresses(now - KNOWN_ADDRESS_MS)
    await approvals.expire(now)
    await approvals.removeOlderThan(before)
    await stores.nodes?.removeUnseen(UNSEEN_NODE_MS)
  }

  async function rest(stepMs: number, signal: AbortSignal): Promise<void> {
    const [least, most] = REST_MS
    await sleep(Math.min(most, Math.max(least, REST_PER_STEP * stepMs)), signal)
    await backupEnds(signal)
  }

  async function backupEnds(signal: AbortSignal): Promise<void> {
    while (stores.file?.isBackupRunning() === true) await sleep(BACKUP_LOOK_EVERY_MS, signal)
  }

  return runRegularly(run, {
    ...housekeepingTimes,
    time,
    onError: (error) => log.error({ err: error }, 'housekeeping failed'),
  })
}

const DAY_MS = 86_400_000

/**
 * Keeps what is stored of keys up to date, for exchanges whose unbound keys expire: when they do,
 * and whether they may withdraw. It asks about a key at most once a day. Its calls have the lowest
 * class of the queue.
 */
class KeyExpiry {
  readonly #options: TasksOptions
  /** By the id of the keys, when a reading failed. */
  readonly #failedAtMs = new Map<number, number>()

  constructor(options: TasksOptions) {
    this.#options = options
  }

  /** Asks about each key that is due, one after another. */
  async refresh(signal: AbortSignal): Promise<void> {
    const { stores, time, log } = this.#options
    const unsendable = new Set<ExchangeCode>()
    for (const row of (await stores.apiKeys.list()).filter((each) => this.#isDue(each))) {
      if (unsendable.has(row.exchange)) continue
      const askedAtMs = time.now()
      try {
        await this.#read(row, askedAtMs, signal)
      } catch (error) {
        if (signal.aborted) return
        if (isOfTheQueue(error)) unsendable.add(row.exchange)
        else this.#failedAtMs.set(row.id, askedAtMs)
        // What was known of it stays.
        const { exchange, clientId } = row
        log.warn({ err: error, exchange, clientId }, 'when a key expires could not be read')
      }
    }
  }

  #isDue({ id, exchange, expiryReadAtMs }: ApiKeyListRow): boolean {
    if (keysOf(exchange).unboundDays === undefined) return false
    const lastMs = Math.max(expiryReadAtMs ?? 0, this.#failedAtMs.get(id) ?? 0)
    return this.#options.time.now() - lastMs >= DAY_MS
  }

  async #read(row: ApiKeyListRow, askedAtMs: number, signal: AbortSignal): Promise<void> {
    const { stores, upstreams } = this.#options
    const { exchange, clientRef, clientId, accountKind } = row
    // The fallback is not asked: it reports no expiry.
    const { fallback: _, ...protocol } = keysOf(exchange)
    const { method, path: endpoint } = protocol.check(accountKind)
    const context = {
      requestId: randomUUID(),
      ...{ method, endpoint },
      ...{ clientRef, clientId, signal },
      byAdmin: true,
      timings: createTimings(),
    }
    const { daysLeft, canWithdraw } = await checkKey(protocol, accountKind, (call) =>
      upstreams[exchange].ask(context, call, (data) => data, 'market'),
    )
    if (canWithdraw !== null && canWithdraw !== row.canWithdraw)
      await stores.apiKeys.setCanWithdraw(row.id, canWithdraw)
    if (daysLeft === undefined) throw new Error('The response does not say when the key expires')
    const expiresAtMs = expiryOf(daysLeft, askedAtMs, row.expiresAtMs)
    await stores.apiKeys.setExpiry(row.id, { expiresAtMs, readAtMs: askedAtMs })
    this.#failedAtMs.delete(row.id)
  }
}

const KEY_ERRORS: ReadonlySet<unknown> = new Set([
  'EXCHANGE_KEYS_MISSING',
  'EXCHANGE_KEYS_UNREADABLE',
])

/**
 * Whether nothing can be sent to the exchange at the moment: its keys are asked about again in the
 * next run. An error of the keys themselves would only repeat.
 */
function isOfTheQueue(error: unknown): boolean {
  if (!(error instanceof Error) || !('sent' in error) || error.sent !== false) return false
  return !('code' in error && KEY_ERRORS.has(error.code))
}
