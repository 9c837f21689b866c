import type { Json } from '../exact-json.ts'
import type { Market } from '../market.ts'
import { PRICE_BAND_RATIO, spotTick } from '../market.ts'
import type { Venue } from '../venue.ts'
import { contractRulesOf } from './mix-views.ts'
import { spotRulesOf } from './spot-views.ts'
import type { Category } from './unified-scope.ts'

/** A spot symbol as v3 lists it. */
export function toSpotInstrument(market: Market): Json {
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
export function toContractInstrument(market: Market): Json {
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
