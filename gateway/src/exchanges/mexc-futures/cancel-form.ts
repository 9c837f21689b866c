import type { OrderKey } from '../order-lookup/order-key.ts'
import type { CancelForm } from '../order-lookup/order-protocol.ts'
import { toOrderKey } from '../order-lookup/to-order-call.ts'
import { cancelOrderCall, tradeCall } from './calls.ts'
import { cancelTriggerForm } from './cancel-trigger-form.ts'
import { cancelling } from './order-calls.ts'

/** Orders in one cancel (docs/exchanges/mexc.md, 4.4). */
const MAX = 50

/**
 * Up to 50 orders by MEXC's ids. By client order ids one at a time: whether the live exchange takes
 * a list of them is disputed. Trigger orders have calls of their own.
 */
export function cancelForm(order: OrderKey): CancelForm | undefined {
  const { symbol, orderId, clientOrderId } = order
  if (order.plan !== undefined) return cancelTriggerForm(order)
  if (orderId !== undefined)
    return {
      group: 'by order id',
      max: MAX,
      callOf(orders) {
        const ids = orders.map((each) => ({ orderId: each.orderId ?? orderId }))
        const call = tradeCall(
          '/order/cancel',
          ids.map((each) => each.orderId),
        )
        return { call, order: toOrderKey('mx', call, cancelling, ids) }
      },
    }
  if (symbol === undefined || clientOrderId === undefined) return undefined
  return {
    group: 'by client order id',
    max: 1,
    callOf: ([first = order]) =>
      cancelOrderCall({
        symbol: first.symbol ?? symbol,
        clientOrderId: first.clientOrderId ?? clientOrderId,
      }),
  }
}
