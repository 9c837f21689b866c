import type {
  BgFuturesOrder,
  BgModifyOrder,
  BodyOf,
  bgFuturesCancelOrder,
  bgFuturesDetail,
  bgFuturesHistory,
  QueryOf,
} from 'schema'
import type { UpstreamCall } from '../../exchange.ts'
import type { OrderCall } from '../../order-lookup/order-key.ts'
import { amountText, optionalAmount } from '../../protocol/decimals.ts'
import { MARGIN_COIN, orderCall, orderRef, PRODUCT_TYPE, readCall, tradeCall } from '../call.ts'
import { positionOf } from '../position-of.ts'
import { mixCancelling, mixModifying, mixPlacing } from './order-calls.ts'

/**
 * A futures order, size in the base coin. Take profit and stop loss that hang on the order go with
 * it; those of the position are a call of their own (`positionStopsCall`).
 */
export function futuresOrderCall(order: BgFuturesOrder, clientOid: string): OrderCall {
  const { symbol, productType = PRODUCT_TYPE, marginMode, marginCoin = MARGIN_COIN } = order
  const { side, tradeSide, orderType, size, price, force = 'gtc', reduceOnly } = order
  const isLimit = orderType === 'limit'
  return orderCall('/api/v2/mix/order/place-order', mixPlacing, {
    symbol,
    productType,
    marginMode,
    marginCoin,
    size: amountText(size),
    price: isLimit && price !== undefined ? amountText(price) : undefined,
    side,
    tradeSide,
    orderType,
    force: isLimit ? force : undefined,
    clientOid,
    reduceOnly: reduceOnly === true ? 'YES' : undefined,
    presetStopSurplusPrice: optionalAmount(order.presetStopSurplusPrice),
    presetStopLossPrice: optionalAmount(order.presetStopLossPrice),
  })
}

/**
 * Take profit and stop loss of the whole position, set after the order; undefined when the order
 * asks for none. Which position is meant is written `long`/`short` in hedge mode, which an order
 * shows by its `tradeSide`, and `buy`/`sell` in one-way mode.
 */
export function positionStopsCall(order: BgFuturesOrder): UpstreamCall | undefined {
  const { stopSurplusTriggerPrice, stopLossTriggerPrice } = order
  if (stopSurplusTriggerPrice === undefined && stopLossTriggerPrice === undefined) return undefined
  const { symbol, productType = PRODUCT_TYPE, marginCoin = MARGIN_COIN } = order
  return tradeCall('/api/v2/mix/order/place-pos-tpsl', {
    symbol,
    productType,
    marginCoin,
    holdSide: holdSideOf(order),
    stopSurplusTriggerPrice: optionalAmount(stopSurplusTriggerPrice),
    // Required with the price.
    stopSurplusTriggerType:
      stopSurplusTriggerPrice === undefined
        ? undefined
        : (order.stopSurplusTriggerType ?? 'mark_price'),
    stopLossTriggerPrice: optionalAmount(stopLossTriggerPrice),
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
export function modifyOrderCall(change: BgModifyOrder, newClientOid: string): OrderCall {
  const { symbol, productType = PRODUCT_TYPE, marginCoin = MARGIN_COIN } = change
  return orderCall('/api/v2/mix/order/modify-order', mixModifying, {
    ...orderRef(change),
    symbol,
    productType,
    marginCoin,
    newClientOid,
    newSize: optionalAmount(change.newSize),
    newPrice: optionalAmount(change.newPrice),
    newPresetStopSurplusPrice: optionalAmount(change.newPresetStopSurplusPrice),
    newPresetStopLossPrice: optionalAmount(change.newPresetStopLossPrice),
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
function holdSideOf(order: BgFuturesOrder): string {
  const position = positionOf(order)
  if (order.tradeSide !== undefined) return position
  return position === 'long' ? 'buy' : 'sell'
}
