import { candlesOf, stepOf } from '../candles.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, PublicCall } from '../family.ts'
import type { SpotTrade } from '../spot-book.ts'
import { publicWeight } from './spot-limits.ts'
import { limitOf } from './spot-orders.ts'
import { spotProblems } from './spot-rejection.ts'
import { spotMarketNamed } from './spot-views.ts'

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
  {
    method: 'GET',
    path: '/trades',
    access: 'public',
    limit: publicWeight(5),
    respond: (call) => tapeOf(call).map(toTradeView),
  },
  {
    method: 'GET',
    path: '/aggTrades',
    access: 'public',
    limit: publicWeight(1),
    respond: (call) => tapeOf(call).map(toAggregateView),
  },
  { method: 'GET', path: '/klines', access: 'public', limit: publicWeight(1), respond: klines },
  {
    method: 'GET',
    path: '/avgPrice',
    access: 'public',
    limit: publicWeight(1),
    respond: ({ venue, params }) => ({
      mins: 5,
      price: venue.prices.of(spotMarketNamed(venue, params.required('symbol'))).last.toFixed(),
    }),
  },
]

function tapeOf({ venue, params }: PublicCall): readonly SpotTrade[] {
  const market = spotMarketNamed(venue, params.required('symbol'))
  return venue.spot.tape(market).slice(0, limitOf({ params, usual: 500, max: 1_000 }))
}

// The maker's side is the other one of a taker's.
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
