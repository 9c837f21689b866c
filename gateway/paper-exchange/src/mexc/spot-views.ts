import { type Json, ZERO } from '../exact-numbers.ts'
import type { PublicCall } from '../family.ts'
import { type Market, spotTick } from '../market.ts'
import type { SpotOrder, SpotTrade } from '../spot-book.ts'
import type { Venue } from '../venue.ts'
import { noSuchSymbol } from './spot-family.ts'

/** MEXC's spot order ids are text with this before the digits. */
export const ORDER_ID_PREFIX = 'C02__'

export const orderIdOf = (order: SpotOrder): string => `${ORDER_ID_PREFIX}${order.id}`

function statusOf({ status, filledSize }: SpotOrder): string {
  const isPartly = filledSize.gt(ZERO)
  if (status === 'open') return isPartly ? 'PARTIALLY_FILLED' : 'NEW'
  if (status === 'filled') return 'FILLED'
  return isPartly ? 'PARTIALLY_CANCELED' : 'CANCELED'
}

/** The order object (docs/exchanges/mexc.md, 3.3). */
export function toOrderView(order: SpotOrder): Readonly<Record<string, Json>> {
  return {
    symbol: order.market.name,
    orderId: orderIdOf(order),
    orderListId: -1,
    clientOrderId: order.clientId,
    price: (order.price ?? ZERO).toFixed(),
    origQty: order.size.toFixed(),
    executedQty: order.filledSize.toFixed(),
    cummulativeQuoteQty: order.filledValue.toFixed(),
    status: statusOf(order),
    timeInForce: null,
    type: order.labels.type ?? '',
    side: order.side.toUpperCase(),
    stopPrice: null,
    icebergQty: null,
    time: order.createdAtMs,
    updateTime: order.updatedAtMs,
    isWorking: true,
    origQuoteOrderQty: (order.quoteAmount ?? ZERO).toFixed(),
    stpMode: order.labels.stpMode ?? '',
    cancelReason: order.cancelReason,
  }
}

export function toTradeView({
  id,
  order,
  price,
  size,
  fee,
  feeCoin,
  isMaker,
  atMs,
}: SpotTrade): Json {
  return {
    symbol: order.market.name,
    id,
    orderId: orderIdOf(order),
    orderListId: -1,
    price: price.toFixed(),
    qty: size.toFixed(),
    quoteQty: price.times(size).toFixed(),
    commission: fee.toFixed(),
    commissionAsset: feeCoin,
    time: atMs,
    isBuyer: order.side === 'buy',
    isMaker,
    isBestMatch: true,
    isSelfTrade: false,
    clientOrderId: order.clientId,
  }
}

/** What of `exchangeInfo` belongs to one symbol (docs/exchanges/mexc.md, 3.1). */
export function toSymbolView(market: Market): Json {
  const rules = market.spot.mx
  if (rules === undefined) throw noSuchSymbol()
  return {
    symbol: market.name,
    status: rules.isOpen ? '1' : '2',
    baseAsset: market.base,
    baseAssetPrecision: rules.sizeScale,
    quoteAsset: market.quote,
    quotePrecision: rules.priceScale,
    quoteAssetPrecision: rules.priceScale,
    baseCommissionPrecision: rules.sizeScale,
    quoteCommissionPrecision: rules.priceScale,
    // The real exchange lists neither IMMEDIATE_OR_CANCEL nor FILL_OR_KILL.
    orderTypes: ['LIMIT', ...(rules.hasMarketOrders ? ['MARKET'] : []), 'LIMIT_MAKER'],
    isSpotTradingAllowed: rules.isOpen,
    isMarginTradingAllowed: false,
    quoteAmountPrecision: rules.minValue.toFixed(),
    baseSizePrecision: rules.minSize.toFixed(),
    permissions: ['SPOT'],
    filters: [],
    maxQuoteAmount: rules.maxValue.toFixed(),
    makerCommission: rules.makerFeeRate.toFixed(),
    takerCommission: rules.takerFeeRate.toFixed(),
    quoteAmountPrecisionMarket: rules.minValue.toFixed(),
    maxQuoteAmountMarket: rules.maxValue.toFixed(),
    fullName: market.base,
    tradeSideType: '1',
  }
}

export const spotMarkets = ({ markets }: Venue): readonly Market[] =>
  markets.filter(({ spot }) => spot.mx !== undefined)

/** @throws SpotRejection -1121 */
export function spotMarketNamed(venue: Venue, name: string): Market {
  const market = spotMarkets(venue).find((candidate) => candidate.name === name)
  if (market === undefined) throw noSuchSymbol()
  return market
}

/** One view when a symbol is asked for, else those of all. */
export function forOneOrAll({ venue, params }: PublicCall, view: (market: Market) => Json): Json {
  const symbol = params.text('symbol')
  return symbol === undefined ? spotMarkets(venue).map(view) : view(spotMarketNamed(venue, symbol))
}

export function toTickerView(venue: Venue, market: Market): Json {
  const rules = market.spot.mx
  if (rules === undefined) throw noSuchSymbol()
  const { last, open, high, low } = venue.prices.of(market)
  const { bid, ask } = venue.prices.quote(market, spotTick(rules))
  return {
    symbol: market.name,
    priceChange: last.minus(open).toFixed(),
    priceChangePercent: last.minus(open).dividedBy(open).decimalPlaces(6).toFixed(),
    prevClosePrice: open.toFixed(),
    lastPrice: last.toFixed(),
    bidPrice: bid.toFixed(),
    bidQty: '1',
    askPrice: ask.toFixed(),
    askQty: '1',
    openPrice: open.toFixed(),
    highPrice: high.toFixed(),
    lowPrice: low.toFixed(),
    volume: '1000',
    quoteVolume: last.times(1000).toFixed(),
    openTime: venue.nowMs() - 86_400_000,
    closeTime: venue.nowMs(),
    count: null,
  }
}
