import type { FoundOrder, OrderKey } from '../order-lookup/order-key.ts'
import type { OrderWords, Places, Rows } from '../order-lookup/search.ts'
import {
  historyWindow,
  idLookup,
  listLookup,
  lookupCall,
  wantedIdOf,
} from '../order-lookup/search.ts'
import { isRecord } from '../protocol/untrusted.ts'

const HISTORY_SPAN_MS = 7 * 86_400_000
const HISTORY_LIMIT = 1_000
/** The list has no limit of its own, but an account has no more open orders (one source). */
const OPEN_LIMIT = 500

// The fields of a spot order (docs/exchanges/mexc.md, 3.3).
const words: OrderWords = {
  clientOrderId: 'clientOrderId',
  state: ['status'],
  filledSize: 'executedQty',
  createdAt: 'time',
  terms: { side: 'side', kind: 'type', price: 'price', size: 'origQty' },
  states: {
    new: 'open',
    partially_filled: 'partially-filled',
    filled: 'filled',
    canceled: 'cancelled',
    partially_canceled: 'cancelled',
  },
}

const oneOrder: Rows = (data) => (isRecord(data) && 'orderId' in data ? [data] : undefined)
const orderList: Rows = (data) => (Array.isArray(data) ? data : undefined)

/** Where a MEXC spot order may be. Every place is asked by symbol: without one there is none. */
export function placesOf(order: OrderKey, sentAtMs: number, nowMs: number): Places | undefined {
  const { symbol } = order
  const wanted = wantedIdOf(order)
  if (symbol === undefined || wanted === undefined) return undefined
  const search = { order, wanted, sentAtMs, words, narrowing: { symbol } }
  const { orderId, clientOrderId } = wanted
  const { isWhole, ...times } = historyWindow(order, sentAtMs, nowMs, HISTORY_SPAN_MS)
  const one = { symbol, orderId, origClientOrderId: clientOrderId }
  const past = { symbol, ...times, limit: HISTORY_LIMIT }
  return {
    byId: [idLookup(search, lookupCall(order, '/api/v3/order', one), oneOrder)],
    open: [
      listLookup(search, lookupCall(order, '/api/v3/openOrders', { symbol }), {
        rows: orderList,
        limit: OPEN_LIMIT,
      }),
    ],
    past: [
      listLookup(search, lookupCall(order, '/api/v3/allOrders', past), {
        rows: orderList,
        limit: HISTORY_LIMIT,
        isWhole,
      }),
    ],
  }
}

/**
 * What MEXC spot responds to an order, which does not repeat the client order id, or to a cancel,
 * which is the order itself.
 */
export function foundResponse(order: OrderKey, found: FoundOrder, nowMs: number): object {
  const { orderId, order: row = {} } = found
  if (order.action === 'cancel') {
    return { symbol: order.symbol, ...row, orderId, origClientOrderId: found.clientOrderId }
  }
  return {
    symbol: order.symbol,
    orderId,
    orderListId: -1,
    price: row.price,
    origQty: row.origQty,
    type: row.type,
    side: row.side,
    stpMode: row.stpMode,
    transactTime: row.time ?? nowMs,
  }
}
