import type { Account, Position } from '../account.ts'
import type { ContractOrder, ContractTrade } from '../contract-order.ts'
import { type Json, type JsonObject, ZERO } from '../exact-numbers.ts'
import { averagePriceOf } from '../order-shelf.ts'
import { entryPriceOf, liquidationPriceOf, profitAt } from '../position.ts'
import type { SpotTrade } from '../spot-book.ts'
import type { Exit, Exits } from '../trigger-book.ts'
import type { Venue } from '../venue.ts'
import { contractRulesOf, toMarginMode, tradeSideOf } from './mix-views.ts'
import { statusOf } from './spot-views.ts'
import { categoryOfOrder, isContractOrder, toHoldMode, type UnifiedOrder } from './unified-scope.ts'

/**
 * The order object of v3 (docs/exchanges/bitget-unified.md, 5). Where public sources show two
 * spellings, the details of one order and the lists have one each, so that a reader meets both.
 */
export function toOrderView(order: UnifiedOrder, where: 'details' | 'list'): JsonObject {
  const { filledSize, filledValue } = order
  const quoteAmount = isContractOrder(order) ? null : order.quoteAmount
  const isDetails = where === 'details'
  const isReduceOnly = isContractOrder(order) && order.slot === 'net' && order.isReduceOnly
  const [yes, no] = isDetails ? ['YES', 'NO'] : ['yes', 'no']
  return {
    orderId: order.id,
    clientOid: order.clientId,
    category: categoryOfOrder(order),
    symbol: order.market.name,
    orderType: order.price === null ? 'market' : 'limit',
    side: order.side,
    price: (order.price ?? ZERO).toFixed(),
    qty: quoteAmount === null ? order.size.toFixed() : '0',
    amount: (quoteAmount ?? ZERO).toFixed(),
    cumExecQty: filledSize.toFixed(),
    cumExecValue: filledValue.toFixed(),
    avgPrice: averagePriceOf(order).toFixed(),
    timeInForce: order.labels.force ?? 'gtc',
    // "new": the matching engine has it. The page of the lists has had the word since 2025-06-25.
    orderStatus: statusOf(order, isDetails ? 'live' : 'new'),
    tradeSide: tradeSideWordOf(order),
    reduceOnly: isReduceOnly ? yes : no,
    ...(isContractOrder(order) ? contractPart(order) : SPOT_PART),
    feeDetail: [feeOf(order, isDetails ? '' : null)],
    cancelReason: cancelReasonOf(order),
    execType: order.labels.category ?? 'normal',
    stpMode: order.labels.stpMode ?? 'none',
    createdTime: `${order.createdAtMs}`,
    updatedTime: `${order.updatedAtMs}`,
  }
}

const SPOT_PART = { posSide: '', holdMode: '', marginMode: '' } as const

/** A fee that was paid is negative: one source, older samples are positive. */
function feeOf(order: UnifiedOrder, none: '' | null): Json {
  if (order.filledSize.isZero()) return { feeCoin: none, fee: none }
  return { feeCoin: feeCoinOf(order), fee: order.fee.negated().toFixed() }
}

export function toFillView(trade: SpotTrade | ContractTrade): JsonObject {
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
    feeDetail: [{ feeCoin: feeCoinOf(order), fee: fee.negated().toFixed() }],
    execPnl: 'profit' in trade ? trade.profit.toFixed() : '0',
    tradeSide: tradeSideWordOf(order),
    createdTime: `${atMs}`,
    updatedTime: `${atMs}`,
  }
}

/** The position object of v3. */
export function toPositionView(venue: Venue, account: Account, position: Position): JsonObject {
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
    profitRate: (margin.isZero() ? ZERO : profit.dividedBy(margin).decimalPlaces(12)).toFixed(),
    markPrice: last.toFixed(),
    breakEvenPrice: entryPriceOf(position).toFixed(),
    totalFunding: '0',
    openFeeTotal: position.fee.negated().toFixed(),
    closeFeeTotal: '0',
    createdTime: `${position.createdAtMs}`,
    updatedTime: `${position.updatedAtMs}`,
  }
}

function contractPart(order: ContractOrder): Readonly<Record<string, Json>> {
  const { slot, positionMode, marginMode, exits } = order
  return {
    // The word for one-way mode is that of v2; v3's own is not established [?].
    posSide: slot,
    holdMode: toHoldMode(positionMode),
    marginMode: toMarginMode(marginMode),
    ...exitFields(exits),
  }
}

/** Take profit and stop loss of an order; null where it has none. */
export function exitFields({ takeProfit, stopLoss }: Exits): Readonly<Record<string, Json>> {
  return {
    takeProfit: takeProfit?.trigger.toFixed() ?? null,
    tpTriggerBy: triggerWordOf(takeProfit),
    tpOrderType: orderTypeOf(takeProfit),
    tpLimitPrice: takeProfit?.limit?.toFixed() ?? null,
    stopLoss: stopLoss?.trigger.toFixed() ?? null,
    slTriggerBy: triggerWordOf(stopLoss),
    slOrderType: orderTypeOf(stopLoss),
    slLimitPrice: stopLoss?.limit?.toFixed() ?? null,
  }
}

const triggerWordOf = (exit: Exit | null): string | null =>
  exit === null ? null : exit.watches === 'mark' ? 'mark' : 'market'
const orderTypeOf = (exit: Exit | null): string | null =>
  exit === null ? null : exit.limit === null ? 'market' : 'limit'

/** By the enumeration page; the sample of a spot order has "open". */
function tradeSideWordOf(order: UnifiedOrder): string {
  if (!isContractOrder(order)) return 'open'
  const prefix = order.labels.category === 'liquidation' ? 'burst_' : ''
  const { slot } = order
  return slot === 'net' ? prefix + tradeSideOf(order) : `${prefix}${tradeSideOf(order)}_${slot}`
}

/** The reasons of the enumeration page. */
function cancelReasonOf({ cancelReason, force }: UnifiedOrder): string {
  if (cancelReason === 'not_filled_at_once')
    return force === 'fok' ? 'fok_not_full_cancel' : 'ioc_not_full_cancel'
  if (cancelReason === 'post_only_would_trade') return 'post_only_fill_cancel'
  if (cancelReason === 'liquidation') return 'burst_cancel'
  return cancelReason === '' ? '' : 'normal_cancel'
}

const feeCoinOf = (order: UnifiedOrder): string =>
  isContractOrder(order) ? order.market.quote : order.feeCoin
