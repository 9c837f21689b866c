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
export function spotPlaces(trace: OrderKey, sentAtMs: number, nowMs: number): Places | undefined {
  const { symbol } = trace
  const wanted = wantedIdOf(trace)
  if (symbol === undefined || wanted === undefined) return undefined
  const search = { trace, wanted, sentAtMs, words, narrowing: { symbol } }
  const { orderId, clientOrderId } = wanted
  const { isWhole, ...times } = historyWindow(trace, sentAtMs, nowMs, HISTORY_SPAN_MS)
  const one = { symbol, orderId, origClientOrderId: clientOrderId }
  const past = { symbol, ...times, limit: HISTORY_LIMIT }
  return {
    byId: [idLookup(search, lookupCall(trace, '/api/v3/order', one), oneOrder)],
    lists: [
      listLookup(search, lookupCall(trace, '/api/v3/openOrders', { symbol }), {
        rows: orderList,
        limit: OPEN_LIMIT,
      }),
      listLookup(search, lookupCall(trace, '/api/v3/allOrders', past), {
        rows: orderList,
        limit: HISTORY_LIMIT,
        isWhole,
      }),
    ],
  }
}

/**
 * What MEXC spot answers to an order, which does not repeat the client order id, or to a cancel,
 * which is the order itself.
 */
export function spotAnswer(trace: OrderKey, found: FoundOrder, nowMs: number): object {
  const { orderId, order = {} } = found
  if (trace.action === 'cancel') {
    return { symbol: trace.symbol, ...order, orderId, origClientOrderId: found.clientOrderId }
  }
  return {
    symbol: trace.symbol,
    orderId,
    orderListId: -1,
    price: order.price,
    origQty: order.origQty,
    type: order.type,
    side: order.side,
    stpMode: order.stpMode,
    transactTime: order.time ?? nowMs,
  }
}
