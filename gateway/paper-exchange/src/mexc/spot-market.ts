import type { Json } from '../exact-numbers.ts'
import { type Endpoint, type PublicCall, publicGet } from '../family.ts'
import { spotTick } from '../market.ts'
import { candlesOf, depthAround, stepOf } from '../prices.ts'
import type { SpotTrade } from '../spot-book.ts'
import { badSymbol, noSuchSymbol, publicWeight, spotProblems } from './spot-family.ts'
import { limitOf } from './spot-orders.ts'
import {
  forOneOrAll,
  spotMarketNamed,
  spotMarkets,
  toSymbolView,
  toTickerView,
} from './spot-views.ts'

const DEPTH_MAX = 5_000

const time = publicGet('/time', publicWeight(1), ({ request }) => ({ serverTime: request.nowMs }))

const exchangeInfo = publicGet('/exchangeInfo', publicWeight(25), ({ venue, request, params }) => {
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
})

const depth = publicGet('/depth', publicWeight(3), ({ venue, params }) => {
  const market = spotMarketNamed(venue, params.required('symbol'))
  const rules = market.spot.mx
  if (rules === undefined) throw badSymbol()
  const limit = params.integer('limit') ?? 100
  if (limit < 1 || limit > DEPTH_MAX) throw spotProblems.malformed('limit')
  const { bids, asks } = depthAround(venue.prices, market, { tick: spotTick(rules), limit })
  const texts = (level: (typeof bids)[number]) => [level.price.toFixed(), level.size.toFixed()]
  return {
    lastUpdateId: venue.bookVersion.current,
    bids: bids.map(texts),
    asks: asks.map(texts),
    timestamp: venue.nowMs(),
  }
})

/** Public endpoints of MEXC spot, below `/api/v3`. */
export const spotMarketEndpoints: readonly Endpoint[] = [
  time,
  publicGet('/ping', publicWeight(1), () => ({})),
  exchangeInfo,
  depth,
  publicGet('/defaultSymbols', publicWeight(1), ({ venue }) => ({
    code: 200,
    data: spotMarkets(venue).map(({ name }) => name),
    msg: null,
  })),
  publicGet('/ticker/price', publicWeight(10), (call) =>
    forOneOrAll(call, (market) => ({
      symbol: market.name,
      price: call.venue.prices.of(market).last.toFixed(),
    })),
  ),
  publicGet('/ticker/24hr', publicWeight(25), (call) =>
    forOneOrAll(call, (market) => toTickerView(call.venue, market)),
  ),
  publicGet('/ticker/bookTicker', publicWeight(10), (call) =>
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
  ),
]

const stepsMs: Readonly<Record<string, number>> = {
  '1m': stepOf(1, 'min'),
  '5m': stepOf(5, 'min'),
  '15m': stepOf(15, 'min'),
  '30m': stepOf(30, 'min'),
  '60m': stepOf(1, 'hour'),
  '4h': stepOf(4, 'hour'),
  '1d': stepOf(1, 'day'),
  '1W': stepOf(1, 'week'),
  '1M': stepOf(1, 'month'),
}

/** What was traded on MEXC spot, and at which prices; public, below `/api/v3`. */
export const spotTapeEndpoints: readonly Endpoint[] = [
  publicGet('/trades', publicWeight(5), (call) => tapeOf(call).map(toTradeView)),
  publicGet('/aggTrades', publicWeight(1), (call) => tapeOf(call).map(toAggregateView)),
  publicGet('/klines', publicWeight(1), klines),
  publicGet('/avgPrice', publicWeight(1), ({ venue, params }) => ({
    mins: 5,
    price: venue.prices.of(spotMarketNamed(venue, params.required('symbol'))).last.toFixed(),
  })),
]

function tapeOf({ venue, params }: PublicCall): readonly SpotTrade[] {
  const market = spotMarketNamed(venue, params.required('symbol'))
  return venue.spot.tape(market).slice(0, limitOf({ params, usual: 500, max: 1_000 }))
}

// The maker's side is the opposite of the taker's.
const isBuyerMaker = ({ order, isMaker }: SpotTrade): boolean => (order.side === 'buy') === isMaker

function toTradeView(trade: SpotTrade): Json {
  const { price, size, atMs } = trade
  return {
    id: null,
    price: price.toFixed(),
    qty: size.toFixed(),
    quoteQty: price.times(size).toFixed(),
    time: atMs,
    isBuyerMaker: isBuyerMaker(trade),
    isBestMatch: true,
    tradeType: isBuyerMaker(trade) ? 'ASK' : 'BID',
  }
}

function toAggregateView(trade: SpotTrade): Json {
  const { price, size, atMs } = trade
  return {
    a: null,
    f: null,
    l: null,
    p: price.toFixed(),
    q: size.toFixed(),
    T: atMs,
    m: isBuyerMaker(trade),
    M: true,
  }
}

function klines({ venue, params, request }: PublicCall): Json {
  const market = spotMarketNamed(venue, params.required('symbol'))
  const stepMs = stepsMs[params.required('interval')]
  if (stepMs === undefined) throw spotProblems.malformed('interval')
  const span = {
    stepMs,
    fromMs: params.integer('startTime'),
    toMs: params.integer('endTime') ?? request.nowMs,
    limit: limitOf({ params, usual: 500, max: 1_000 }),
  }
  return candlesOf(venue.prices, market, span).map(({ openedAtMs, open, high, low, close }) => [
    openedAtMs,
    open.toFixed(),
    high.toFixed(),
    low.toFixed(),
    close.toFixed(),
    '1',
    openedAtMs + stepMs,
    close.toFixed(),
  ])
}
