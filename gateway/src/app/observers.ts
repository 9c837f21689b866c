import type { FastifyInstance } from 'fastify'
import { type Alerting, createAlerting } from '../alerts/alerts.ts'
import type { Config } from '../config.ts'
import { templateOf } from '../exchanges/call-table.ts'
import { adapters } from '../exchanges/registry.ts'
import { readDiskSpace } from '../operations/disk-space.ts'
import { readLastBackup } from '../operations/record-backup.ts'
import { createMetrics, measureEvents } from '../plugins/metrics/metrics.ts'
import type { NodeRow } from '../store/node-store.ts'
import type { Reserve, StoreFile } from '../store/stores.ts'
import { runRegularly, type Time } from '../time.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { Upstreams } from '../upstream/create-upstreams.ts'
import { Events, logEvents } from '../upstream/events.ts'
import { watchPace } from '../upstream/window-watch.ts'
import { type KeyRing, type KeyWatchDeps, watchKeys } from '../vault/key-ring.ts'
import type { AppOptions, Core } from './app-options.ts'

/** Loads OpenTelemetry only when a collector is configured. */
export async function startTracing(
  app: FastifyInstance,
  { tracing, upstream: origins }: Config,
): Promise<Tracing | undefined> {
  if (tracing === undefined) return undefined
  const module = await import('../tracing/tracing.ts')
  return module.startTracing(app, tracing, {
    origins,
    templateOf: ({ family, method, path }) => templateOf(adapters.of(family).calls, method, path),
  })
}

/**
 * Creates metrics and alerts, and the readings of disk and backup that both use.
 * @param self this node in its group
 */
export function createWatching(
  { app, config, options, stores, time }: Core,
  clocks: Upstreams['clocks'],
  self: () => Pick<NodeRow, 'nodeId' | 'nodeUrl'>,
) {
  const { file } = stores
  const measured = createMetrics()
  const diskSpace =
    options.alerts?.diskSpace ??
    (async () => (file === undefined ? undefined : readDiskSpace(file.path)))
  const lastBackupMs = () => readLastBackup(stores.facts)
  const alerts = createAlerting({
    webhook: config.alertWebhook,
    pausesMs: options.alerts?.pausesMs,
    checkEveryMs: options.alerts?.checkEveryMs,
    auditHeadEveryMs: config.auditHeadEveryMs,
    log: app.log,
    ...{ stores, time, self },
    readEveryMs: options.alerts?.readEveryMs,
    clocks,
    diskSpace,
    lastBackupMs,
    backupMaxAgeMs: config.backupMaxAgeMs,
    onSent: measured.alerts.ended,
  })
  return { measured, diskSpace, lastBackupMs, alerts }
}

type Watching = ReturnType<typeof createWatching>

/** The event source, with all observers subscribed: log, metrics, alerts and traces. */
export function createEvents(
  { log }: FastifyInstance,
  { measured, alerts }: Watching,
  ratePerSecond: number,
  tracing: Tracing | undefined,
): Events {
  const events = new Events(log)
  logEvents(events, log)
  measureEvents(events, measured)
  alerts.observe(events)
  watchPace(events, ratePerSecond)
  if (tracing !== undefined) events.on('call', tracing.called)
  return events
}

/**
 * Watches the files of the master keys and of the database.
 * @returns a function that stops it
 */
export async function watchFiles(
  { app, options, stores, time, vault }: Core,
  announce: KeyWatchDeps['announce'],
  alerts: Pick<Alerting, 'keyFile' | 'storeDamaged' | 'diskFull'>,
): Promise<() => void> {
  const stopKeys = await watchMasterKeys(app, vault.ring, announce, alerts, options)
  watchFile(app, stores.file, alerts)
  const stopReserve = keepReserve(app, stores.file?.reserve, alerts, time)
  return () => {
    stopKeys()
    stopReserve()
  }
}

/** Loads new master keys while the gateway runs. @returns a function that stops the watch */
function watchMasterKeys(
  { log }: FastifyInstance,
  ring: KeyRing,
  announce: KeyWatchDeps['announce'],
  { keyFile }: Pick<Alerting, 'keyFile'>,
  { keyLookEveryMs }: AppOptions,
): Promise<() => void> {
  if (ring.isNew)
    log.warn(
      { file: ring.file },
      'a new master key was created: keep a copy apart from the database, nothing stored can be opened without it',
    )
  return watchKeys({
    ring,
    announce,
    onChange: (keyIds) => {
      log.info({ keyIds }, 'the master key file was read again')
      keyFile.loaded()
    },
    onError: (error) => {
      log.error({ err: error }, 'the master key file cannot be used')
      keyFile.rejected()
    },
    onStoreError: (error) =>
      log.error(
        { err: error },
        'the database could not be asked which master key it needs, or which ones are loaded could not be recorded in it',
      ),
    everyMs: keyLookEveryMs,
  })
}

/**
 * Reports damage to a database file, and searches it for damage. Call it after the keys are
 * recorded: a damaged database is no longer written, and the start would fail there.
 */
function watchFile(
  { log }: FastifyInstance,
  file: StoreFile | undefined,
  alerts: Pick<Alerting, 'storeDamaged'>,
): void {
  file?.onDamage((error) => {
    log.error(
      { err: error },
      'the database is damaged: stop the gateway, keep a copy of its files, then restore the latest backup or run npm run salvage (docs/operations/recovery.md)',
    )
    alerts.storeDamaged()
  })
  file?.onCheckpointFailed((error) =>
    log.error(
      { err: error },
      'the write-ahead log was not copied into the database file: it grows',
    ),
  )
  file?.checkPages()
}

/** Looking takes some microseconds. */
const RESERVE_EVERY_MS = 10_000

/**
 * Makes the reserve for a full disk now, and again after it was given up. Reports when it is.
 * @returns a function that stops it
 */
function keepReserve(
  { log }: FastifyInstance,
  reserve: Reserve | undefined,
  alerts: Pick<Alerting, 'diskFull'>,
  time: Time,
): () => void {
  if (reserve === undefined) return () => {}
  alerts.diskFull(reserve.state)
  if (reserve.state === 'given-up') log.error(GIVEN_UP)
  reserve.onChange((state) => {
    alerts.diskFull(state)
    if (state === 'given-up') log.error(GIVEN_UP)
    else if (state === 'held') log.info('the reserve for a full disk was made')
  })
  let warned = ''
  const tellOnce = (text: string, error?: unknown) => {
    if (text !== warned) log.warn({ err: error }, text)
    warned = text
  }
  return runRegularly(
    async (signal) => {
      await reserve.check(signal)
      if (reserve.state === 'none')
        tellOnce(
          `there is no room for the reserve of a full disk, so a full disk will also refuse tokens and sign-in: it needs ${(2 * reserve.bytes) / 1024 ** 2} MB of free space (DISK_RESERVE_MB)`,
        )
    },
    {
      firstAfterMs: 0,
      time,
      everyMs: RESERVE_EVERY_MS,
      onError: (error) => tellOnce('the reserve for a full disk cannot be made', error),
    },
  )
}

const GIVEN_UP =
  'the disk is full: the gateway writes into its reserve and takes no new orders until space is freed (docs/operations/recovery.md)'
