import { type Account, contractSettings, futuresWallet, type Position } from '../account.ts'
import type { ContractOrder, ContractTrade } from '../contract-order.ts'
import type { Json, JsonObject } from '../exact-numbers.ts'
import type { PublicCall, SignedCall } from '../family.ts'
import { type ContractRules, type Market, PRICE_BAND_RATIO } from '../market.ts'
import { averagePriceOf } from '../order-shelf.ts'
import { entryPriceOf, liquidationPriceOf, openProfitOf, profitAt } from '../position.ts'
import type { Venue } from '../venue.ts'
import { BitgetRejection, bitgetProblems, noSuchSymbol } from './calls.ts'
import { statusOf } from './spot-views.ts'

// The three of demo trading were delisted on 2025-08-04; clients still ask for their contracts and
// get none.
const PRODUCT_TYPES = [
  'USDT-FUTURES',
  'COIN-FUTURES',
  'USDC-FUTURES',
  'SUSDT-FUTURES',
  'SCOIN-FUTURES',
  'SUSDC-FUTURES',
] as const
type ProductType = (typeof PRODUCT_TYPES)[number]

/** Compared without case: the documentation's own examples differ. @throws BitgetRejection */
export function productTypeOf({ params }: PublicCall): ProductType {
  return params.requiredChoice('productType', PRODUCT_TYPES)
}

/** Whether a market belongs to a product type; the paper exchange has USDT contracts only. */
export const isOfProduct = (market: Market, productType: ProductType): boolean =>
  productType === 'USDT-FUTURES' && market.quote === 'USDT'

/** The contract that `symbol` and `productType` name together. @throws BitgetRejection */
export function contractOf(call: PublicCall): Market {
  const productType = productTypeOf(call)
  const market = contractNamed(call.venue, call.params.required('symbol'))
  if (!isOfProduct(market, productType)) {
    throw new BitgetRejection('40034', `Parameter ${market.name} does not exist in ${productType}`)
  }
  return market
}

/**
 * Checks `marginCoin`.
 * @throws BitgetRejection when it is another coin than the contract's, or missing but needed
 */
export function checkMarginCoin({ params }: SignedCall, market: Market, isNeeded: boolean): void {
  const coin = isNeeded ? params.required('marginCoin') : params.text('marginCoin')
  if (coin !== undefined && coin.toUpperCase() !== market.quote)
    throw bitgetProblems.malformed('marginCoin')
}

export const toMarginMode = (mode: 'cross' | 'isolated'): string =>
  mode === 'cross' ? 'crossed' : mode

export const fromMarginMode = (word: 'crossed' | 'isolated'): 'cross' | 'isolated' =>
  word === 'crossed' ? 'cross' : word

export const contractMarkets = ({ markets }: Venue): readonly Market[] =>
  markets.filter(({ contract }) => contract.bg !== undefined)

export function contractRulesOf(market: Market): ContractRules {
  const rules = market.contract.bg
  if (rules === undefined) throw noSuchSymbol(market.name)
  return rules
}

/** @throws BitgetRejection 40034 */
export function contractNamed(venue: Venue, name: string): Market {
  const market = contractMarkets(venue).find((candidate) => candidate.name === name.toUpperCase())
  if (market === undefined) throw noSuchSymbol(name)
  return market
}

export const mixStatusOf = (order: ContractOrder): string =>
  order.status === 'cancelled' ? 'canceled' : statusOf(order)

/**
 * The order object (docs/exchanges/bitget.md, 4.4) without its status, which is called `state` in
 * the detail and `status` in the lists.
 */
export function toOrderView(order: ContractOrder): JsonObject {
  const { filledSize, filledValue, labels, exits } = order
  return {
    symbol: order.market.name,
    size: order.size.toFixed(),
    orderId: order.id,
    clientOid: order.clientId,
    baseVolume: filledSize.toFixed(),
    priceAvg: filledSize.isZero() ? '' : averagePriceOf(order).toFixed(),
    fee: order.fee.negated().toFixed(),
    price: order.price?.toFixed() ?? '',
    side: sideOf(order),
    force: labels.force ?? 'gtc',
    totalProfits: order.profit.toFixed(),
    posSide: order.slot,
    marginCoin: order.market.quote,
    quoteVolume: filledValue.toFixed(),
    leverage: `${order.leverage}`,
    marginMode: toMarginMode(order.marginMode),
    reduceOnly: order.slot === 'net' && order.isReduceOnly ? 'YES' : 'NO',
    enterPointSource: 'API',
    tradeSide: tradeSideOf(order),
    posMode: order.positionMode === 'hedge' ? 'hedge_mode' : 'one_way_mode',
    orderType: order.price === null ? 'market' : 'limit',
    orderSource: labels.category ?? (order.price === null ? 'market' : 'normal'),
    cancelReason: order.cancelReason,
    presetStopSurplusPrice: exits.takeProfit?.trigger.toFixed() ?? '',
    presetStopSurplusType: '',
    presetStopSurplusExecutePrice: exits.takeProfit?.limit?.toFixed() ?? '',
    presetStopLossPrice: exits.stopLoss?.trigger.toFixed() ?? '',
    presetStopLossType: '',
    presetStopLossExecutePrice: exits.stopLoss?.limit?.toFixed() ?? '',
    cTime: `${order.createdAtMs}`,
    uTime: `${order.updatedAtMs}`,
  }
}

/**
 * In hedge mode v2's `side` names the position: a long is closed by side buy, tradeSide close. What
 * the real exchange shows of a close is not established [?] (docs/exchanges/bitget-unified.md, 7).
 */
const sideOf = ({ side, slot }: ContractOrder): string =>
  slot === 'net' ? side : slot === 'long' ? 'buy' : 'sell'

export function tradeSideOf({ side, slot, isReduceOnly }: ContractOrder): string {
  if (slot === 'net') return `${side}_single`
  return isReduceOnly ? 'close' : 'open'
}

export function toFillView({
  id,
  order,
  price,
  size,
  fee,
  profit,
  isMaker,
  atMs,
}: ContractTrade): JsonObject {
  return {
    tradeId: id,
    symbol: order.market.name,
    orderId: order.id,
    clientOid: order.clientId,
    price: price.toFixed(),
    baseVolume: size.toFixed(),
    feeDetail: [
      {
        deduction: 'no',
        feeCoin: order.market.quote,
        totalDeductionFee: '0',
        totalFee: fee.negated().toFixed(),
      },
    ],
    side: sideOf(order),
    quoteVolume: price.times(size).toFixed(),
    profit: profit.toFixed(),
    enterPointSource: 'api',
    tradeSide: tradeSideOf(order),
    posMode: order.positionMode === 'hedge' ? 'hedge_mode' : 'one_way_mode',
    tradeScope: isMaker ? 'maker' : 'taker',
    cTime: `${atMs}`,
  }
}

/** The position object (docs/exchanges/bitget.md, 4.5). */
export function toPositionView(venue: Venue, account: Account, position: Position): JsonObject {
  const { market } = position
  const rules = contractRulesOf(market)
  const { last } = venue.prices.of(market)
  const locked = venue.contracts.closing(account, market, position.slot)
  return {
    marginCoin: market.quote,
    symbol: market.name,
    holdSide: position.side,
    openDelegateSize: '0',
    marginSize: position.margin.toFixed(),
    available: position.size.minus(locked).toFixed(),
    locked: locked.toFixed(),
    total: position.size.toFixed(),
    leverage: `${position.leverage}`,
    achievedProfits: position.realised.toFixed(),
    openPriceAvg: entryPriceOf(position).toFixed(),
    marginMode: toMarginMode(position.marginMode),
    posMode: position.slot === 'net' ? 'one_way_mode' : 'hedge_mode',
    unrealizedPL: profitAt(position, last).toFixed(),
    liquidationPrice: liquidationPriceOf(position, rules.priceScale).toFixed(),
    keepMarginRate: rules.maintenanceRate.toFixed(),
    markPrice: last.toFixed(),
    breakEvenPrice: entryPriceOf(position).toFixed(),
    totalFee: position.fee.negated().toFixed(),
    deductedFee: position.fee.toFixed(),
    marginRatio: position.margin.isZero()
      ? '0'
      : position.size
          .times(last)
          .times(rules.maintenanceRate)
          .dividedBy(position.margin)
          .decimalPlaces(8)
          .toFixed(),
    assetMode: 'single',
    autoMargin: 'off',
    takeProfit: '',
    stopLoss: '',
    takeProfitId: '',
    stopLossId: '',
    cTime: `${position.createdAtMs}`,
    uTime: `${position.updatedAtMs}`,
  }
}

/**
 * The futures account of a margin coin; leverage and margin mode are those of one contract, or the
 * usual ones.
 */
export function toAccountView(
  venue: Venue,
  account: Account,
  { marginCoin, market }: { marginCoin: string; market: Market | undefined },
): JsonObject {
  const wallet = futuresWallet(account, marginCoin)
  const unrealized = openProfitOf(account, marginCoin, venue.prices)
  const equity = wallet.cash.plus(unrealized).toFixed()
  const available = wallet.available.toFixed()
  const common = {
    marginCoin,
    locked: wallet.frozen.toFixed(),
    available,
    crossedMaxAvailable: available,
    isolatedMaxAvailable: available,
    maxTransferOut: available,
    accountEquity: equity,
    usdtEquity: equity,
    btcEquity: '0',
    crossedRiskRate: '0',
    unrealizedPL: unrealized.toFixed(),
    coupon: '0',
    assetMode: 'single',
  }
  if (market === undefined) return common
  const { leverage, marginMode } = contractSettings(account, market)
  return {
    ...common,
    crossedMarginLeverage: leverage.cross.long,
    isolatedLongLever: leverage.isolated.long,
    isolatedShortLever: leverage.isolated.short,
    marginMode: toMarginMode(marginMode),
    posMode: account.futures.positionMode === 'hedge' ? 'hedge_mode' : 'one_way_mode',
  }
}

/** The rules of a contract (docs/exchanges/bitget.md, 4.1). */
export function toContractView(market: Market): Json {
  const rules = contractRulesOf(market)
  return {
    symbol: market.name,
    baseCoin: market.base,
    quoteCoin: market.quote,
    buyLimitPriceRatio: PRICE_BAND_RATIO.toFixed(),
    sellLimitPriceRatio: PRICE_BAND_RATIO.toFixed(),
    feeRateUpRatio: '0.005',
    makerFeeRate: rules.makerFeeRate.toFixed(),
    takerFeeRate: rules.takerFeeRate.toFixed(),
    openCostUpRatio: '0.01',
    supportMarginCoins: [market.quote],
    minTradeNum: rules.minSize.toFixed(),
    priceEndStep: '1',
    volumePlace: `${rules.sizeStep.decimalPlaces() ?? 0}`,
    pricePlace: `${rules.priceScale}`,
    sizeMultiplier: rules.sizeStep.toFixed(),
    symbolType: 'perpetual',
    minTradeUSDT: rules.minValue.toFixed(),
    maxSymbolOrderNum: '200',
    maxProductOrderNum: '500',
    maxPositionNum: '150',
    maxOrderQty: rules.maxSize.toFixed(),
    maxMarketOrderQty: rules.maxSize.toFixed(),
    symbolStatus: rules.isOpen ? 'normal' : 'maintain',
    offTime: '-1',
    limitOpenTime: '-1',
    fundInterval: '8',
    minLever: '1',
    maxLever: `${rules.maxLeverage}`,
    posLimit: '0.05',
  }
}

export function toTickerView(venue: Venue, market: Market): JsonObject {
  const { last, open, high, low } = venue.prices.of(market)
  const { bid, ask } = venue.prices.quote(market, contractRulesOf(market).priceTick)
  const change = last.minus(open).dividedBy(open).decimalPlaces(5).toFixed()
  return {
    symbol: market.name,
    lastPr: last.toFixed(),
    askPr: ask.toFixed(),
    bidPr: bid.toFixed(),
    bidSz: '1',
    askSz: '1',
    high24h: high.toFixed(),
    low24h: low.toFixed(),
    ts: `${venue.nowMs()}`,
    change24h: change,
    baseVolume: '1000',
    quoteVolume: last.times(1000).toFixed(),
    usdtVolume: last.times(1000).toFixed(),
    openUtc: open.toFixed(),
    changeUtc24h: change,
    indexPrice: last.toFixed(),
    markPrice: last.toFixed(),
    fundingRate: '0.0001',
    holdingAmount: '50000',
    deliveryStartTime: null,
    deliveryTime: null,
    deliveryStatus: '',
    open24h: open.toFixed(),
  }
}
