import { createHash, timingSafeEqual } from 'node:crypto'
import { createError } from '@fastify/error'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { EXCHANGES, type ExchangeCode, getMetrics } from 'schema'
import type { AlertBoard } from '../../alerts/alert-board.ts'
import type { ConnectionCounts } from '../../http/connections.ts'
import { isFromThisMachine } from '../../http/proxies.ts'
import { routeOf } from '../../http/route.ts'
import type { Lane } from '../../lane/lane-types.ts'
import type { DiskSpace } from '../../operations/disk-space.ts'
import type { ApiKeyStore } from '../../store/api-key-store.ts'
import { isStoreFailure } from '../../store/errors.ts'
import type { JournalStore } from '../../store/journal-store.ts'
import type { LogStore } from '../../store/log-store.ts'
import type { NodeStore } from '../../store/node-store.ts'
import type { Time } from '../../time.ts'
import type { ExchangeClock } from '../../upstream/clock.ts'
import type { JudgedResponse } from '../../upstream/judged-response.ts'
import type { Metrics } from './metrics.ts'
import type { NodeNow } from './node-metrics.ts'

export interface MetricsOptions {
  readonly metrics: Metrics
  /** The bearer token that may read the metrics; absent: only this machine may. */
  readonly token: string | undefined
  readonly lanes: Readonly<Record<ExchangeCode, Pick<Lane<JudgedResponse>, 'snapshot'>>>
  readonly clocks: Readonly<Record<ExchangeCode, Pick<ExchangeClock, 'offsetMs'>>>
  readonly connections: ConnectionCounts
  readonly journal: Pick<JournalStore, 'countOpen'>
  readonly log: Pick<LogStore, 'writable' | 'unindexedRows'>
  readonly apiKeys: Pick<ApiKeyStore, 'list'>
  readonly board: Pick<AlertBoard, 'raised'>
  readonly diskSpace: () => Promise<DiskSpace | undefined>
  /** When the last backup was made; undefined: none yet. */
  readonly lastBackupMs: () => Promise<number | undefined>
  /** Whether the disk is full and the gateway writes into its reserve. */
  readonly isOnReserve: () => boolean
  readonly nodeNow: () => NodeNow
  /** Undefined: this gateway is alone on its database. */
  readonly nodes: Pick<NodeStore, 'read'> | undefined
  readonly time: Pick<Time, 'now' | 'sleep'>
}

/** Serves `GET /metrics`, and counts every response. Gauges are read at the time of the request. */
export const metrics = fp<MetricsOptions>(
  async (app, options) => {
    const { lanes, clocks, journal, log, apiKeys, board, diskSpace, time } = options
    const { registry, http, ...of } = options.metrics
    const guard = createMetricsGuard(options.token)
    const readStored = withinMoment(
      [
        () => of.orders.refresh(journal),
        async () => of.nodes.refreshGroup(await options.nodes?.read()),
        async () => of.keys.refresh(await apiKeys.list(), time.now()),
        async () => of.store.refreshBackup(await options.lastBackupMs()),
        async () => of.store.refreshIndex(await log.unindexedRows()),
      ],
      time,
      (err) => app.log.error({ err }, 'a metric could not be read'),
    )

    app.addHook('onResponse', (request, reply, done) => {
      http(request, reply)
      done()
    })
    app.addHook('onClose', async () => of.process.close())

    app.route({
      ...routeOf(getMetrics),
      onRequest: async (request) => guard(request),
      handler: async (_request, reply) => {
        for (const exchange of EXCHANGES) {
          of.lanes.refresh(exchange, lanes[exchange].snapshot())
          of.upstream.clock(exchange, clocks[exchange].offsetMs())
        }
        of.upstream.refreshRemaining()
        of.connections.refresh(options.connections)
        of.nodes.refresh(options.nodeNow())
        await readStored()
        of.store.refreshReserve(options.isOnReserve())
        of.store.refresh(log.writable().ok, await diskSpace())
        of.alerts.refresh(board)
        of.process.refresh()
        return reply.type(registry.contentType).send(await registry.metrics())
      },
    })
  },
  { name: 'metrics', fastify: '5.x' },
)

/** A database that does not answer must not keep the metrics that report it from being read. */
const READ_MS = 700

/**
 * Makes reads of the database one after another, and waits for them for a moment at most. What is
 * late is known at the next call; it is not started again meanwhile.
 * @param onError gets what is no failure of the database
 */
function withinMoment(
  reads: readonly (() => Promise<void>)[],
  time: Pick<Time, 'sleep'>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<void> | undefined
  const readAll = async () => {
    for (const read of reads)
      await read().catch((error: unknown) => {
        if (!isStoreFailure(error)) onError(error)
      })
    running = undefined
  }
  return async () => {
    running ??= readAll()
    const over = new AbortController()
    const moment = time.sleep(READ_MS, { signal: over.signal }).catch(() => {})
    await Promise.race([running, moment])
    over.abort()
  }
}

const MetricsLocalOnlyError = createError(
  'METRICS_LOCAL_ONLY',
  'Without METRICS_TOKEN, metrics are served only to direct requests from this machine; set it and send it as a bearer token',
  403,
)

class MetricsTokenInvalidError extends createError(
  'METRICS_TOKEN_INVALID',
  'The metrics need their own token: send "Authorization: Bearer <METRICS_TOKEN>"',
  401,
) {
  readonly headers = { 'www-authenticate': 'Bearer' }
}

/**
 * Allows requests with the right token. Without METRICS_TOKEN, only this machine may read the
 * metrics.
 * @throws MetricsTokenInvalidError, MetricsLocalOnlyError
 */
function createMetricsGuard(token: string | undefined): (request: FastifyRequest) => void {
  if (token === undefined)
    return (request) => {
      if (!isFromThisMachine(request)) throw new MetricsLocalOnlyError()
    }
  const expected = digestOf(`Bearer ${token}`)
  return ({ headers }) => {
    if (!timingSafeEqual(digestOf(headers.authorization ?? ''), expected))
      throw new MetricsTokenInvalidError()
  }
}

/** Digests have equal length, so that texts of any length are compared in constant time. */
const digestOf = (text: string) => createHash('sha256').update(text).digest()
