import type { Json } from '../exact-numbers.ts'
import { type Endpoint, type PublicCall, publicGet } from '../family.ts'
import { type Market, PRICE_BAND_RATIO, spotTick } from '../market.ts'
import { type DepthLevel, depthAround } from '../prices.ts'
import type { Venue } from '../venue.ts'
import { perSecond } from './calls.ts'
import { contractRulesOf } from './mix-views.ts'
import { spotRulesOf } from './spot-views.ts'
import { candleRows, fundingRate, publicTrades } from './tape.ts'
import { type Category, requiredCategory, unifiedMarket, wantedMarkets } from './unified-views.ts'

const DEPTH_USUAL = 50
const DEPTH_MAX = 200
const CANDLE_COLUMNS = 7

/** Market data of Bitget v3, below `/api/v3/market`. */
export const unifiedMarketEndpoints: readonly Endpoint[] = [
  publicGet('/instruments', perSecond(20), (call) =>
    wantedMarkets(call).map(
      requiredCategory(call) === 'SPOT' ? toSpotInstrument : toContractInstrument,
    ),
  ),
  publicGet('/tickers', perSecond(20), (call) =>
    wantedMarkets(call).map((market) => toTicker(call.venue, market, requiredCategory(call))),
  ),
  publicGet('/orderbook', perSecond(20), orderBook),
  publicGet('/fills', perSecond(20), (call) => {
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
  publicGet('/candles', perSecond(20), candles),
  publicGet('/history-candles', perSecond(20), candles),
  publicGet('/current-fund-rate', perSecond(20), (call) => [
    fundingRate(call, unifiedMarket(call)),
  ]),
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

/** A spot symbol as v3 lists it. */
function toSpotInstrument(market: Market): Json {
  const rules = spotRulesOf(market)
  return {
    ...toInstrument(market, 'SPOT', rules),
    pricePrecision: `${rules.priceScale}`,
    quantityPrecision: `${rules.sizeScale}`,
    quotePrecision: `${rules.priceScale + rules.sizeScale}`,
    maxSymbolOrderNum: '400',
    maxProductOrderNum: '400',
    areaSymbol: 'no',
  }
}

/** A contract as v3 lists it. */
function toContractInstrument(market: Market): Json {
  const rules = contractRulesOf(market)
  return {
    ...toInstrument(market, 'USDT-FUTURES', rules),
    feeRateUpRatio: '0.005',
    openCostUpRatio: '0.01',
    maxMarketOrderQty: rules.maxSize.toFixed(),
    pricePrecision: `${rules.priceScale}`,
    quantityPrecision: `${rules.sizeStep.decimalPlaces() ?? 0}`,
    quotePrecision: '',
    priceMultiplier: rules.priceTick.toFixed(),
    quantityMultiplier: rules.sizeStep.toFixed(),
    type: 'perpetual',
    maxSymbolOrderNum: '200',
    maxProductOrderNum: '400',
    maxPositionNum: '150',
    offTime: '-1',
    limitOpenTime: '-1',
    deliveryTime: '',
    deliveryStartTime: '',
    deliveryPeriod: '',
    launchTime: '',
    fundInterval: '8',
    minLeverage: '1',
    maxLeverage: `${rules.maxLeverage}`,
  }
}

type Rules = ReturnType<typeof spotRulesOf> | ReturnType<typeof contractRulesOf>

function toInstrument(market: Market, category: Category, rules: Rules): Record<string, Json> {
  return {
    symbol: market.name,
    category,
    baseCoin: market.base,
    quoteCoin: market.quote,
    buyLimitPriceRatio: PRICE_BAND_RATIO.toFixed(),
    sellLimitPriceRatio: PRICE_BAND_RATIO.toFixed(),
    minOrderQty: rules.minSize.toFixed(),
    maxOrderQty: rules.maxSize.toFixed(),
    minOrderAmount: rules.minValue.toFixed(),
    makerFeeRate: rules.makerFeeRate.toFixed(),
    takerFeeRate: rules.takerFeeRate.toFixed(),
    status: rules.isOpen ? 'online' : 'offline',
    maintainTime: '',
  }
}

export function toTicker(venue: Venue, market: Market, category: Category): Json {
  const { last, open, high, low } = venue.prices.of(market)
  const isSpot = category === 'SPOT'
  const tick = isSpot ? spotTick(spotRulesOf(market)) : contractRulesOf(market).priceTick
  const { bid, ask } = venue.prices.quote(market, tick)
  const ticker = {
    category,
    symbol: market.name,
    ts: `${venue.nowMs()}`,
    lastPrice: last.toFixed(),
    openPrice24h: open.toFixed(),
    highPrice24h: high.toFixed(),
    lowPrice24h: low.toFixed(),
    ask1Price: ask.toFixed(),
    bid1Price: bid.toFixed(),
    bid1Size: '1',
    ask1Size: '1',
    price24hPcnt: last.minus(open).dividedBy(open).decimalPlaces(5).toFixed(),
    volume24h: '1000',
    turnover24h: last.times(1000).toFixed(),
  }
  if (isSpot) return ticker
  return {
    ...ticker,
    indexPrice: last.toFixed(),
    markPrice: last.toFixed(),
    fundingRate: '0.0001',
    openInterest: '50000',
    deliveryStartTime: '',
    deliveryTime: '',
    deliveryStatus: '',
  }
}
