import type { BgFuturesOrder, BgModifyOrder, BodyOf, bgFuturesCancelOrder } from 'schema'
import type { UpstreamCall } from '../../exchange.ts'
import type { OrderCall } from '../../order-lookup/order-key.ts'
import { amountText, optionalAmount } from '../../protocol/decimals.ts'
import { orderCall, orderRef, PRODUCT_TYPE, tradeCall } from '../call.ts'
import { positionOf } from '../position-of.ts'
import { unifiedCancelling, unifiedModifying, unifiedPlacing } from './order-calls.ts'

/**
 * A futures order, size in the base coin. Take profit and stop loss that hang on the order go with
 * it; those of the position are a call of their own (`positionStopsCall`).
 */
export function futuresOrderCall(order: BgFuturesOrder, clientOid: string): OrderCall {
  const { symbol, productType = PRODUCT_TYPE, marginMode, orderType, size, price } = order
  const isLimit = orderType === 'limit'
  return orderCall('/api/v3/trade/place-order', unifiedPlacing, {
    category: productType,
    symbol,
    marginMode,
    ...directionOf(order),
    orderType,
    qty: amountText(size),
    price: isLimit && price !== undefined ? amountText(price) : undefined,
    timeInForce: isLimit ? (order.force ?? 'gtc') : undefined,
    clientOid,
    reduceOnly: order.reduceOnly === true ? 'yes' : undefined,
    takeProfit: optionalAmount(order.presetStopSurplusPrice),
    stopLoss: optionalAmount(order.presetStopLossPrice),
  })
}

/**
 * In hedge mode the documented `side` names the position, and that of v3 names the trade: closing a
 * long position is `buy` there and `sell` here. A wrong `posSide` is accepted and opens a position
 * (docs/exchanges/bitget-unified.md, 7).
 */
function directionOf({ side, tradeSide }: BgFuturesOrder) {
  if (tradeSide === undefined) return { side }
  const isBuy = (side === 'buy') === (tradeSide === 'open')
  return { side: isBuy ? 'buy' : 'sell', posSide: side === 'buy' ? 'long' : 'short' }
}

/**
 * Take profit and stop loss of the whole position, set after the order; undefined when the order
 * asks for none.
 */
export function positionStopsCall(order: BgFuturesOrder): UpstreamCall | undefined {
  const { symbol, productType = PRODUCT_TYPE } = order
  const { stopSurplusTriggerPrice: takeProfit, stopLossTriggerPrice: stopLoss } = order
  if (takeProfit === undefined && stopLoss === undefined) return undefined
  return tradeCall('/api/v3/trade/place-strategy-order', {
    category: productType,
    symbol,
    type: 'tpsl',
    tpslMode: 'full',
    // The page requires it in one-way mode too, the SDK does not: always sent.
    posSide: positionOf(order),
    takeProfit: optionalAmount(takeProfit),
    tpTriggerBy: takeProfit === undefined ? undefined : triggerBy(order.stopSurplusTriggerType),
    stopLoss: optionalAmount(stopLoss),
    slTriggerBy: stopLoss === undefined ? undefined : triggerBy(order.stopLossTriggerType),
  })
}

/**
 * Changes an open order in place: it keeps its ids. That `newSize` is the new total is assumed by
 * every library and documented nowhere (docs/exchanges/bitget-unified.md, 4.3).
 * @throws OrderIdMissingError
 */
export function modifyOrderCall(change: BgModifyOrder): OrderCall {
  const { symbol, productType = PRODUCT_TYPE } = change
  return orderCall('/api/v3/trade/modify-order', unifiedModifying, {
    ...orderRef(change),
    category: productType,
    symbol,
    qty: optionalAmount(change.newSize),
    price: optionalAmount(change.newPrice),
    takeProfit: optionalAmount(change.newPresetStopSurplusPrice),
    stopLoss: optionalAmount(change.newPresetStopLossPrice),
  })
}

/** @throws OrderIdMissingError */
export function cancelFuturesOrderCall(ref: BodyOf<typeof bgFuturesCancelOrder>): OrderCall {
  const { symbol, productType = PRODUCT_TYPE } = ref
  return orderCall('/api/v3/trade/cancel-order', unifiedCancelling, {
    category: productType,
    symbol,
    ...orderRef(ref),
  })
}

function triggerBy(type: BgFuturesOrder['stopLossTriggerType']): string {
  return type === 'fill_price' ? 'market' : 'mark'
}
