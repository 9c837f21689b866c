import { createHash, timingSafeEqual } from 'node:crypto'
import { createError } from '@fastify/error'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { EXCHANGES, getMetrics } from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { isFromThisMachine } from '../../http/proxies.ts'
import { routeOf } from '../../http/route.ts'
import { isStoreFailure } from '../../store/errors.ts'
import type { Time } from '../../time.ts'

type MetricsParts = Pick<
  Parts,
  | 'config'
  | 'connections'
  | 'exchanges'
  | 'isOnReserve'
  | 'nodeNow'
  | 'openStreams'
  | 'stores'
  | 'time'
  | 'watching'
>

/** Serves `GET /metrics`, and counts every response. Gauges are read at the time of the request. */
export const metrics = fp<MetricsParts>(
  async (app, parts) => {
    const { config, connections, exchanges, isOnReserve, nodeNow, stores, time, watching } = parts
    const { lanes, clocks } = exchanges
    const { journal, log, apiKeys, nodes } = stores
    const { registry, http, ...of } = watching.measured
    const guard = createMetricsGuard(config.metricsToken)
    const readStored = withinMoment(
      [
        () => of.orders.refresh(journal),
        async () => of.nodes.refreshGroup(await nodes?.read()),
        async () => of.keys.refresh(await apiKeys.list(), time.now()),
        async () => of.store.refreshBackup(await watching.lastBackupMs()),
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
        of.connections.refresh(connections)
        of.nodes.refresh(nodeNow())
        of.streams.refreshFeeds()
        of.streams.refreshStreams(parts.openStreams)
        await readStored()
        of.store.refreshReserve(isOnReserve())
        of.store.refresh(log.writable().ok, await watching.diskSpace())
        of.alerts.refresh(watching.alerts.board)
        of.process.refresh()
        return reply.type(registry.contentType).send(await registry.metrics())
      },
    })
  },
  { name: 'metrics', fastify: '5.x' },
)

/** A database that does not respond must not keep the metrics that report it from being read. */
const READ_MS = 700

/**
 * Makes reads of the database one after another, and waits for them for a moment at most. What is
 * late is known at the next call; until then it is not started again.
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
