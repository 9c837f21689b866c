import { notDoneOf } from '../order-lookup/not-done.ts'
import type { EndedOrder } from '../order-lookup/order-key.ts'

/** Such an order does not exist, or its state cannot be cancelled (docs/exchanges/mexc.md, 4.4). */
const FUTURES_CODES = { 'order-not-found': 2040, 'order-state': 2041 } as const
/** Order does not exist (docs/exchanges/mexc.md, 6). */
const SPOT_NOT_FOUND = -2013

/** What MEXC spot answers to several orders: each with its id, or with the reason that it has none. */
export function spotSeveralData(ended: readonly EndedOrder[]): object[] {
  return ended.map((entry) => {
    const { order, end } = entry
    const notDone = notDoneOf(entry)
    const newClientOrderId = order.clientOrderId
    if (notDone !== undefined || end === 'absent')
      return { newClientOrderId, msg: notDone?.text, code: SPOT_NOT_FOUND }
    return { symbol: order.symbol, orderId: end.orderId, newClientOrderId, orderListId: -1 }
  })
}

/** What MEXC futures answers to several orders, or cancels: entry by entry, each with a code. */
export function futuresSeveralData(ended: readonly EndedOrder[]): object[] {
  return ended.map((entry) => {
    const { order, end } = entry
    const notDone = notDoneOf(entry)
    const orderId = end === 'absent' ? order.orderId : end.orderId
    const isByOwn = order.action === 'cancel' && order.orderId !== undefined
    const { symbol, clientOrderId: externalOid } = order
    return {
      ...(isByOwn ? {} : { externalOid }),
      ...(isByOwn || order.action !== 'cancel' ? {} : { symbol }),
      orderId: orderId ?? '',
      errorCode: notDone === undefined ? 0 : FUTURES_CODES[notDone.class],
      errorMsg: notDone?.text ?? 'success',
    }
  })
}
