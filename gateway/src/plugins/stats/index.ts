import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  EXCHANGES,
  type ExchangeCode,
  type ExchangeStats,
  getStats,
  LOG_WINDOW_HOURS,
  type Stats,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { routeOf } from '../../http/route.ts'
import { toPublicState } from '../../lane/lane-snapshot.ts'
import type { LaneSnapshot } from '../../lane/lane-types.ts'

/** At most this many clients are named in the statistics; the queue page has the rest. */
const CLIENTS_MAX = 50

type StatsParts = Pick<Parts, 'config' | 'exchanges' | 'isPaper' | 'nowMs' | 'stores'>

/** `GET /api/stats`. */
export const stats: FastifyPluginAsyncTypebox<StatsParts> = async (app, parts) => {
  app.route({ ...routeOf(getStats), handler: async () => readStats(parts) })
}

/**
 * The figures that the console shows: the last 24 hours of the log, and the queues as they are now.
 */
async function readStats(parts: StatsParts): Promise<Stats> {
  const { log, tokens } = parts.stores
  const { lanes } = parts.exchanges
  const nowMs = parts.nowMs()
  const [summary, activeTokens] = await Promise.all([
    log.summary(nowMs - LOG_WINDOW_HOURS * 3_600_000, nowMs),
    tokens.countActive(nowMs),
  ])
  const exchanges = EXCHANGES.map((exchange) =>
    toExchangeStats(exchange, lanes[exchange].snapshot(), parts.isPaper(exchange), nowMs),
  )
  return {
    successRate: summary.successRate,
    errorRate: summary.errorRate,
    avgResponseTime: summary.avgResponseMs,
    activeTokens,
    currentRateLimit: parts.config.lane.ratePerSecond,
    queueSize: exchanges.reduce((sum, { queueSize }) => sum + queueSize, 0),
    totalRequests: summary.total,
    exchanges,
  }
}

function toExchangeStats(
  exchange: ExchangeCode,
  snapshot: LaneSnapshot,
  isPaper: boolean,
  nowMs: number,
): ExchangeStats {
  const { lastError } = snapshot
  return {
    exchange,
    environment: isPaper ? 'paper' : 'real',
    state: toPublicState(snapshot.state),
    reason: snapshot.reason,
    rateLimit: snapshot.currentRatePerSecond,
    queueSize: snapshot.queued,
    inFlight: snapshot.inFlight,
    queueByClass: { ...snapshot.queuedByClass },
    queueByClient: snapshot.queuedByClient.slice(0, CLIENTS_MAX).map((entry) => ({ ...entry })),
    longestWaitMs: snapshot.longestWaitMs,
    estimatedWaitMs: snapshot.estimatedWaitMs,
    busiestWaitMs: snapshot.busiestWaitMs,
    lastError:
      lastError === null
        ? null
        : { at: new Date(nowMs - lastError.agoMs).toISOString(), message: lastError.message },
  }
}
