import type { BodyOf, MxOrderResult, mxCancelOrder } from 'schema'
import type { FoundOrder, OrderKey } from './order-lookup/order-key.ts'
import { OrderIdMissingError } from './protocol/errors.ts'
import type { ExchangeObject } from './protocol/response-parts.ts'
import { objectsOf, orderOf, requiredText } from './protocol/response-parts.ts'
import { isRecord, textOf } from './protocol/untrusted.ts'

// What the documented MEXC routes take and give, for both markets.

/** Which order is meant: by the exchange's id, or by one's own; the exchange's wins. */
export type MexcOrderRef = BodyOf<typeof mxCancelOrder>

export function noMexcOrder(): Error {
  return new OrderIdMissingError('orderId or clientOrderId')
}

/**
 * The response to a placed order. Neither market echoes the client order id, so that it is the one
 * that was sent.
 * @throws ExchangeResponseUnclearError when the exchange names no order
 */
export function placedOrder(data: unknown, clientOrderId: string): MxOrderResult {
  // Futures responded with the bare id before 2026-04-25 and with an object since.
  const orderId = isRecord(data) ? data.orderId : data
  return {
    success: true,
    orderId: requiredText('MEXC', orderId, 'order id'),
    message: 'Order submitted',
    clientOrderId,
  }
}

/**
 * The response to a cancel. By one's own id, futures may name no order; then `orderId` is empty.
 */
export function cancelledOrder(data: unknown, ref: MexcOrderRef): MxOrderResult {
  const entry = Array.isArray(data) ? data[0] : data
  const named = isRecord(entry) ? textOf(entry.orderId) : undefined
  return {
    success: true,
    orderId: ref.orderId ?? named ?? '',
    message: 'Order cancelled',
    ...(ref.clientOrderId === undefined ? {} : { clientOrderId: ref.clientOrderId }),
  }
}

/** The response to an order or cancel, made from the order that was found. */
export function foundResult(
  { action, clientOrderId: sentId }: OrderKey,
  { orderId, clientOrderId = sentId }: FoundOrder,
): MxOrderResult {
  return {
    success: true,
    orderId,
    message: action === 'cancel' ? 'Order cancelled' : 'Order submitted',
    ...(clientOrderId === undefined ? {} : { clientOrderId }),
  }
}

/** @throws ExchangeRejectedError when there is no such order */
export function oneOrder(data: unknown): ExchangeObject {
  return orderOf('MEXC', data)
}

/** Orders, newest first. Some pages of futures wrap the list in `resultList`. */
export function orderList(data: unknown): ExchangeObject[] {
  const orders = objectsOf(isRecord(data) ? data.resultList : data)
  const createdAt = (order: ExchangeObject) => Number(textOf(order.createTime ?? order.time) ?? 0)
  return orders.toSorted((a, b) => createdAt(b) - createdAt(a))
}

/**
 * ccxt 4.5 looks for these in the text of MEXC's errors before it looks at the code. An
 * administrator's reason may have one of them.
 */
export const MEXC_MISREAD =
  /maintenance|Param error!|Invalid symbol\.|Oversold|Insufficient (?:position|balance!)|Order quantity error|Combination of optional|api market order|Contract not allow|Bid price is great/g
