import { type DepthLevel, depthAround } from '../depth.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, PublicCall } from '../family.ts'
import type { Market } from '../market.ts'
import { contractOf, isOfProduct, productTypeOf } from './mix-scope.ts'
import { contractMarkets, contractRulesOf, toContractView, toTickerView } from './mix-views.ts'
import { mergeLimit, perSecond } from './spot-market.ts'

/** Public endpoints of Bitget futures, below `/api/v2/mix`. */
export const mixMarketEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/market/contracts',
    access: 'public',
    limit: perSecond(20),
    respond: (call) => wantedMarkets(call).map(toContractView),
  },
  {
    method: 'GET',
    path: '/market/ticker',
    access: 'public',
    limit: perSecond(20),
    respond: (call) => [toTickerView(call.venue, contractOf(call))],
  },
  {
    method: 'GET',
    path: '/market/tickers',
    access: 'public',
    limit: perSecond(20),
    respond: (call) => allMarkets(call).map((market) => toTickerView(call.venue, market)),
  },
  {
    method: 'GET',
    path: '/market/merge-depth',
    access: 'public',
    limit: perSecond(20),
    respond: mergeDepth,
  },
]

function wantedMarkets(call: PublicCall): readonly Market[] {
  return call.params.has('symbol') ? [contractOf(call)] : allMarkets(call)
}

function allMarkets(call: PublicCall): readonly Market[] {
  const productType = productTypeOf(call)
  return contractMarkets(call.venue).filter((market) => isOfProduct(market, productType))
}

function mergeDepth(call: PublicCall): Json {
  const { venue, params } = call
  const market = contractOf(call)
  const tick = contractRulesOf(market).priceTick
  const precision = params.choice('precision', ['scale0', 'scale1', 'scale2', 'scale3']) ?? 'scale0'
  const limit = mergeLimit(params.text('limit'))
  const { asks, bids } = depthAround(venue.prices, market, { tick, limit })
  return {
    asks: asks.map(toNumbers),
    bids: bids.map(toNumbers),
    ts: `${venue.nowMs()}`,
    scale: tick.toFixed(),
    precision,
    isMaxPrecision: 'NO',
  }
}

// Numbers, not text: the futures depth is one of the few places where Bitget has them.
const toNumbers = ({ price, size }: DepthLevel): Json => [price, size]
