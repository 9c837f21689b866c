import type { Decimal, Json } from '../exact-numbers.ts'
import { type Endpoint, type PublicCall, publicGet } from '../family.ts'
import type { Market } from '../market.ts'
import { candlesOf, stepOf } from '../prices.ts'
import { bitgetProblems, perSecond } from './calls.ts'

interface Tape {
  /** The market that a call names. @throws BitgetRejection */
  readonly marketOf: (call: PublicCall) => Market
  /** Its trades, newest first. */
  readonly tradesOf: (call: PublicCall, market: Market) => readonly Traded[]
  readonly tradesPerSecond: number
}

/**
 * Public trade data that spot and futures present alike: candles and trades, each at two addresses.
 */
export function tapeEndpoints({ marketOf, tradesOf, tradesPerSecond }: Tape): Endpoint[] {
  const candles = (call: PublicCall) => candleRows(call, marketOf(call))
  const trades = (call: PublicCall) => tapeRows(call, tradesOf(call, marketOf(call)))
  return [
    publicGet('/market/candles', perSecond(20), candles),
    publicGet('/market/history-candles', perSecond(20), candles),
    publicGet('/market/fills', perSecond(tradesPerSecond), trades),
    publicGet('/market/fills-history', perSecond(tradesPerSecond), trades),
  ]
}

const ROWS_USUAL = 100
const ROWS_MAX = 500

interface Traded {
  readonly id: string
  readonly order: { readonly market: Market; readonly side: 'buy' | 'sell' }
  readonly price: Decimal
  readonly size: Decimal
  readonly isMaker: boolean
  readonly atMs: number
}

interface PublicTrade {
  readonly id: string
  readonly market: Market
  readonly price: Decimal
  readonly size: Decimal
  /** The taker's. */
  readonly side: 'buy' | 'sell'
  readonly atMs: number
}

/** What anyone may know of trades, at most `limit` of them. */
export function publicTrades(
  { params }: PublicCall,
  trades: readonly Traded[],
): readonly PublicTrade[] {
  const limit = Math.min(params.integer('limit') ?? ROWS_USUAL, ROWS_MAX)
  return trades.slice(0, limit).map(({ id, order, price, size, isMaker, atMs }) => ({
    id,
    market: order.market,
    price,
    size,
    side: takerSideOf({ order, isMaker }),
    atMs,
  }))
}

/** The maker's side is the opposite of it. */
export const takerSideOf = ({
  order,
  isMaker,
}: Pick<Traded, 'order' | 'isMaker'>): 'buy' | 'sell' =>
  (order.side === 'buy') === isMaker ? 'sell' : 'buy'

/** Public trades as v2 lists them. */
function tapeRows(call: PublicCall, trades: readonly Traded[]): Json {
  return publicTrades(call, trades).map(({ id, market, price, size, side, atMs }) => ({
    symbol: market.name,
    tradeId: id,
    side,
    price: price.toFixed(),
    size: size.toFixed(),
    ts: `${atMs}`,
  }))
}

const CANDLES_MAX = 1_000
const CANDLES_USUAL = 100

// Spot says 1min and 1h, futures 1m and 1H; "utc" moves only where a day begins, which no price
// here knows.
const units = {
  m: 'min',
  min: 'min',
  h: 'hour',
  H: 'hour',
  D: 'day',
  day: 'day',
  W: 'week',
  week: 'week',
  M: 'month',
} as const

/**
 * Candles by `startTime`, `endTime`, `limit` and their length, which v2 calls `granularity` and v3
 * `interval`; oldest first, all text. @throws BitgetRejection
 */
export function candleRows(
  { venue, params, request }: PublicCall,
  market: Market,
  lengthName: 'granularity' | 'interval' = 'granularity',
): readonly string[][] {
  const span = {
    stepMs: stepMsOf(params.required(lengthName), lengthName),
    fromMs: params.integer('startTime'),
    toMs: params.integer('endTime') ?? request.nowMs,
    limit: Math.min(params.integer('limit') ?? CANDLES_USUAL, CANDLES_MAX),
  }
  return candlesOf(venue.prices, market, span).map(({ openedAtMs, open, high, low, close }) => [
    `${openedAtMs}`,
    open.toFixed(),
    high.toFixed(),
    low.toFixed(),
    close.toFixed(),
    '1',
    close.toFixed(),
    close.toFixed(),
  ])
}

function stepMsOf(length: string, name: string): number {
  const [, count = '', unit = ''] = /^(\d{1,2})([A-Za-z]+?)(?:utc)?$/.exec(length) ?? []
  const known = Object.entries(units).find(([word]) => word === unit)?.[1]
  if (known === undefined) throw bitgetProblems.malformed(name)
  return stepOf(Number(count), known)
}

const FUNDING_CYCLE_MS = 8 * 3_600_000

/** What holding a contract costs; v2 and v3 say it alike. */
export const fundingRate = ({ request }: PublicCall, market: Market): Json => ({
  symbol: market.name,
  fundingRate: '0.0001',
  fundingRateInterval: '8',
  nextUpdate: `${(Math.floor(request.nowMs / FUNDING_CYCLE_MS) + 1) * FUNDING_CYCLE_MS}`,
  minFundingRate: '-0.003',
  maxFundingRate: '0.003',
})
