import type { EndedOrder } from '../order-lookup/order-key.ts'
import { notDoneOf } from '../order-lookup/order-key.ts'

/** Such an order does not exist, or its state cannot be cancelled (docs/exchanges/mexc.md, 4.4). */
const FUTURES_CODES = { 'order-not-found': 2040, 'order-state': 2041 } as const

/** What MEXC futures responds to several orders, or cancels: entry by entry, each with a code. */
export function severalResponse(_several: unknown, ended: readonly EndedOrder[]): object {
  return { success: true, code: 0, data: severalData(ended) }
}

function severalData(ended: readonly EndedOrder[]): object[] {
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
