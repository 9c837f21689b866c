import type { FastifyInstance } from 'fastify'
import {
  bgAllPositions,
  bgFuturesDetail,
  bgFuturesHistory,
  bgFuturesTicker,
  bgSinglePosition,
  bgSpotHistory,
  bgSpotOrderbook,
  bgSpotOrderInfo,
  bgSpotTickers,
  type Endpoint,
  type QueryOf,
} from 'schema'
import type { BitgetAccountApi, BitgetCalls } from '../../exchanges/bitget/account-api.ts'
import {
  futuresTickerCall,
  spotOrderbookCall,
  spotTickersCall,
} from '../../exchanges/bitget/market-calls.ts'
import { listOf, orderbook } from '../../exchanges/bitget/results.ts'
import { documentedRead } from '../../http/reads.ts'
import { requestContextOf } from '../../http/request-context.ts'
import { routeOf } from '../../http/route.ts'
import type { BgCalls } from './bg-calls.ts'

/** The documented reads of market data, which are the same for every account. */
export const BG_MARKET_READS = [
  documentedRead(bgSpotTickers, spotTickersCall, listOf),
  documentedRead(bgFuturesTicker, futuresTickerCall, listOf),
  documentedRead(bgSpotOrderbook, spotOrderbookCall, orderbook),
]

/**
 * The documented reads of the account. The balances are in a file of their own, because they cache
 * the account's id.
 */
const ACCOUNT_READS = [
  accountRead(bgSpotOrderInfo, (api, calls, query) => api.spotOrder(calls, query)),
  accountRead(bgSpotHistory, (api, calls, query) => api.spotHistory(calls, query)),
  accountRead(bgFuturesDetail, (api, calls, query) => api.futuresOrder(calls, query)),
  accountRead(bgFuturesHistory, (api, calls, query) => api.futuresHistory(calls, query)),
  accountRead(bgAllPositions, (api, calls, query) => api.allPositions(calls, query)),
  accountRead(bgSinglePosition, (api, calls, query) => api.singlePosition(calls, query)),
]

interface AccountRead {
  readonly endpoint: Endpoint
  read(api: BitgetAccountApi, calls: BitgetCalls, query: unknown): Promise<unknown>
}

/** One row of the table of reads. */
function accountRead<const E extends Endpoint>(
  endpoint: E,
  read: (api: BitgetAccountApi, calls: BitgetCalls, query: QueryOf<E>) => Promise<unknown>,
): AccountRead {
  // The route's schema has already checked the query.
  return { endpoint, read: (api, calls, query) => read(api, calls, query as QueryOf<E>) }
}

/** Adds a route for each read of the account. The endpoint declares its class in the lane. */
export function addAccountReads(app: FastifyInstance, calls: BgCalls): void {
  for (const { endpoint, read } of ACCOUNT_READS) {
    app.route({
      ...routeOf(endpoint),
      handler: async (request, reply) => {
        const data = await calls.make(
          requestContextOf(request, reply),
          (api, bitget) => read(api, bitget, request.query),
          endpoint.proxy?.requestClass,
        )
        return { success: true, data }
      },
    })
  }
}
