import type {
  BgAccountRow,
  BodyOf,
  bgAllPositions,
  bgFuturesCancelOrder,
  bgFuturesDetail,
  bgFuturesHistory,
  bgSinglePosition,
  bgSpotCancelOrder,
  bgSpotHistory,
  bgSpotOrderInfo,
  QueryOf,
} from 'schema'
import type { UpstreamCall } from '../../exchange.ts'
import type { OrderCall } from '../../order-lookup/order-key.ts'
import { decimalOf, isRecord, recordsOf, textOf } from '../../protocol/untrusted.ts'
import type { BitgetAccountApi } from '../account-api.ts'
import { MARGIN_COIN, orderCall, orderRef, PRODUCT_TYPE, readCall, tradeCall } from '../call.ts'
import {
  accountIdOf,
  type FuturesOrder,
  listOf,
  type ModifyOrder,
  oneOrder,
  positionOf,
  type SpotOrder,
} from '../documented.ts'
import { mixCancelling, mixModifying, mixPlacing } from './order-forms.ts'
import { spotCancelling, spotPlacing } from './spot-orders.ts'

/** Bitget's API v2: its fields are those of the documented routes. */
export const classicApi: BitgetAccountApi = {
  placeSpotOrder: spotOrderCall,
  cancelSpotOrder: cancelSpotOrderCall,
  placeFuturesOrder: futuresOrderCall,
  modifyFuturesOrder: modifyOrderCall,
  clientOidAfter: (_change, newClientOid) => newClientOid,
  cancelFuturesOrder: cancelFuturesOrderCall,
  idProblems: () => [],

  leverageQuestion,
  leverageChange,
  positionStops: positionStopsCall,

  spotOrder: ({ ask }, ref) => ask(spotOrderInfoCall(ref), oneOrder),
  spotHistory: ({ ask }, query) => ask(spotHistoryCall(query), listOf),
  futuresOrder: ({ ask }, ref) => ask(futuresDetailCall(ref), oneOrder),
  futuresHistory: ({ ask }, query) => ask(futuresHistoryCall(query), listOf),
  allPositions: ({ ask }, query) => ask(allPositionsCall(query), listOf),
  singlePosition: ({ ask }, query) => ask(singlePositionCall(query), listOf),

  accountId: ({ ask }) => ask(accountIdCall(), accountIdOf),
  async balances({ ask, nowMs }, accountId, accountType) {
    const spot =
      accountType === 'futures'
        ? []
        : await ask(spotAssetsCall(), (data) => spotRows(accountId, data, nowMs()))
    const futures =
      accountType === 'spot'
        ? []
        : await ask(futuresAccountsCall(), (data) => futuresRows(accountId, data, nowMs()))
    return [...spot, ...futures]
  },
}

/**
 * A spot order. The size of a market buy is an amount of the quote coin; the price of a market
 * order is left out.
 */
export function spotOrderCall(order: SpotOrder, clientOid: string): OrderCall {
  const { symbol, side, orderType, size, price, force = 'gtc' } = order
  return orderCall('/api/v2/spot/trade/place-order', spotPlacing, {
    symbol,
    side,
    orderType,
    // Required also for market orders, which ignore it.
    force,
    price: orderType === 'limit' ? price : undefined,
    size,
    clientOid,
  })
}

/** @throws OrderIdMissingError */
export function cancelSpotOrderCall(ref: BodyOf<typeof bgSpotCancelOrder>): OrderCall {
  return orderCall('/api/v2/spot/trade/cancel-order', spotCancelling, {
    symbol: ref.symbol,
    ...orderRef(ref),
  })
}

/**
 * One order. By clientOid, Bitget finds only orders of the last 2 hours.
 * @throws OrderIdMissingError
 */
export function spotOrderInfoCall(ref: QueryOf<typeof bgSpotOrderInfo>): UpstreamCall {
  return readCall('/api/v2/spot/trade/orderInfo', orderRef(ref))
}

/** Past orders, of 90 days at most. */
export function spotHistoryCall(query: QueryOf<typeof bgSpotHistory>): UpstreamCall {
  const { symbol, startTime, endTime, limit, idLessThan } = query
  return readCall('/api/v2/spot/trade/history-orders', {
    symbol,
    startTime,
    endTime,
    limit,
    idLessThan,
  })
}

/**
 * A futures order, size in the base coin. Take profit and stop loss that hang on the order go with
 * it; those of the position are a call of their own (`positionStopsCall`).
 */
export function futuresOrderCall(order: FuturesOrder, clientOid: string): OrderCall {
  const { symbol, productType = PRODUCT_TYPE, marginMode, marginCoin = MARGIN_COIN } = order
  const { side, tradeSide, orderType, size, price, force = 'gtc', reduceOnly } = order
  const isLimit = orderType === 'limit'
  return orderCall('/api/v2/mix/order/place-order', mixPlacing, {
    symbol,
    productType,
    marginMode,
    marginCoin,
    size,
    price: isLimit ? price : undefined,
    side,
    tradeSide,
    orderType,
    force: isLimit ? force : undefined,
    clientOid,
    reduceOnly: reduceOnly === true ? 'YES' : undefined,
    presetStopSurplusPrice: order.presetStopSurplusPrice,
    presetStopLossPrice: order.presetStopLossPrice,
  })
}

/**
 * Take profit and stop loss of the whole position, set after the order; undefined when the order
 * asks for none. Which position is meant is written `long`/`short` in hedge mode, which an order
 * shows by its `tradeSide`, and `buy`/`sell` in one-way mode.
 */
export function positionStopsCall(order: FuturesOrder): UpstreamCall | undefined {
  const { stopSurplusTriggerPrice, stopLossTriggerPrice } = order
  if (stopSurplusTriggerPrice === undefined && stopLossTriggerPrice === undefined) return undefined
  const { symbol, productType = PRODUCT_TYPE, marginCoin = MARGIN_COIN } = order
  return tradeCall('/api/v2/mix/order/place-pos-tpsl', {
    symbol,
    productType,
    marginCoin,
    holdSide: holdSideOf(order),
    stopSurplusTriggerPrice,
    // Required with the price.
    stopSurplusTriggerType:
      stopSurplusTriggerPrice === undefined
        ? undefined
        : (order.stopSurplusTriggerType ?? 'mark_price'),
    stopLossTriggerPrice,
    stopLossTriggerType:
      stopLossTriggerPrice === undefined ? undefined : (order.stopLossTriggerType ?? 'mark_price'),
  })
}

/**
 * Changes an order that rests unfilled. With size and price Bitget cancels it and makes another
 * one, some time later, which is found by `newClientOid`.
 * @param newClientOid must differ from the order's own; Bitget wants it for every change
 * @throws OrderIdMissingError
 */
export function modifyOrderCall(change: ModifyOrder, newClientOid: string): OrderCall {
  const { symbol, productType = PRODUCT_TYPE, marginCoin = MARGIN_COIN } = change
  return orderCall('/api/v2/mix/order/modify-order', mixModifying, {
    ...orderRef(change),
    symbol,
    productType,
    marginCoin,
    newClientOid,
    newSize: change.newSize,
    newPrice: change.newPrice,
    newPresetStopSurplusPrice: change.newPresetStopSurplusPrice,
    newPresetStopLossPrice: change.newPresetStopLossPrice,
  })
}

/** @throws OrderIdMissingError */
export function cancelFuturesOrderCall(ref: BodyOf<typeof bgFuturesCancelOrder>): OrderCall {
  const { symbol, productType = PRODUCT_TYPE, marginCoin = MARGIN_COIN } = ref
  return orderCall('/api/v2/mix/order/cancel-order', mixCancelling, {
    symbol,
    productType,
    marginCoin,
    ...orderRef(ref),
  })
}

/** One order. @throws OrderIdMissingError */
export function futuresDetailCall(ref: QueryOf<typeof bgFuturesDetail>): UpstreamCall {
  const { symbol, productType = PRODUCT_TYPE } = ref
  return readCall('/api/v2/mix/order/detail', { symbol, productType, ...orderRef(ref) })
}

/** Past orders, of 90 days at most. */
export function futuresHistoryCall(query: QueryOf<typeof bgFuturesHistory>): UpstreamCall {
  const { symbol, productType = PRODUCT_TYPE, startTime, endTime, limit, idLessThan } = query
  return readCall('/api/v2/mix/order/orders-history', {
    productType,
    symbol,
    startTime,
    endTime,
    limit,
    idLessThan,
  })
}

/** In one-way mode a long position is called `buy`. */
function holdSideOf(order: FuturesOrder): string {
  const position = positionOf(order)
  if (order.tradeSide !== undefined) return position
  return position === 'long' ? 'buy' : 'sell'
}

/** Asks for the leverage and position mode that the account has for an order's symbol. */
export function leverageQuestion(order: FuturesOrder): UpstreamCall {
  const { symbol, productType = PRODUCT_TYPE, marginCoin = MARGIN_COIN } = order
  return readCall('/api/v2/mix/account/account', { symbol, productType, marginCoin })
}

/**
 * Sets the leverage before an order; undefined when the order names none, or when the account has
 * that one.
 * @param account the data in the response to `leverageQuestion`
 */
export function leverageChange(order: FuturesOrder, account: unknown): UpstreamCall | undefined {
  const { symbol, productType = PRODUCT_TYPE, marginCoin = MARGIN_COIN, leverage } = order
  if (leverage === undefined) return undefined
  const state = isRecord(account) ? account : {}
  const position = order.side === 'buy' ? 'long' : 'short'
  const isIsolated = order.marginMode === 'isolated'
  const isolated = position === 'long' ? state.isolatedLongLever : state.isolatedShortLever
  const current = decimalOf(isIsolated ? isolated : state.crossedMarginLeverage)
  if (current === `${leverage}`) return undefined
  // Only isolated positions in hedge mode have a leverage for each side.
  const holdSide = isIsolated && state.posMode === 'hedge_mode' ? position : undefined
  return tradeCall('/api/v2/mix/account/set-leverage', {
    symbol,
    productType,
    marginCoin,
    leverage: `${leverage}`,
    holdSide,
  })
}

/**
 * Who the account is: `userId` is asked once and remembered, because Bitget allows one call a
 * second.
 */
export function accountIdCall(): UpstreamCall {
  return readCall('/api/v2/spot/account/info', {})
}

export function spotAssetsCall(): UpstreamCall {
  return readCall('/api/v2/spot/account/assets', {})
}

export function futuresAccountsCall(): UpstreamCall {
  return readCall('/api/v2/mix/account/accounts', { productType: PRODUCT_TYPE })
}

export function allPositionsCall(query: QueryOf<typeof bgAllPositions>): UpstreamCall {
  const { productType = PRODUCT_TYPE, marginCoin } = query
  return readCall('/api/v2/mix/position/all-position', { productType, marginCoin })
}

export function singlePositionCall(query: QueryOf<typeof bgSinglePosition>): UpstreamCall {
  const { symbol, productType = PRODUCT_TYPE, marginCoin = MARGIN_COIN } = query
  return readCall('/api/v2/mix/position/single-position', { symbol, productType, marginCoin })
}

/**
 * Rows of the spot account from the response to `spotAssetsCall`. No call of Bitget's has the seven
 * fields together.
 * @param receivedAtMs Unix ms, for coins without a time of their own
 */
export function spotRows(accountId: string, data: unknown, receivedAtMs: number): BgAccountRow[] {
  return recordsOf(data).map((entry) => ({
    accountId,
    accountType: 'spot',
    coin: textOf(entry.coin) ?? '',
    available: decimalOf(entry.available) ?? '0',
    frozen: decimalOf(entry.frozen) ?? '0',
    locked: decimalOf(entry.locked) ?? '0',
    uTime: epochMsText(entry.uTime) ?? `${receivedAtMs}`,
  }))
}

/**
 * Rows of the futures account from the response to `futuresAccountsCall`. It has neither a frozen
 * amount nor a time.
 * @param receivedAtMs Unix ms
 */
export function futuresRows(
  accountId: string,
  data: unknown,
  receivedAtMs: number,
): BgAccountRow[] {
  return recordsOf(data).map((entry) => ({
    accountId,
    accountType: 'futures',
    coin: textOf(entry.marginCoin) ?? '',
    available: decimalOf(entry.available) ?? '0',
    frozen: '0',
    locked: decimalOf(entry.locked) ?? '0',
    uTime: `${receivedAtMs}`,
  }))
}

/**
 * Bitget writes this time in seconds on its pages and in ms elsewhere: ten digits are seconds until
 * the year 2286.
 */
function epochMsText(value: unknown): string | undefined {
  const text = textOf(value)
  if (text === undefined || !/^\d{10}(\d{3})?$/.test(text)) return undefined
  return text.length === 10 ? `${text}000` : text
}
