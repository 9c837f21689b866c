import type { Account, Position } from '../account.ts'
import type { ContractOrder, ContractTrade } from '../contract-order.ts'
import { type Json, type JsonObject, ZERO } from '../exact-numbers.ts'
import type { PublicCall, SignedCall } from '../family.ts'
import type { Market } from '../market.ts'
import { averagePriceOf } from '../order-shelf.ts'
import { entryPriceOf, liquidationPriceOf, profitAt } from '../position.ts'
import type { SpotOrder, SpotTrade } from '../spot-book.ts'
import type { Exit, Exits } from '../trigger-book.ts'
import type { Venue } from '../venue.ts'
import { BitgetRejection } from './calls.ts'
import { contractMarkets, contractRulesOf, toMarginMode, tradeSideOf } from './mix-views.ts'
import { spotMarkets, statusOf } from './spot-views.ts'

const CATEGORIES = ['SPOT', 'MARGIN', 'USDT-FUTURES', 'COIN-FUTURES', 'USDC-FUTURES'] as const
export type Category = (typeof CATEGORIES)[number]

/** An order of a unified account, whatever it trades. */
export type UnifiedOrder = SpotOrder | ContractOrder

export const isContractOrder = (order: UnifiedOrder): order is ContractOrder => 'slot' in order

const categoryOfOrder = (order: UnifiedOrder): Category =>
  isContractOrder(order) ? 'USDT-FUTURES' : 'SPOT'

/** Undefined when the call names none. @throws BitgetRejection */
const categoryOf = ({ params }: PublicCall): Category | undefined =>
  params.choice('category', CATEGORIES)

/** @throws BitgetRejection */
export const requiredCategory = ({ params }: PublicCall): Category =>
  params.requiredChoice('category', CATEGORIES)

/**
 * What can be traded in a category. The paper exchange lends nothing, and its contracts are settled
 * in USDT.
 */
export function marketsOf(venue: Venue, category: Category): readonly Market[] {
  if (category === 'SPOT') return spotMarkets(venue)
  if (category !== 'USDT-FUTURES') return []
  return contractMarkets(venue).filter(({ quote }) => quote === 'USDT')
}

/** The market that `category` and `symbol` name together. @throws BitgetRejection 25100 */
export function unifiedMarket(call: PublicCall): Market {
  const symbol = call.params.required('symbol')
  const market = marketsOf(call.venue, requiredCategory(call)).find(
    ({ name }) => name === symbol.toUpperCase(),
  )
  if (market === undefined)
    throw new BitgetRejection('25100', `Trading pair ${symbol} does not exist`)
  return market
}

/** The markets of a category, or the one of it that `symbol` names. @throws BitgetRejection */
export const wantedMarkets = (call: PublicCall): readonly Market[] =>
  call.params.has('symbol') ? [unifiedMarket(call)] : marketsOf(call.venue, requiredCategory(call))

export const toHoldMode = (mode: 'one-way' | 'hedge'): string =>
  mode === 'hedge' ? 'hedge_mode' : 'one_way_mode'

/**
 * A caller's client order id, or one of the exchange's own.
 * @throws BitgetRejection when v3 does not take it
 */
export function unifiedClientOid({ params, venue }: SignedCall): string {
  const clientOid = params.text('clientOid')
  if (clientOid === undefined) return venue.nextId()
  // Which of the format codes v3 uses is not established [?].
  if (!/^[.A-Z:/a-z0-9_-]{1,32}$/.test(clientOid))
    throw new BitgetRejection('40305', 'clientOid does not meet the specifications')
  return clientOid
}

/**
 * Since 2025-10-09 an id is taken while its order is pending, and free again after.
 * @throws BitgetRejection 25212
 */
export function rejectDuplicate(call: SignedCall, clientId: string): void {
  if (call.venue.habits.bitgetDuplicates === 'accept') return
  if (ordersOf(call).some((order) => order.status === 'open' && order.clientId === clientId))
    throw new BitgetRejection('25212', 'Duplicate clientOid')
}

/** Spot and futures, newest first. */
export function ordersOf({ venue, account }: SignedCall): readonly UnifiedOrder[] {
  return [...venue.spot.orders.of(account.name), ...venue.contracts.orders.of(account.name)].sort(
    (a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1),
  )
}

/**
 * By `orderId`, which wins, or by `clientOid`: the newest order that has it. When a category or a
 * symbol is named, orders of others do not count. @throws BitgetRejection 25204
 */
export function wantedOrder(call: SignedCall): UnifiedOrder {
  const { params } = call
  const [orderId, clientOid] = [params.text('orderId'), params.text('clientOid')]
  if (orderId === undefined && clientOid === undefined) throw params.problems.missing('orderId')
  const found = ordersOf(call).find((order) =>
    orderId === undefined ? order.clientId === clientOid : order.id === orderId,
  )
  if (found === undefined || !isNamed(call, found))
    throw new BitgetRejection('25204', 'Order does not exist')
  return found
}

/** Whether an order is of the category and the symbol that a call names, if it names any. */
export function isNamed(call: SignedCall, order: UnifiedOrder): boolean {
  const category = categoryOf(call)
  const symbol = call.params.text('symbol')?.toUpperCase()
  return (
    (category === undefined || category === categoryOfOrder(order)) &&
    (symbol === undefined || symbol === order.market.name)
  )
}

/** @throws OrderRejectedError when the order is filled or cancelled already */
export function cancel({ venue }: SignedCall, order: UnifiedOrder): void {
  if (isContractOrder(order)) venue.contracts.cancel(order)
  else venue.spot.cancel(order)
}

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
