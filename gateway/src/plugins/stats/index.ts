import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  EXCHANGES,
  type ExchangeCode,
  type ExchangeStats,
  getStats,
  LOG_WINDOW_HOURS,
  type Stats,
} from 'schema'
import { routeOf } from '../../http/route.ts'
import { toPublicState } from '../../lane/lane-snapshot.ts'
import type { Lane, LaneSnapshot } from '../../lane/lane-types.ts'
import type { LogStore } from '../../store/log-store.ts'
import type { TokenStore } from '../../store/token-store.ts'
import type { JudgedResponse } from '../../upstream/judged-response.ts'

/** `GET /api/stats`. */
export const stats: FastifyPluginAsyncTypebox<StatsServiceDeps> = async (app, deps) => {
  const service = createStatsService(deps)
  app.route({ ...routeOf(getStats), handler: async () => service.read() })
}

export interface StatsServiceDeps {
  readonly log: Pick<LogStore, 'summary'>
  readonly tokens: Pick<TokenStore, 'countActive'>
  readonly lanes: Readonly<Record<ExchangeCode, Pick<Lane<JudgedResponse>, 'snapshot'>>>
  readonly isPaper: (exchange: ExchangeCode) => boolean
  readonly ratePerSecond: number
  readonly nowMs: () => number
}

/** At most this many clients are named in the statistics; the queue page has the rest. */
const CLIENTS_MAX = 50

/**
 * The figures that the console shows: the last 24 hours of the log, and the queues as they are now.
 */
export function createStatsService(deps: StatsServiceDeps) {
  const { log, tokens, lanes, isPaper, ratePerSecond, nowMs } = deps
  return {
    async read(): Promise<Stats> {
      const now = nowMs()
      const [summary, activeTokens] = await Promise.all([
        log.summary(now - LOG_WINDOW_HOURS * 3_600_000, now),
        tokens.countActive(now),
      ])
      const exchanges = EXCHANGES.map((exchange) =>
        toExchangeStats(exchange, lanes[exchange].snapshot(), isPaper(exchange), now),
      )
      return {
        successRate: summary.successRate,
        errorRate: summary.errorRate,
        avgResponseTime: summary.avgResponseMs,
        activeTokens,
        currentRateLimit: ratePerSecond,
        queueSize: exchanges.reduce((sum, { queueSize }) => sum + queueSize, 0),
        totalRequests: summary.total,
        exchanges,
      }
    },
  }
}
export type StatsService = ReturnType<typeof createStatsService>

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
