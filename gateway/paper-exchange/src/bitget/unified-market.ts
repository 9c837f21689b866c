import { type DepthLevel, depthAround } from '../depth.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, PublicCall, PublicEndpoint } from '../family.ts'
import { spotTick } from '../market.ts'
import { fundingRate } from './funding-rate.ts'
import { candleRows } from './granularity.ts'
import { contractRulesOf } from './mix-views.ts'
import { perSecond } from './spot-market.ts'
import { spotRulesOf } from './spot-views.ts'
import { publicTrades } from './tape-rows.ts'
import { toContractInstrument, toSpotInstrument, toTicker } from './unified-market-views.ts'
import { requiredCategory, unifiedMarket, wantedMarkets } from './unified-scope.ts'

const DEPTH_USUAL = 50
const DEPTH_MAX = 200
const CANDLE_COLUMNS = 7

const read = (path: string, respond: PublicEndpoint['respond']): Endpoint => ({
  method: 'GET',
  path,
  access: 'public',
  limit: perSecond(20),
  respond,
})

/** Market data of Bitget v3, below `/api/v3/market`. */
export const unifiedMarketEndpoints: readonly Endpoint[] = [
  read('/instruments', (call) =>
    wantedMarkets(call).map(
      requiredCategory(call) === 'SPOT' ? toSpotInstrument : toContractInstrument,
    ),
  ),
  read('/tickers', (call) =>
    wantedMarkets(call).map((market) => toTicker(call.venue, market, requiredCategory(call))),
  ),
  read('/orderbook', orderBook),
  read('/fills', (call) => {
    const market = unifiedMarket(call)
    const { spot, contracts } = call.venue
    const trades = requiredCategory(call) === 'SPOT' ? spot.tape(market) : contracts.tape(market)
    return publicTrades(call, trades).map(({ id, price, size, side, atMs }) => ({
      execId: id,
      price: price.toFixed(),
      size: size.toFixed(),
      side,
      ts: `${atMs}`,
    }))
  }),
  read('/candles', candles),
  read('/history-candles', candles),
  read('/current-fund-rate', (call) => [fundingRate(call, unifiedMarket(call))]),
]

function candles(call: PublicCall): Json {
  return candleRows(call, unifiedMarket(call), 'interval').map((row) =>
    row.slice(0, CANDLE_COLUMNS),
  )
}

function orderBook(call: PublicCall): Json {
  const market = unifiedMarket(call)
  const limit = call.params.integer('limit') ?? DEPTH_USUAL
  if (limit < 1) throw call.params.problems.malformed('limit')
  const isSpot = requiredCategory(call) === 'SPOT'
  const tick = isSpot ? spotTick(spotRulesOf(market)) : contractRulesOf(market).priceTick
  const { asks, bids } = depthAround(call.venue.prices, market, {
    tick,
    limit: Math.min(limit, DEPTH_MAX),
  })
  return { a: asks.map(toTexts), b: bids.map(toTexts), ts: `${call.venue.nowMs()}` }
}

// The SDK's types have text here, ccxt's sample has numbers; clients read both.
const toTexts = ({ price, size }: DepthLevel): Json => [price.toFixed(), size.toFixed()]
