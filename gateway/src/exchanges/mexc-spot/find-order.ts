import type { Lookup, OrderKey } from '../order-lookup/order-key.ts'
import {
  hasNone,
  historyWindow,
  idLookup,
  listLookup,
  lookupCall,
  type Narrowing,
  type OrderWords,
  ordersIn,
  type Places,
  type Rows,
  type Search,
  type TimeWindow,
  wantedIdOf,
} from '../order-lookup/search.ts'
import { isRecord } from '../protocol/untrusted.ts'

const HISTORY_SPAN_MS = 7 * 86_400_000
const HISTORY_LIMIT = 1_000
/** A time of which more lists than this are needed proves nothing. */
const LISTS_MAX = 200
/** The span of a call for past orders (docs/exchanges/mexc.md, 3), without a day for clocks. */
export const LISTED_FOR_MS = HISTORY_SPAN_MS - 86_400_000
/** The list has no limit of its own, but an account has no more open orders (one source). */
const OPEN_LIMIT = 500

// The fields of a spot order (docs/exchanges/mexc.md, 3.3).
export const words: OrderWords = {
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
export function placesOf(
  order: OrderKey,
  sentAtMs: number,
  nowMs: number,
  { without }: Narrowing,
): Places | undefined {
  const { symbol } = order
  const wanted = wantedIdOf(order)
  if (symbol === undefined || wanted === undefined) return undefined
  const search = { order, wanted, sentAtMs, words, narrowing: { symbol, without } }
  const { orderId, clientOrderId } = wanted
  const window = historyWindow(order, sentAtMs, nowMs, HISTORY_SPAN_MS)
  const one = { symbol, orderId, origClientOrderId: clientOrderId }
  return {
    byId: [idLookup(search, lookupCall(order, '/api/v3/order', one), oneOrder)],
    open: [
      listLookup(search, lookupCall(order, '/api/v3/openOrders', { symbol }), {
        rows: orderList,
        limit: OPEN_LIMIT,
      }),
    ],
    past: [historyLookup(search, [window], LISTS_MAX)],
  }
}

/**
 * A question for the past orders of the first of these times, then of the others. There is no page
 * after the first: a time with more orders than a list holds is cut in two.
 */
function historyLookup(
  search: Search,
  [window, ...later]: readonly [TimeWindow, ...TimeWindow[]],
  listsLeft: number,
): Lookup {
  const { isWhole, startTime, endTime } = window
  const { symbol } = search.order
  const query = { symbol, startTime, endTime, limit: HISTORY_LIMIT }
  const call = lookupCall(search.order, '/api/v3/allOrders', query)
  return {
    ...listLookup(search, call, { rows: orderList, limit: HISTORY_LIMIT, isWhole }),
    next(verdict) {
      const orders = ordersIn(verdict, orderList)
      if (orders === undefined || !hasNone(search, orders) || listsLeft <= 1) return undefined
      const isFull = orders.length >= HISTORY_LIMIT
      if (isFull && startTime >= endTime) return undefined
      const [first, ...rest] = isFull ? [...halvesOf(window), ...later] : later
      return first === undefined
        ? undefined
        : historyLookup(search, [first, ...rest], listsLeft - 1)
    },
  }
}

function halvesOf({ startTime, endTime, isWhole }: TimeWindow): TimeWindow[] {
  const middle = Math.floor((startTime + endTime) / 2)
  return [
    { startTime, endTime: middle, isWhole },
    { startTime: middle + 1, endTime, isWhole },
  ]
}
