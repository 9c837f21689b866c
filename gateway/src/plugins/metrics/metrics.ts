import type { FastifyReply, FastifyRequest } from 'fastify'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import {
  ALERT_TYPES,
  EXCHANGES,
  type ExchangeCode,
  FINAL_ORDER_STATES,
  LIMIT_CODES,
  OPEN_ORDER_STATES,
} from 'schema'
import type { AlertBoard } from '../../alerts/alert-board.ts'
import { signInAttemptOf } from '../../http/client-budget.ts'
import type { ConnectionCounts } from '../../http/connections.ts'
import type { DiskSpace } from '../../operations/disk-space.ts'
import type { ApiKeyListRow } from '../../store/api-key-store.ts'
import type { FinalState, JournalStore } from '../../store/journal-store.ts'
import type { Events, LimitReached } from '../../upstream/events.ts'
import { createLaneMetrics, createUpstreamMetrics } from './exchange-metrics.ts'
import { createNodeMetrics, createProcessMetrics } from './node-metrics.ts'
import { createStreamMetrics, measureStreams } from './stream-metrics.ts'

/**
 * All metrics, in a registry of this app. The parts of the gateway report to it; counting costs a
 * few microseconds. The plugin that serves the metrics closes it.
 */
export function createMetrics() {
  const registry = new Registry()
  return {
    registry,
    http: createHttpMetrics(registry),
    connections: createConnectionMetrics(registry),
    lanes: createLaneMetrics(registry),
    upstream: createUpstreamMetrics(registry),
    orders: createOrderMetrics(registry),
    limits: createLimitMetrics(registry),
    heartbeats: createHeartbeatMetrics(registry),
    alerts: createAlertMetrics(registry),
    keys: createKeyMetrics(registry),
    nodes: createNodeMetrics(registry),
    streams: createStreamMetrics(registry),
    store: createStoreMetrics(registry),
    process: createProcessMetrics(registry),
  }
}
export type Metrics = ReturnType<typeof createMetrics>

/** Raised alerts, and deliveries to the webhook. */
function createAlertMetrics(registry: Registry) {
  const raised = new Gauge({
    name: 'sluice_alerts_raised',
    help: 'Active alerts, by type',
    labelNames: ['type'] as const,
    registers: [registry],
  })
  const deliveries = new Counter({
    name: 'sluice_alert_deliveries_total',
    help: 'Alerts for the webhook by result: delivered, or lost after all attempts',
    labelNames: ['result'] as const,
    registers: [registry],
  })
  for (const result of ['delivered', 'lost'] as const) deliveries.inc({ result }, 0)

  return {
    ended: (result: 'delivered' | 'lost') => deliveries.inc({ result }),

    refresh(board: Pick<AlertBoard, 'raised'>): void {
      for (const type of ALERT_TYPES) raised.set({ type }, board.raised(type).length)
    },
  }
}

/** Connections of callers to the gateway. */
function createConnectionMetrics(registry: Registry) {
  const registers = [registry]
  const open = new Gauge({
    name: 'sluice_connections_open',
    help: 'Open connections of callers',
    registers,
  })
  const refused = new Counter({
    name: 'sluice_connections_refused_total',
    help: 'Connections closed at once, by the limit that they exceeded',
    labelNames: ['limit'] as const,
    registers,
  })
  return {
    refresh(counts: ConnectionCounts): void {
      open.set(counts.open)
      refused.reset()
      refused.inc({ limit: 'all' }, counts.refused.all)
      refused.inc({ limit: 'address' }, counts.refused.address)
    },
  }
}

/** The dead man's switches of clients. */
function createHeartbeatMetrics(registry: Registry) {
  const missed = new Counter({
    name: 'sluice_heartbeats_missed_total',
    help: 'Clients that were stopped because their heartbeat did not come',
    registers: [registry],
  })
  return { missed: () => missed.inc() }
}

/** Seconds; a proxied request waits in the queue for up to three minutes. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 180]

/**
 * Requests and their responses. Label values come from the catalogue or this program, never from a
 * request's path: paths are unlimited.
 */
function createHttpMetrics(registry: Registry) {
  const requests = new Counter({
    name: 'sluice_http_requests_total',
    help: 'Requests, by endpoint of the catalogue, status and class',
    labelNames: ['route', 'status', 'class'] as const,
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'sluice_http_request_duration_seconds',
    help: 'Time from the arrival of a request until its response is sent, including the time in the queue',
    labelNames: ['exchange', 'class'] as const,
    buckets: BUCKETS,
    registers: [registry],
  })
  const errors = new Counter({
    name: 'sluice_http_errors_total',
    help: 'Requests that got an error response, by its stable code',
    labelNames: ['code'] as const,
    registers: [registry],
  })
  // A counter that appears with its first error has not increased, as Prometheus sees it.
  errors.inc({ code: 'INTERNAL_ERROR' }, 0)
  const attempts = new Counter({
    name: 'sluice_sign_ins_total',
    help: 'Attempts to sign in (kind admin) and to get a token (kind client), by result',
    labelNames: ['kind', 'result'] as const,
    registers: [registry],
  })
  for (const kind of ['admin', 'client'] as const)
    for (const result of ['ok', 'refused', 'throttled'] as const) attempts.inc({ kind, result }, 0)

  return (request: FastifyRequest, reply: FastifyReply) => {
    const { endpoint, stream } = request.routeOptions.config
    const route = endpoint?.id ?? 'other'
    const { requestClass = 'none', exchange = 'none' } = endpoint?.proxy ?? {}
    // On an exchange's own paths the policy determines the class.
    const kind = request.rawCall?.kind ?? requestClass
    const status = reply.statusCode
    requests.inc({ route, status, class: kind })
    // A stream lasts as long as its bot wants.
    if (stream === undefined) seconds.observe({ exchange, class: kind }, reply.elapsedTime / 1000)
    if (request.errorCode !== null) errors.inc({ code: request.errorCode })
    const attempt = signInAttemptOf(request, reply)
    if (attempt !== undefined) attempts.inc({ ...attempt })
  }
}

const DAY_MS = 86_400_000

const WITHDRAWAL = [
  ['yes', true],
  ['no', false],
  ['unknown', null],
] as const

/** The stored exchange keys. No label names a client: the alert does. */
function createKeyMetrics(registry: Registry) {
  const daysLeft = new Gauge({
    name: 'sluice_exchange_key_days_left',
    help: 'Fewest days until one of the stored keys expires, where the exchange reports it',
    labelNames: ['exchange'] as const,
    registers: [registry],
  })
  const withdrawal = new Gauge({
    name: 'sluice_exchange_keys',
    help: 'Stored keys, by whether they may withdraw',
    labelNames: ['exchange', 'withdrawal'] as const,
    registers: [registry],
  })
  return {
    refresh(
      rows: readonly Pick<ApiKeyListRow, 'exchange' | 'expiresAtMs' | 'canWithdraw'>[],
      nowMs: number,
    ): void {
      daysLeft.reset()
      for (const exchange of EXCHANGES)
        for (const [label, value] of WITHDRAWAL)
          withdrawal.set(
            { exchange, withdrawal: label },
            rows.filter((row) => row.exchange === exchange && row.canWithdraw === value).length,
          )
      for (const exchange of EXCHANGES) {
        const ends = rows.flatMap((row) =>
          row.exchange === exchange && row.expiresAtMs !== null ? [row.expiresAtMs] : [],
        )
        if (ends.length > 0) daysLeft.set({ exchange }, (Math.min(...ends) - nowMs) / DAY_MS)
      }
    },
  }
}

const MODES = ['enforce', 'shadow'] as const

/** Requests that limits of clients refused, or in shadow mode would have. */
function createLimitMetrics(registry: Registry) {
  const refusals = new Counter({
    name: 'sluice_limit_refusals_total',
    help: 'Requests that a limit of their client refused, or in shadow mode would have, by code',
    labelNames: ['code', 'mode'] as const,
    registers: [registry],
  })
  for (const code of LIMIT_CODES) for (const mode of MODES) refusals.inc({ code, mode }, 0)

  return {
    reached: ({ code, mode }: Pick<LimitReached, 'code' | 'mode'>) => refusals.inc({ code, mode }),
  }
}

const ENDS = [...FINAL_ORDER_STATES, 'unknown'] as const

/** The journal of orders: how many are open, and how orders end. */
function createOrderMetrics(registry: Registry) {
  const open = new Gauge({
    name: 'sluice_orders_open',
    help: 'Unsettled orders and cancels in the journal, by state',
    labelNames: ['state'] as const,
    registers: [registry],
  })
  const ends = new Counter({
    name: 'sluice_orders_total',
    help: 'Orders and cancels since the start, by outcome; unknown ones count again as resolved once they are found',
    labelNames: ['exchange', 'state'] as const,
    registers: [registry],
  })
  for (const exchange of EXCHANGES) for (const state of ENDS) ends.inc({ exchange, state }, 0)

  return {
    ended: (exchange: ExchangeCode, state: FinalState | 'unknown') => ends.inc({ exchange, state }),

    /** Counts the open orders; the journal has an index for it. */
    async refresh(journal: Pick<JournalStore, 'countOpen'>): Promise<void> {
      const counts = await journal.countOpen()
      for (const state of OPEN_ORDER_STATES) open.set({ state }, counts[state])
    },
  }
}

/** The database and its disk. */
function createStoreMetrics(registry: Registry) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] })
  const writable = gauge(
    'sluice_store_writable',
    '1 when the last write to the database succeeded and none waits for a second; while it is 0, no order is sent',
  )
  const free = gauge('sluice_disk_free_bytes', 'Free space on the disk of the database')
  const size = gauge('sluice_disk_size_bytes', 'Size of the disk of the database')
  const reserveUsed = gauge(
    'sluice_disk_reserve_used',
    '1 while the disk is full and the gateway writes into its reserve; then it takes no new orders',
  )
  const unindexed = gauge(
    'sluice_log_unindexed_rows',
    'Rows of the request log that its index lacks; filters examine them one by one',
  )
  const backup = gauge(
    'sluice_backup_last_timestamp_seconds',
    'When the last backup was made, in seconds since 1970; 0: none was',
  )
  return {
    refreshBackup(lastMs = 0): void {
      backup.set(lastMs / 1_000)
    },
    refreshReserve(isUsed: boolean): void {
      reserveUsed.set(Number(isUsed))
    },
    refreshIndex(unindexedRows: number): void {
      unindexed.set(unindexedRows)
    },
    refresh(isWritable: boolean, disk: DiskSpace | undefined): void {
      writable.set(Number(isWritable))
      if (disk === undefined) return
      free.set(disk.freeBytes)
      size.set(disk.sizeBytes)
    },
  }
}

/** Subscribes the metrics to the events. */
export function measureEvents(
  events: Pick<Events, 'on'>,
  {
    lanes,
    upstream,
    orders,
    limits,
    heartbeats,
    streams,
  }: Pick<Metrics, 'lanes' | 'upstream' | 'orders' | 'limits' | 'heartbeats' | 'streams'>,
): void {
  measureStreams(events, streams)
  events.on('dispatch', ({ exchange, dispatch }) => lanes.dispatched(exchange, dispatch))
  events.on('paceViolated', lanes.violated)
  events.on('call', upstream.called)
  events.on('keptLookedFor', upstream.keptLookedFor)
  events.on('limitReached', limits.reached)
  events.on('clientSilent', heartbeats.missed)
  events.on('orderSettled', ({ order, state }) => orders.ended(order.exchange, state))
  events.on('orderResolved', ({ order, outcome }) => {
    if (outcome !== 'repeated') orders.ended(order.exchange, 'resolved')
  })
  // Orders that a restart found were already counted by the previous process.
  events.on('orderUnknown', ({ order, isRecovered, repeats }) => {
    if (!isRecovered && repeats.length === 0) orders.ended(order.exchange, 'unknown')
  })
}
