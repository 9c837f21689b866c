import { decimal, type Json } from '../exact-numbers.ts'
import { type Endpoint, type PublicCall, publicGet } from '../family.ts'
import type { Market } from '../market.ts'
import { type Candle, candlesOf, depthAround, stepOf } from '../prices.ts'
import type { RateLimit } from '../rate-limits.ts'
import type { Venue } from '../venue.ts'
import { futuresProblems } from './futures-family.ts'
import {
  contractMarkets,
  contractName,
  contractNamed,
  contractRulesOf,
  toVol,
} from './futures-views.ts'

/** So many requests in 2 s, independently for every endpoint (MEXC contract pages, April 2026). */
export const perTwoSeconds = (max: number): RateLimit => ({ max, windowMs: 2_000 })

const DEPTH_MAX = 1_000

/** Public endpoints of MEXC futures, below `/api/v1/contract`. */
export const futuresMarketEndpoints: readonly Endpoint[] = [
  publicGet('/contract/ping', perTwoSeconds(20), ({ request }) => request.nowMs),
  publicGet('/contract/detail', perTwoSeconds(10), (call) => forOneOrAll(call, toDetailView)),
  publicGet('/contract/ticker', perTwoSeconds(20), (call) =>
    forOneOrAll(call, (market) => toTickerView(call.venue, market)),
  ),
  publicGet('/contract/depth/:symbol', perTwoSeconds(20), ({ venue, request, params }) => {
    const market = contractNamed(venue, request.pathParams.symbol ?? '')
    const limit = params.integer('limit') ?? 100
    if (limit < 1 || limit > DEPTH_MAX) throw futuresProblems.malformed('limit')
    const { priceTick: tick } = contractRulesOf(market)
    const { bids, asks } = depthAround(venue.prices, market, { tick, limit })
    const numbers = ({ price, size }: (typeof bids)[number]) => [price, toVol(market, size), 1]
    return {
      asks: asks.map(numbers),
      bids: bids.map(numbers),
      version: venue.bookVersion.current,
      timestamp: venue.nowMs(),
    }
  }),
]

/** An object when a symbol is asked for, else the list of all. */
function forOneOrAll({ venue, params }: PublicCall, view: (market: Market) => Json): Json {
  const symbol = params.text('symbol')
  return symbol === undefined
    ? contractMarkets(venue).map(view)
    : view(contractNamed(venue, symbol))
}

/** The rules of a contract (docs/exchanges/mexc-futures.md, 4.2). */
function toDetailView(market: Market): Json {
  const rules = contractRulesOf(market)
  return {
    symbol: contractName(market),
    displayName: `${contractName(market)} PERPETUAL`,
    displayNameEn: `${contractName(market)} PERPETUAL`,
    positionOpenType: 3,
    baseCoin: market.base,
    quoteCoin: market.quote,
    settleCoin: market.quote,
    contractSize: rules.contractSize,
    minLeverage: 1,
    maxLeverage: rules.maxLeverage,
    priceScale: rules.priceScale,
    volScale: 0,
    amountScale: 4,
    priceUnit: rules.priceTick,
    volUnit: 1,
    minVol: toVol(market, rules.minSize),
    maxVol: toVol(market, rules.maxSize),
    takerFeeRate: rules.takerFeeRate,
    makerFeeRate: rules.makerFeeRate,
    maintenanceMarginRate: rules.maintenanceRate,
    initialMarginRate: rules.maintenanceRate.times(2),
    state: rules.isOpen ? 0 : 4,
    apiAllowed: rules.isOpenToApi,
  }
}

export function toTickerView(venue: Venue, market: Market): Json {
  const { last, open, high, low } = venue.prices.of(market)
  const { bid, ask } = venue.prices.quote(market, contractRulesOf(market).priceTick)
  return {
    symbol: contractName(market),
    lastPrice: last,
    bid1: bid,
    ask1: ask,
    volume24: 100_000,
    amount24: last.times(100_000),
    holdVol: 50_000,
    lower24Price: low,
    high24Price: high,
    riseFallRate: last.minus(open).dividedBy(open).decimalPlaces(6),
    riseFallValue: last.minus(open),
    indexPrice: last,
    fairPrice: last,
    fundingRate: 0.0001,
    maxBidPrice: last.times('1.2'),
    minAskPrice: last.times('0.8'),
    timestamp: venue.nowMs(),
  }
}

const CANDLES_MAX = 2_000
const DEALS_MAX = 100
const FUNDING_CYCLE_MS = 8 * 3_600_000
const FUNDING_RATE = decimal('0.0001')

const stepsMs: Readonly<Record<string, number>> = {
  Min1: stepOf(1, 'min'),
  Min5: stepOf(5, 'min'),
  Min15: stepOf(15, 'min'),
  Min30: stepOf(30, 'min'),
  Min60: stepOf(1, 'hour'),
  Hour4: stepOf(4, 'hour'),
  Hour8: stepOf(8, 'hour'),
  Day1: stepOf(1, 'day'),
  Week1: stepOf(1, 'week'),
  Month1: stepOf(1, 'month'),
}

/**
 * What was traded on MEXC futures, at which prices, and what holding costs; public, below
 * `/api/v1`.
 */
export const futuresTapeEndpoints: readonly Endpoint[] = [
  publicGet('/contract/deals/:symbol', perTwoSeconds(20), deals),
  publicGet('/contract/kline/:symbol', perTwoSeconds(20), klines),
  publicGet('/contract/funding_rate/:symbol', perTwoSeconds(20), (call) => ({
    symbol: contractName(pathMarket(call)),
    fundingRate: FUNDING_RATE,
    maxFundingRate: FUNDING_RATE.times(20),
    minFundingRate: FUNDING_RATE.times(-20),
    collectCycle: 8,
    nextSettleTime: (Math.floor(call.request.nowMs / FUNDING_CYCLE_MS) + 1) * FUNDING_CYCLE_MS,
    timestamp: call.request.nowMs,
  })),
  pricePoint('/contract/index_price/:symbol', 'indexPrice'),
  pricePoint('/contract/fair_price/:symbol', 'fairPrice'),
]

const pathMarket = ({ venue, request }: PublicCall): Market =>
  contractNamed(venue, request.pathParams.symbol ?? '')

function pricePoint(path: string, name: string): Endpoint {
  return publicGet(path, perTwoSeconds(20), (call) => {
    const market = pathMarket(call)
    return {
      symbol: contractName(market),
      [name]: call.venue.prices.of(market).last,
      timestamp: call.request.nowMs,
    }
  })
}

/**
 * `T` 1 a buy, 2 a sale by the taker; `O` 3 no statement on the position; `M` 2 not with itself.
 */
function deals(call: PublicCall): Json {
  const market = pathMarket(call)
  const limit = Math.min(call.params.integer('limit') ?? DEALS_MAX, DEALS_MAX)
  return call.venue.contracts
    .tape(market)
    .slice(0, limit)
    .map(({ price, size, order, isMaker, atMs }) => ({
      p: price,
      v: toVol(market, size),
      T: (order.side === 'buy') === isMaker ? 2 : 1,
      O: 3,
      M: 2,
      t: atMs,
    }))
}

function klines(call: PublicCall): Json {
  const { params, request, venue } = call
  const stepMs = stepsMs[params.text('interval') ?? 'Min1']
  if (stepMs === undefined) throw futuresProblems.malformed('interval')
  const [fromSeconds, toSeconds] = [params.integer('start'), params.integer('end')]
  const candles = candlesOf(venue.prices, pathMarket(call), {
    stepMs,
    fromMs: fromSeconds === undefined ? undefined : fromSeconds * 1_000,
    toMs: toSeconds === undefined ? request.nowMs : toSeconds * 1_000,
    limit: CANDLES_MAX,
  })
  const column = (value: (candle: Candle) => Json) => candles.map(value)
  return {
    time: column(({ openedAtMs }) => openedAtMs / 1_000),
    open: column(({ open }) => open),
    close: column(({ close }) => close),
    high: column(({ high }) => high),
    low: column(({ low }) => low),
    vol: column(() => 1),
    amount: column(({ close }) => close),
  }
}
