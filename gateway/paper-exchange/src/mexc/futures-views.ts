import { type Account, futuresWallet, type Position } from '../account.ts'
import type { ContractOrder, ContractTrade } from '../contract-order.ts'
import { type Decimal, type JsonObject, ZERO } from '../exact-numbers.ts'
import type { ContractRules, Market } from '../market.ts'
import { averagePriceOf } from '../order-shelf.ts'
import { entryPriceOf, liquidationPriceOf, openProfitOf } from '../position.ts'
import type { Venue } from '../venue.ts'
import { noSuchContract } from './futures-family.ts'

/** MEXC puts an underscore between the coins of a contract. */
export const contractName = ({ base, quote }: Market): string => `${base}_${quote}`

export const contractMarkets = ({ markets }: Venue): readonly Market[] =>
  markets.filter(({ contract }) => contract.mx !== undefined)

export function contractRulesOf(market: Market): ContractRules {
  const rules = market.contract.mx
  if (rules === undefined) throw noSuchContract()
  return rules
}

/** @throws FuturesRejection 1001 */
export function contractNamed(venue: Venue, name: string): Market {
  const market = contractMarkets(venue).find((candidate) => contractName(candidate) === name)
  if (market === undefined) throw noSuchContract()
  return market
}

/** Base coin as a number of contracts. */
export const toVol = (market: Market, size: Decimal): Decimal =>
  size.dividedBy(contractRulesOf(market).contractSize)

function stateOf({ status }: ContractOrder): number {
  if (status === 'open') return 2
  return status === 'filled' ? 3 : 4
}

// For orders that the exchange made itself, which always close.
const sideNumberOf = ({ side }: ContractOrder): number => (side === 'buy' ? 2 : 4)

/**
 * The order object (docs/exchanges/mexc-futures.md, 4.6). Ids of positions are numbers on the wire,
 * ids of orders are text.
 */
export function toOrderView(order: ContractOrder): JsonObject {
  const { market, filledSize } = order
  return {
    orderId: order.id,
    symbol: contractName(market),
    positionId: BigInt(order.positionId || '0'),
    price: order.price ?? ZERO,
    priceStr: (order.price ?? ZERO).toFixed(),
    vol: toVol(market, order.size),
    leverage: order.leverage,
    side: Number(order.labels.side ?? sideNumberOf(order)),
    category: order.labels.category === 'liquidation' ? 2 : 1,
    orderType: Number(order.labels.type ?? (order.price === null ? '5' : '1')),
    dealAvgPrice: averagePriceOf(order),
    dealVol: toVol(market, filledSize),
    orderMargin: order.frozen,
    takerFee: order.fee,
    makerFee: ZERO,
    profit: order.profit,
    feeCurrency: market.quote,
    openType: order.marginMode === 'isolated' ? 1 : 2,
    state: stateOf(order),
    externalOid: order.clientId,
    errorCode: order.cancelReason === 'no_margin_or_position' ? 2 : 0,
    usedMargin: ZERO,
    createTime: order.createdAtMs,
    updateTime: order.updatedAtMs,
    positionMode: order.positionMode === 'hedge' ? 1 : 2,
    reduceOnly: order.isReduceOnly && order.slot === 'net',
    stopLossPrice: order.exits.stopLoss?.trigger ?? null,
    takeProfitPrice: order.exits.takeProfit?.trigger ?? null,
  }
}

/** A trade of an order (docs/exchanges/mexc-futures.md, 4.6). */
export function toDealView({
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
    id,
    symbol: contractName(order.market),
    side: Number(order.labels.side ?? (order.side === 'buy' ? 2 : 4)),
    vol: toVol(order.market, size),
    price,
    fee,
    feeCurrency: order.market.quote,
    profit,
    taker: !isMaker,
    category: 1,
    orderId: order.id,
    timestamp: atMs,
  }
}

/** The position object (docs/exchanges/mexc-futures.md, 4.6). */
export function toPositionView(venue: Venue, account: Account, position: Position): JsonObject {
  const { market, closedSize, closedValue } = position
  return {
    positionId: BigInt(position.id),
    symbol: contractName(market),
    positionType: position.side === 'long' ? 1 : 2,
    openType: position.marginMode === 'isolated' ? 1 : 2,
    state: 1,
    holdVol: toVol(market, position.size),
    frozenVol: toVol(market, venue.contracts.closing(account, market, position.slot)),
    closeVol: toVol(market, closedSize),
    holdAvgPrice: entryPriceOf(position),
    openAvgPrice: entryPriceOf(position),
    closeAvgPrice: closedSize.isZero() ? ZERO : closedValue.dividedBy(closedSize).decimalPlaces(12),
    liquidatePrice: liquidationPriceOf(position, contractRulesOf(market).priceScale),
    oim: position.margin,
    im: position.margin,
    holdFee: ZERO,
    realised: position.realised.minus(position.fee),
    leverage: position.leverage,
    autoAddIm: false,
    createTime: position.createdAtMs,
    updateTime: position.updatedAtMs,
  }
}

/** One margin coin (docs/exchanges/mexc-futures.md, 4.3). */
export function toAssetView(venue: Venue, account: Account, coin: string) {
  const wallet = futuresWallet(account, coin)
  const unrealized = openProfitOf(account, coin, venue.prices)
  return {
    currency: coin,
    positionMargin: wallet.positionMargin,
    availableBalance: wallet.available,
    cashBalance: wallet.cash,
    frozenBalance: wallet.frozen,
    equity: wallet.cash.plus(unrealized),
    unrealized,
    bonus: ZERO,
    availableCash: wallet.available,
    availableOpen: wallet.available,
  }
}
