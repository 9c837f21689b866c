import type { Endpoint } from '../family.ts'
import { fundingRate } from './funding-rate.ts'
import { mixAccountEndpoints } from './mix-account.ts'
import { mixBatchEndpoints } from './mix-batch.ts'
import { mixMarketEndpoints } from './mix-market.ts'
import { mixOrderEndpoints } from './mix-orders.ts'
import { mixPlanListEndpoints } from './mix-plan-lists.ts'
import { contractOf } from './mix-scope.ts'
import { mixTpslEndpoints } from './mix-tpsl.ts'
import { perSecond } from './spot-market.ts'
import { tapeEndpoints } from './tape-endpoints.ts'

/**
 * What was traded on Bitget futures, at which prices, and what holding costs; public, below
 * `/api/v2/mix`.
 */
const mixTapeEndpoints: readonly Endpoint[] = [
  ...tapeEndpoints({
    marketOf: contractOf,
    tradesOf: ({ venue }, contract) => venue.contracts.tape(contract),
    tradesPerSecond: 20,
  }),
  {
    method: 'GET',
    path: '/market/symbol-price',
    access: 'public',
    limit: perSecond(20),
    respond(call) {
      const market = contractOf(call)
      const price = call.venue.prices.of(market).last.toFixed()
      const ts = `${call.request.nowMs}`
      return [{ symbol: market.name, price, indexPrice: price, markPrice: price, ts }]
    },
  },
  {
    method: 'GET',
    path: '/market/current-fund-rate',
    access: 'public',
    limit: perSecond(20),
    respond: (call) => [fundingRate(call, contractOf(call))],
  },
]

/** All of Bitget futures, below `/api/v2/mix`. */
export const bitgetMixEndpoints: readonly Endpoint[] = [
  ...mixMarketEndpoints,
  ...mixTapeEndpoints,
  ...mixOrderEndpoints,
  ...mixBatchEndpoints,
  ...mixTpslEndpoints,
  ...mixPlanListEndpoints,
  ...mixAccountEndpoints,
]
