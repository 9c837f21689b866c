import { depthAround } from '../depth.ts'
import type { Endpoint, PublicEndpoint } from '../family.ts'
import { spotTick } from '../market.ts'
import { publicWeight } from './spot-limits.ts'
import { badSymbol, noSuchSymbol, spotProblems } from './spot-rejection.ts'
import {
  forOneOrAll,
  spotMarketNamed,
  spotMarkets,
  toSymbolView,
  toTickerView,
} from './spot-views.ts'

const DEPTH_MAX = 5_000

const time: PublicEndpoint = {
  method: 'GET',
  path: '/time',
  access: 'public',
  limit: publicWeight(1),
  respond: ({ request }) => ({ serverTime: request.nowMs }),
}

const exchangeInfo: PublicEndpoint = {
  method: 'GET',
  path: '/exchangeInfo',
  access: 'public',
  limit: publicWeight(25),
  respond({ venue, request, params }) {
    const names =
      params.text('symbols')?.split(',') ??
      [params.text('symbol')].filter((name) => name !== undefined)
    const markets =
      names.length === 0 ? spotMarkets(venue) : names.map((name) => spotMarketNamed(venue, name))
    return {
      timezone: 'CST',
      serverTime: request.nowMs,
      rateLimits: [],
      exchangeFilters: [],
      symbols: markets.map(toSymbolView),
    }
  },
}

const depth: PublicEndpoint = {
  method: 'GET',
  path: '/depth',
  access: 'public',
  limit: publicWeight(3),
  respond({ venue, params }) {
    const market = spotMarketNamed(venue, params.required('symbol'))
    const rules = market.spot.mx
    if (rules === undefined) throw badSymbol()
    const limit = params.integer('limit') ?? 100
    if (limit < 1 || limit > DEPTH_MAX) throw spotProblems.malformed('limit')
    const { bids, asks } = depthAround(venue.prices, market, { tick: spotTick(rules), limit })
    const texts = (level: (typeof bids)[number]) => [level.price.toFixed(), level.size.toFixed()]
    return {
      lastUpdateId: venue.nowMs(),
      bids: bids.map(texts),
      asks: asks.map(texts),
      timestamp: venue.nowMs(),
    }
  },
}

/** Public endpoints of MEXC spot, below `/api/v3`. */
export const spotMarketEndpoints: readonly Endpoint[] = [
  time,
  { method: 'GET', path: '/ping', access: 'public', limit: publicWeight(1), respond: () => ({}) },
  exchangeInfo,
  depth,
  {
    method: 'GET',
    path: '/defaultSymbols',
    access: 'public',
    limit: publicWeight(1),
    respond: ({ venue }) => ({
      code: 200,
      data: spotMarkets(venue).map(({ name }) => name),
      msg: null,
    }),
  },
  {
    method: 'GET',
    path: '/ticker/price',
    access: 'public',
    limit: publicWeight(10),
    respond: (call) =>
      forOneOrAll(call, (market) => ({
        symbol: market.name,
        price: call.venue.prices.of(market).last.toFixed(),
      })),
  },
  {
    method: 'GET',
    path: '/ticker/24hr',
    access: 'public',
    limit: publicWeight(25),
    respond: (call) => forOneOrAll(call, (market) => toTickerView(call.venue, market)),
  },
  {
    method: 'GET',
    path: '/ticker/bookTicker',
    access: 'public',
    limit: publicWeight(10),
    respond: (call) =>
      forOneOrAll(call, (market) => {
        const rules = market.spot.mx
        if (rules === undefined) throw noSuchSymbol()
        const { bid, ask } = call.venue.prices.quote(market, spotTick(rules))
        return {
          symbol: market.name,
          bidPrice: bid.toFixed(),
          bidQty: '1',
          askPrice: ask.toFixed(),
          askQty: '1',
        }
      }),
  },
]
