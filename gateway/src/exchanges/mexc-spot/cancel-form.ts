import type { OrderKey } from '../order-lookup/order-key.ts'
import type { CancelForm } from '../order-lookup/order-protocol.ts'
import { cancelOrderCall } from './calls.ts'

/** MEXC spot cancels one order at a time, or all of a symbol. */
export function cancelForm(order: OrderKey): CancelForm | undefined {
  const { symbol, orderId, clientOrderId } = order
  if (symbol === undefined || (orderId ?? clientOrderId) === undefined) return undefined
  return {
    group: 'one',
    max: 1,
    callOf: ([first = order]) =>
      cancelOrderCall({
        symbol: first.symbol ?? symbol,
        ...(first.orderId === undefined ? {} : { orderId: first.orderId }),
        ...(first.clientOrderId === undefined ? {} : { clientOrderId: first.clientOrderId }),
      }),
  }
}
