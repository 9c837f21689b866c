import type { FastifyInstance } from 'fastify'
import { alertOnEvents } from '../alerts/alert-on-events.ts'
import { createAlerting } from '../alerts/create-alerting.ts'
import type { Config } from '../config.ts'
import { readDiskSpace } from '../operations/disk-space.ts'
import { readLastBackup } from '../operations/record-backup.ts'
import { measureEvents } from '../plugins/metrics/measure-events.ts'
import { createMetrics } from '../plugins/metrics/metrics.ts'
import type { NodeRow } from '../store/node-store.ts'
import type { Stores } from '../store/stores.ts'
import type { Time } from '../time.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { UpstreamsDeps } from '../upstream/create-upstreams.ts'
import { Events, logEvents } from '../upstream/events.ts'
import { watchPace } from '../upstream/window-watch.ts'
import type { AppOptions } from './app-options.ts'

/** Loads OpenTelemetry only when a collector is configured. */
export async function startTracing(
  app: FastifyInstance,
  { tracing }: Config,
): Promise<Tracing | undefined> {
  if (tracing === undefined) return undefined
  const module = await import('../tracing/tracing.ts')
  return module.startTracing(app, tracing)
}

interface WatchingDeps {
  readonly app: FastifyInstance
  readonly config: Config
  readonly options: AppOptions
  readonly stores: Stores
  readonly clocks: UpstreamsDeps['clocks']
  readonly time: Time
  /** This node in its group. */
  readonly self: () => Pick<NodeRow, 'nodeId' | 'nodeUrl'>
}

/** Creates metrics and alerts, and the readings of disk and backup that both use. */
export function createWatching(deps: WatchingDeps) {
  const { app, config, options, stores, clocks, time, self } = deps
  const { file, apiKeys, approvals, facts, nodes } = stores
  const measured = createMetrics()
  const diskSpace =
    options.alerts?.diskSpace ??
    (async () => (file === undefined ? undefined : readDiskSpace(file.path)))
  const lastBackupMs = () => readLastBackup(stores.facts)
  const alerts = createAlerting({
    webhook: config.alertWebhook,
    pausesMs: options.alerts?.pausesMs,
    checkEveryMs: options.alerts?.checkEveryMs,
    auditHeads: { head: () => stores.audit.head(), everyMs: config.auditHeadEveryMs },
    log: app.log,
    ...{ time, apiKeys, approvals, facts, nodes, self },
    readEveryMs: options.alerts?.readEveryMs,
    clocks,
    diskSpace,
    lastBackupMs,
    backupMaxAgeMs: config.backupMaxAgeMs,
    onSent: measured.alerts.ended,
  })
  return { measured, diskSpace, lastBackupMs, alerts }
}

export type Watching = ReturnType<typeof createWatching>

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
  alertOnEvents(events, alerts)
  watchPace(events, ratePerSecond)
  if (tracing !== undefined) events.on('call', tracing.called)
  return events
}
