import type { Stores } from '../store/stores.ts'
import type { Time } from '../time.ts'
import type { OperatorLog } from '../upstream/events.ts'
import { type HousekeepingDeps, startHousekeeping } from './housekeeping.ts'
import { KeyExpiry } from './key-expiry.ts'
import { type RunRegularlyOptions, runRegularly } from './run-regularly.ts'
import { type ServeCommandsDeps, serveCommands } from './serve-commands.ts'

export interface TasksDeps extends Pick<ServeCommandsDeps, 'upstreams'> {
  readonly stores: Pick<
    Stores,
    | 'log'
    | 'tokens'
    | 'secrets'
    | 'journal'
    | 'adminSessions'
    | 'approvals'
    | 'apiKeys'
    | 'queueMinutes'
    | 'nodes'
    | 'facts'
    | 'file'
  >
  readonly time: Time
  readonly logRetentionMs: number
  /** The pauses between removals of old rows; undefined: the usual ones. */
  readonly housekeepingTimes: HousekeepingDeps['times']
  /** The pauses between readings of when keys expire; undefined: the usual ones. */
  readonly keyExpiryTimes: Pick<RunRegularlyOptions, 'firstAfterMs' | 'everyMs'> | undefined
  /** The pauses between checks of all pages; undefined: the usual ones. */
  readonly pageCheckTimes: Pick<RunRegularlyOptions, 'firstAfterMs' | 'everyMs'> | undefined
  readonly log: OperatorLog
}

/** The rows of this time are examined one by one when the log is filtered. */
const INDEX_EVERY_MS = 10_000
/** From the end of one check of all pages to the next. */
const PAGE_CHECK_EVERY_MS = 24 * 3_600_000

/** Starts what runs by itself at intervals. @returns a function that stops it */
export function startTasks(deps: TasksDeps): () => void {
  const { stores, upstreams, time, logRetentionMs, log } = deps
  const nowMs = () => time.now()
  const { file } = stores
  const stopHousekeeping = startHousekeeping({
    log: stores.log,
    tokens: stores.tokens,
    secrets: stores.secrets,
    journal: stores.journal,
    sessions: stores.adminSessions,
    approvals: stores.approvals,
    queueMinutes: stores.queueMinutes,
    nodes: stores.nodes,
    isBackupRunning: () => file?.isBackupRunning() === true,
    times: deps.housekeepingTimes,
    logRetentionMs,
    time,
    onError: (error) => log.error({ err: error }, 'housekeeping failed'),
  })
  const keyExpiry = new KeyExpiry({
    apiKeys: stores.apiKeys,
    upstreams,
    nowMs,
    onFailure: (error, { exchange, clientId }) =>
      log.warn({ err: error, exchange, clientId }, 'when a key expires could not be read'),
  })
  const stopKeyExpiry = runRegularly((signal) => keyExpiry.refresh(signal), {
    ...deps.keyExpiryTimes,
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
    onError: (error) => log.warn({ err: error }, 'the question of a command was not dealt with'),
  })
  const stopPageCheck =
    file &&
    runRegularly((signal) => file.checkAllPages(signal), {
      everyMs: PAGE_CHECK_EVERY_MS,
      ...deps.pageCheckTimes,
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
