import { type Json, type JsonObject, ZERO } from '../exact-numbers.ts'
import type { Market, SpotRules } from '../market.ts'
import { PRICE_BAND_RATIO, spotTick } from '../market.ts'
import { averagePriceOf } from '../order-shelf.ts'
import type { SpotOrder, SpotTrade } from '../spot-book.ts'
import type { Venue } from '../venue.ts'
import { noSuchSymbol } from './calls.ts'

export const spotMarkets = ({ markets }: Venue): readonly Market[] =>
  markets.filter(({ spot }) => spot.bg !== undefined)

export function spotRulesOf(market: Market): SpotRules {
  const rules = market.spot.bg
  if (rules === undefined) throw noSuchSymbol(market.name)
  return rules
}

/** @throws BitgetRejection 40034 */
export function spotMarketNamed(venue: Venue, name: string): Market {
  const market = spotMarkets(venue).find((candidate) => candidate.name === name.toUpperCase())
  if (market === undefined) throw noSuchSymbol(name)
  return market
}

/** The status of an order of spot, futures or v3. */
export function statusOf(
  { status, filledSize }: Pick<SpotOrder, 'status' | 'filledSize'>,
  resting: 'live' | 'new' = 'live',
): string {
  if (status === 'open') return filledSize.gt(ZERO) ? 'partially_filled' : resting
  return status
}

/**
 * The order object (docs/exchanges/bitget.md, 3.3). A market buy shows the quote amount as its
 * size.
 */
export function toOrderView(order: SpotOrder): Json {
  const { account, filledSize, filledValue } = order
  return {
    userId: account.userId,
    symbol: order.market.name,
    orderId: order.id,
    clientOid: order.clientId,
    price: (order.price ?? ZERO).toFixed(),
    size: (order.quoteAmount ?? order.size).toFixed(),
    orderType: order.price === null ? 'market' : 'limit',
    side: order.side,
    force: order.labels.force ?? 'gtc',
    status: statusOf(order),
    priceAvg: averagePriceOf(order).toFixed(),
    baseVolume: filledSize.toFixed(),
    quoteVolume: filledValue.toFixed(),
    enterPointSource: 'API',
    orderSource: order.price === null ? 'market' : 'normal',
    feeDetail: feeText(order),
    cancelReason: order.cancelReason,
    presetTakeProfitPrice: order.labels.presetTakeProfitPrice ?? '',
    executeTakeProfitPrice: order.labels.executeTakeProfitPrice ?? '',
    presetStopLossPrice: order.labels.presetStopLossPrice ?? '',
    executeStopLossPrice: order.labels.executeStopLossPrice ?? '',
    cTime: `${order.createdAtMs}`,
    uTime: `${order.updatedAtMs}`,
  }
}

// JSON in a text field, as the exchange has it.
function feeText({ fee, feeCoin, filledSize }: SpotOrder): string {
  if (filledSize.isZero()) return ''
  return JSON.stringify({
    [feeCoin]: {
      deduction: false,
      feeCoinCode: feeCoin,
      totalDeductionFee: 0,
      totalFee: fee.negated().toFixed(),
    },
  })
}

export function toFillView({
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
    userId: order.account.userId,
    symbol: order.market.name,
    orderId: order.id,
    tradeId: id,
    orderType: order.price === null ? 'market' : 'limit',
    side: order.side,
    priceAvg: price.toFixed(),
    size: size.toFixed(),
    amount: price.times(size).toFixed(),
    feeDetail: {
      deduction: 'no',
      feeCoin,
      totalDeductionFee: '',
      totalFee: fee.negated().toFixed(),
    },
    tradeScope: isMaker ? 'maker' : 'taker',
    cTime: `${atMs}`,
    uTime: `${atMs}`,
  }
}

/** The rules of a symbol (docs/exchanges/bitget.md, 3.1). */
export function toSymbolView(market: Market): Json {
  const rules = spotRulesOf(market)
  return {
    symbol: market.name,
    baseCoin: market.base,
    quoteCoin: market.quote,
    minTradeAmount: rules.minSize.toFixed(),
    maxTradeAmount: rules.maxSize.toFixed(),
    takerFeeRate: rules.takerFeeRate.toFixed(),
    makerFeeRate: rules.makerFeeRate.toFixed(),
    pricePrecision: `${rules.priceScale}`,
    quantityPrecision: `${rules.sizeScale}`,
    quotePrecision: `${rules.priceScale + rules.sizeScale}`,
    status: rules.isOpen ? 'online' : 'halt',
    minTradeUSDT: rules.minValue.toFixed(),
    buyLimitPriceRatio: PRICE_BAND_RATIO.toFixed(),
    sellLimitPriceRatio: PRICE_BAND_RATIO.toFixed(),
    areaSymbol: 'no',
    orderQuantity: '500',
    openTime: '1600000000000',
    offTime: '',
  }
}

export function toTickerView(venue: Venue, market: Market): JsonObject {
  const { last, open, high, low } = venue.prices.of(market)
  const { bid, ask } = venue.prices.quote(market, spotTick(spotRulesOf(market)))
  const change = last.minus(open).dividedBy(open).decimalPlaces(5).toFixed()
  return {
    open: open.toFixed(),
    symbol: market.name,
    high24h: high.toFixed(),
    low24h: low.toFixed(),
    lastPr: last.toFixed(),
    quoteVolume: last.times(1000).toFixed(),
    baseVolume: '1000',
    usdtVolume: last.times(1000).toFixed(),
    ts: `${venue.nowMs()}`,
    bidPr: bid.toFixed(),
    askPr: ask.toFixed(),
    bidSz: '1',
    askSz: '1',
    openUtc: open.toFixed(),
    changeUtc24h: change,
    change24h: change,
  }
}
