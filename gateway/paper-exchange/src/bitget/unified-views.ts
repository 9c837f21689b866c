import type { Account } from '../account.ts'
import type { ContractTrade } from '../contract-order.ts'
import { type Decimal, ZERO } from '../decimal.ts'
import type { Json } from '../exact-json.ts'
import { entryPriceOf, liquidationPriceOf, type Position, profitAt } from '../position.ts'
import type { SpotTrade } from '../spot-book.ts'
import type { Venue } from '../venue.ts'
import { contractRulesOf, toMarginMode, tradeSideOf } from './mix-views.ts'
import { categoryOfOrder, isContractOrder, toHoldMode, type UnifiedOrder } from './unified-scope.ts'

/** The order object of v3, as the types of bitget-api and the samples of ccxt have it. */
export function toOrderView(order: UnifiedOrder): Json {
  const { filledSize, filledValue } = order
  return {
    orderId: order.id,
    clientOid: order.clientId,
    category: categoryOfOrder(order),
    symbol: order.market.name,
    orderType: order.price === null ? 'market' : 'limit',
    side: order.side,
    price: (order.price ?? ZERO).toFixed(),
    qty: order.size.toFixed(),
    amount: isContractOrder(order) ? '0' : (order.quoteAmount ?? ZERO).toFixed(),
    cumExecQty: filledSize.toFixed(),
    cumExecValue: filledValue.toFixed(),
    avgPrice: averageOf(filledValue, filledSize).toFixed(),
    timeInForce: order.labels.force ?? 'gtc',
    orderStatus: statusOf(order),
    ...contractPart(order),
    feeDetail: [
      filledSize.isZero()
        ? { feeCoin: '', fee: '' }
        : { feeCoin: feeCoinOf(order), fee: order.fee.toFixed() },
    ],
    cancelReason: order.cancelReason,
    execType: order.labels.category ?? 'normal',
    stpMode: 'none',
    createdTime: `${order.createdAtMs}`,
    updatedTime: `${order.updatedAtMs}`,
  }
}

export function toFillView(trade: SpotTrade | ContractTrade): Json {
  const { id, order, price, size, fee, isMaker, atMs } = trade
  return {
    execId: id,
    orderId: order.id,
    category: categoryOfOrder(order),
    symbol: order.market.name,
    orderType: order.price === null ? 'market' : 'limit',
    side: order.side,
    execPrice: price.toFixed(),
    execQty: size.toFixed(),
    execValue: price.times(size).toFixed(),
    tradeScope: isMaker ? 'maker' : 'taker',
    feeDetail: [{ feeCoin: feeCoinOf(order), fee: fee.toFixed() }],
    execPnl: 'profit' in trade ? trade.profit.toFixed() : '0',
    // v3 has the words of v2 and more; which order gets which is not established [?].
    tradeSide: isContractOrder(order) ? tradeSideOf(order) : '',
    createdTime: `${atMs}`,
    updatedTime: `${atMs}`,
  }
}

/** The position object of v3. */
export function toPositionView(venue: Venue, account: Account, position: Position): Json {
  const { market, margin, size } = position
  const { priceScale, maintenanceRate } = contractRulesOf(market)
  const { last } = venue.prices.of(market)
  const frozen = venue.contracts.closing(account, market, position.slot)
  const profit = profitAt(position, last)
  return {
    category: 'USDT-FUTURES',
    symbol: market.name,
    marginCoin: market.quote,
    holdMode: toHoldMode(position.slot === 'net' ? 'one-way' : 'hedge'),
    posSide: position.side,
    marginMode: toMarginMode(position.marginMode),
    positionBalance: margin.toFixed(),
    available: size.minus(frozen).toFixed(),
    frozen: frozen.toFixed(),
    total: size.toFixed(),
    leverage: `${position.leverage}`,
    curRealisedPnl: position.realised.toFixed(),
    avgPrice: entryPriceOf(position).toFixed(),
    positionStatus: 'normal',
    unrealisedPnl: profit.toFixed(),
    liquidationPrice: liquidationPriceOf(position, priceScale).toFixed(),
    mmr: maintenanceRate.toFixed(),
    profitRate: averageOf(profit, margin).toFixed(),
    markPrice: last.toFixed(),
    breakEvenPrice: entryPriceOf(position).toFixed(),
    totalFunding: '0',
    openFeeTotal: position.fee.negated().toFixed(),
    closeFeeTotal: '0',
    createdTime: `${position.createdAtMs}`,
    updatedTime: `${position.updatedAtMs}`,
  }
}

function contractPart(order: UnifiedOrder): Readonly<Record<string, Json>> {
  if (!isContractOrder(order)) return { posSide: '', holdMode: '', reduceOnly: 'NO' }
  const { slot, positionMode, exits } = order
  return {
    // The word for one-way mode is that of v2; v3's own is not established.
    posSide: slot,
    holdMode: toHoldMode(positionMode),
    reduceOnly: slot === 'net' && order.isReduceOnly ? 'YES' : 'NO',
    takeProfit: exits.takeProfit?.trigger.toFixed() ?? null,
    tpLimitPrice: exits.takeProfit?.limit?.toFixed() ?? null,
    stopLoss: exits.stopLoss?.trigger.toFixed() ?? null,
    slLimitPrice: exits.stopLoss?.limit?.toFixed() ?? null,
  }
}

function statusOf({ status, filledSize }: UnifiedOrder): string {
  if (status === 'open') return filledSize.gt(ZERO) ? 'partially_filled' : 'live'
  return status
}

const feeCoinOf = (order: UnifiedOrder): string =>
  isContractOrder(order) ? order.market.quote : order.feeCoin

const averageOf = (sum: Decimal, count: Decimal): Decimal =>
  count.isZero() ? ZERO : sum.dividedBy(count).decimalPlaces(12)
