import { depthAround } from '../depth.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, PublicCall } from '../family.ts'
import type { Market } from '../market.ts'
import type { RateLimit } from '../rate-limits.ts'
import type { Venue } from '../venue.ts'
import { futuresProblems } from './futures-rejection.ts'
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
  {
    method: 'GET',
    path: '/contract/ping',
    access: 'public',
    limit: perTwoSeconds(20),
    respond: ({ request }) => request.nowMs,
  },
  {
    method: 'GET',
    path: '/contract/detail',
    access: 'public',
    limit: perTwoSeconds(10),
    respond: (call) => forOneOrAll(call, toDetailView),
  },
  {
    method: 'GET',
    path: '/contract/ticker',
    access: 'public',
    limit: perTwoSeconds(20),
    respond: (call) => forOneOrAll(call, (market) => toTickerView(call.venue, market)),
  },
  {
    method: 'GET',
    path: '/contract/depth/:symbol',
    access: 'public',
    limit: perTwoSeconds(20),
    respond({ venue, request, params }) {
      const market = contractNamed(venue, request.pathParams.symbol ?? '')
      const limit = params.integer('limit') ?? 100
      if (limit < 1 || limit > DEPTH_MAX) throw futuresProblems.malformed('limit')
      const { priceTick: tick } = contractRulesOf(market)
      const { bids, asks } = depthAround(venue.prices, market, { tick, limit })
      const numbers = ({ price, size }: (typeof bids)[number]) => [price, toVol(market, size), 1]
      return {
        asks: asks.map(numbers),
        bids: bids.map(numbers),
        version: venue.nowMs(),
        timestamp: venue.nowMs(),
      }
    },
  },
]

/** An object when a symbol is asked for, else the list of all. */
function forOneOrAll({ venue, params }: PublicCall, view: (market: Market) => Json): Json {
  const symbol = params.text('symbol')
  return symbol === undefined
    ? contractMarkets(venue).map(view)
    : view(contractNamed(venue, symbol))
}

/** The rules of a contract (docs/exchanges/mexc.md, 4.2). */
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

function toTickerView(venue: Venue, market: Market): Json {
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
