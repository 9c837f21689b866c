import type { OrderKey } from '../order-lookup/order-key.ts'
import type { CancelAllForm, CancelForm, CancelledAll } from '../order-lookup/order-protocol.ts'
import { textOf } from '../protocol/untrusted.ts'
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

/** The calls that cancel orders of an account without naming them (docs/exchanges/mexc.md, 3). */
export const cancelAlls: ReadonlyMap<string, CancelAllForm> = new Map<string, CancelAllForm>([
  [
    'DELETE /api/v3/openOrders',
    {
      reach({ symbol }) {
        const symbols = textOf(symbol)?.split(',') ?? []
        return symbols.length === 0 || symbols.includes('')
          ? undefined
          : { market: 'spot', symbols }
      },
      response: ({ cancelled }) => cancelled.map(toCancelled),
    },
  ],
  [
    'DELETE /api/v3/order/all',
    {
      reach: () => ({ market: 'spot', symbols: [] }),
      response: (_orders, _fields, nowMs) => ({ code: 200, msg: 'success', timestamp: nowMs }),
    },
  ],
])

/** What the gateway knows of it: MEXC's own response has the quantity that was filled, too. */
function toCancelled({ key, orderId, clientOrderId }: CancelledAll['cancelled'][number]): object {
  const { symbol, terms = {} } = key
  return {
    ...{ symbol, orderId, origClientOrderId: clientOrderId ?? '', price: terms.price },
    ...{ origQty: terms.size, type: terms.kind?.toUpperCase(), side: terms.side?.toUpperCase() },
    status: 'CANCELED',
  }
}
