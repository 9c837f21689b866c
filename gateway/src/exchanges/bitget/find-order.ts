import type { FoundOrder, OrderKey } from '../order-lookup/order-key.ts'
import type { Narrowing, OrderWords, Places, Rows, Search } from '../order-lookup/search.ts'
import { historyWindow, idLookup, listLookup, wantedIdOf } from '../order-lookup/search.ts'
import { isRecord } from '../protocol/untrusted.ts'
import { triggerPlaces } from './find-trigger.ts'
import {
  bitgetLookupCall,
  LIMIT,
  listIn,
  listQueries,
  orderList,
  UNIFIED_SPAN_MS,
} from './lists.ts'

/** Since 2025-03-20 a spot order is found by its client id for this long. */
const FOUND_BY_CLIENT_OID_MS = 2 * 3_600_000

// The detail of futures says `state`, the lists say `status` (docs/exchanges/bitget.md, 3.3 and
// 4.4).
const classicWords: OrderWords = {
  clientOrderId: 'clientOid',
  state: ['state', 'status'],
  filledSize: 'baseVolume',
  createdAt: 'cTime',
  terms: { side: 'side', position: 'tradeSide', kind: 'orderType', price: 'price', size: 'size' },
  states: {
    init: 'open',
    new: 'open',
    live: 'open',
    partially_filled: 'partially-filled',
    filled: 'filled',
    full_fill: 'filled',
    cancelled: 'cancelled',
    canceled: 'cancelled',
  },
}
const unifiedWords: OrderWords = {
  ...classicWords,
  state: ['orderStatus'],
  filledSize: 'cumExecQty',
  createdAt: 'createdTime',
  terms: { side: 'side', position: 'posSide', kind: 'orderType', price: 'price', size: 'qty' },
}

const oneOrder: Rows = (data) => (isRecord(data) && 'orderId' in data ? [data] : undefined)

/** Where a Bitget order may be; undefined when there is nothing to look it up by. */
export function placesOf(
  order: OrderKey,
  sentAtMs: number,
  nowMs: number,
  narrowing: Narrowing,
): Places | undefined {
  const wanted = wantedIdOf(order)
  // A change that makes no order of its own leaves nothing to be found.
  const isInPlace = order.action === 'modify' && order.clientOrderId === undefined
  if (wanted === undefined || isInPlace) return undefined
  const search = { order, wanted, sentAtMs, words: classicWords, narrowing }
  if (order.plan !== undefined) return triggerPlaces(search, nowMs)
  if (order.isUnified === true) return unifiedPlaces({ ...search, words: unifiedWords }, nowMs)
  return order.market === 'spot' ? spotPlaces(search, nowMs) : mixPlaces(search, nowMs)
}

/** What Bitget responds to an order, a change and a cancel. @param nowMs exchange time */
export function foundResponse(order: OrderKey, found: FoundOrder, nowMs: number): object {
  const clientOid = found.clientOrderId ?? order.clientOrderId ?? null
  const data = { orderId: found.orderId, clientOid }
  return { code: '00000', msg: 'success', requestTime: nowMs, data }
}

function spotPlaces(search: Search, nowMs: number): Places {
  const { order, sentAtMs } = search
  const { orderId, clientOrderId: clientOid } = search.wanted
  const { isWhole, open, past } = listQueries(search, nowMs)
  const list = { rows: orderList, limit: LIMIT, isWhole }
  const isPast = order.action === 'place' && nowMs - sentAtMs >= FOUND_BY_CLIENT_OID_MS
  const ask = (path: string, query: typeof open) =>
    bitgetLookupCall(order, `/api/v2/spot/trade/${path}`, query)
  return {
    byId: isPast ? [] : [idLookup(search, ask('orderInfo', { orderId, clientOid }), orderList)],
    lists: [
      listLookup(search, ask('unfilled-orders', open), list),
      listLookup(search, ask('history-orders', past), list),
    ],
  }
}

function mixPlaces(search: Search, nowMs: number): Places | undefined {
  const { order, wanted } = search
  const { symbol, productType } = order
  if (productType === undefined) return undefined
  const { orderId, clientOrderId: clientOid } = wanted
  const { isWhole, open, past } = listQueries(search, nowMs)
  const list = { rows: listIn('entrustedList'), limit: LIMIT, isWhole }
  const ask = (path: string, query: typeof open) =>
    bitgetLookupCall(order, `/api/v2/mix/order/${path}`, { productType, ...query })
  const detail = idLookup(search, ask('detail', { symbol, orderId, clientOid }), oneOrder)
  return {
    byId: symbol === undefined ? [] : [detail],
    lists: [
      // Without a status only orders that have not traded are listed (one source).
      listLookup(search, ask('orders-pending', open), list),
      listLookup(search, ask('orders-pending', { ...open, status: 'partially_filled' }), list),
      listLookup(search, ask('orders-history', past), list),
    ],
  }
}

function unifiedPlaces(search: Search, nowMs: number): Places {
  const { order, sentAtMs, wanted, narrowing } = search
  const { productType: category } = order
  const { orderId, clientOrderId: clientOid } = wanted
  const { isWhole, ...times } = historyWindow(order, sentAtMs, nowMs, UNIFIED_SPAN_MS)
  const list = { rows: listIn('list'), limit: LIMIT, isWhole }
  const open = { category, symbol: narrowing.symbol, limit: LIMIT }
  const ask = (path: string, query: Record<string, string | number | undefined>) =>
    bitgetLookupCall(order, `/api/v3/trade/${path}`, query)
  const isLast = category === undefined
  return {
    byId: [idLookup(search, ask('order-info', { orderId, clientOid }), oneOrder, { isLast })],
    lists: [
      listLookup(search, ask('unfilled-orders', open), list),
      // Required there, and absent from a cancel.
      ...(category === undefined
        ? []
        : [listLookup(search, ask('history-orders', { ...open, ...times }), list)]),
    ],
  }
}
