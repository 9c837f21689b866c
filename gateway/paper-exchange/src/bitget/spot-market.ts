import { type DepthLevel, depthAround } from '../depth.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, PublicCall } from '../family.ts'
import { spotTick } from '../market.ts'
import type { RateLimit } from '../rate-limits.ts'
import { bitgetProblems } from './rejection.ts'
import {
  spotMarketNamed,
  spotMarkets,
  spotRulesOf,
  toSymbolView,
  toTickerView,
} from './spot-views.ts'

/** So many requests in a second, independently for every endpoint. */
export const perSecond = (max: number): RateLimit => ({ max, windowMs: 1_000 })

const DEPTH_MAX = 150

/** Public endpoints of Bitget spot, below `/api/v2/spot`. */
export const spotMarketEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/public/symbols',
    access: 'public',
    limit: perSecond(20),
    respond: (call) => wantedMarkets(call).map(toSymbolView),
  },
  {
    method: 'GET',
    path: '/market/tickers',
    access: 'public',
    limit: perSecond(20),
    respond: (call) => wantedMarkets(call).map((market) => toTickerView(call.venue, market)),
  },
  {
    method: 'GET',
    path: '/market/orderbook',
    access: 'public',
    limit: perSecond(20),
    respond(call) {
      call.params.choice('type', ['step0', 'step1', 'step2', 'step3', 'step4', 'step5'])
      const limit = call.params.integer('limit') ?? DEPTH_MAX
      return levelsOf(call, Math.min(limit, DEPTH_MAX))
    },
  },
  {
    method: 'GET',
    path: '/market/merge-depth',
    access: 'public',
    limit: perSecond(20),
    respond(call) {
      const precision =
        call.params.choice('precision', ['scale0', 'scale1', 'scale2', 'scale3']) ?? 'scale0'
      const tick = spotTick(
        spotRulesOf(spotMarketNamed(call.venue, call.params.required('symbol'))),
      )
      return {
        ...levelsOf(call, mergeLimit(call.params.text('limit'))),
        scale: tick.toFixed(),
        precision,
        isMaxPrecision: 'NO',
      }
    },
  },
]

function wantedMarkets({ venue, params }: PublicCall) {
  const symbol = params.text('symbol')
  return symbol === undefined ? spotMarkets(venue) : [spotMarketNamed(venue, symbol)]
}

function levelsOf({ venue, params }: PublicCall, limit: number): Record<string, Json> {
  const market = spotMarketNamed(venue, params.required('symbol'))
  if (limit < 1) throw bitgetProblems.malformed('limit')
  const { asks, bids } = depthAround(venue.prices, market, {
    tick: spotTick(spotRulesOf(market)),
    limit,
  })
  return { asks: asks.map(toTexts), bids: bids.map(toTexts), ts: `${venue.nowMs()}` }
}

const toTexts = ({ price, size }: DepthLevel): Json => [price.toFixed(), size.toFixed()]

/** The page allows 1, 5, 15, 50 and max; 100 when absent. @throws BitgetRejection */
export function mergeLimit(text: string | undefined): number {
  const limit = { 1: 1, 5: 5, 15: 15, 50: 50, 100: 100, max: 200 }[text ?? '100']
  if (limit === undefined) throw bitgetProblems.malformed('limit')
  return limit
}
