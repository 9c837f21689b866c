import type { MxBalance, MxOrderResult } from 'schema'
import type { ExchangeObject } from '../protocol/response-parts.ts'
import { objectsOf, orderOf, requiredText } from '../protocol/response-parts.ts'
import { decimalOf, isRecord, recordsOf, textOf } from '../protocol/untrusted.ts'
import type { Market } from '../symbol-rules.ts'
import type { OrderRef } from './calls.ts'

/**
 * The answer to a placed order. Neither market echoes the client order id, so that it is the one
 * that was sent.
 * @throws ExchangeAnswerUnclearError when the exchange names no order
 */
export function placedOrder(data: unknown, clientOrderId: string): MxOrderResult {
  // Futures answered with the bare id before 2026-04-25 and with an object since.
  const orderId = isRecord(data) ? data.orderId : data
  return {
    success: true,
    orderId: requiredText('MEXC', orderId, 'order id'),
    message: 'Order submitted',
    clientOrderId,
  }
}

/** The answer to a cancel. By one's own id, futures may name no order; then `orderId` is empty. */
export function cancelledOrder(data: unknown, ref: OrderRef): MxOrderResult {
  const entry = Array.isArray(data) ? data[0] : data
  const named = isRecord(entry) ? textOf(entry.orderId) : undefined
  return {
    success: true,
    orderId: ref.orderId ?? named ?? '',
    message: 'Order cancelled',
    ...(ref.clientOrderId === undefined ? {} : { clientOrderId: ref.clientOrderId }),
  }
}

/** @throws ExchangeRefusedError when there is no such order */
export function oneOrder(data: unknown): ExchangeObject {
  return orderOf('MEXC', data)
}

/** Orders, newest first. Some pages of futures wrap the list in `resultList`. */
export function orderList(data: unknown): ExchangeObject[] {
  const orders = objectsOf(isRecord(data) ? data.resultList : data)
  const createdAt = (order: ExchangeObject) => Number(order.createTime ?? order.time ?? 0)
  return orders.toSorted((a, b) => createdAt(b) - createdAt(a))
}

/** The balances in the answer to `accountCall`. */
export function balances(market: Market, data: unknown): MxBalance[] {
  if (market === 'spot') {
    return recordsOf(isRecord(data) ? data.balances : undefined).map((entry) => ({
      accountType: 'spot',
      coin: textOf(entry.asset) ?? '',
      available: decimalOf(entry.free) ?? '0',
      frozen: decimalOf(entry.locked) ?? '0',
      equity: null,
    }))
  }
  return recordsOf(data).map((entry) => ({
    accountType: 'futures',
    coin: textOf(entry.currency) ?? '',
    available: decimalOf(entry.availableBalance) ?? '0',
    frozen: decimalOf(entry.frozenBalance) ?? '0',
    equity: decimalOf(entry.equity) ?? null,
  }))
}
