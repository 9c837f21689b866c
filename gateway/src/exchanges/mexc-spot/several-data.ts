import type { EndedOrder } from '../order-lookup/order-key.ts'
import { notDoneOf } from '../order-lookup/order-key.ts'

/** Order does not exist (docs/exchanges/mexc.md, 6). */
const SPOT_NOT_FOUND = -2013

/**
 * What MEXC spot responds to several orders: each with its id, or with the reason that it has none.
 */
export function severalResponse(_several: unknown, ended: readonly EndedOrder[]): object[] {
  return ended.map((entry) => {
    const { order, end } = entry
    const notDone = notDoneOf(entry)
    const newClientOrderId = order.clientOrderId
    if (notDone !== undefined || end === 'absent')
      return { newClientOrderId, msg: notDone?.text, code: SPOT_NOT_FOUND }
    return { symbol: order.symbol, orderId: end.orderId, newClientOrderId, orderListId: -1 }
  })
}
