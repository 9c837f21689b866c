import type { Places, Search } from '../../order-lookup/search.ts'
import { idLookup, listLookup } from '../../order-lookup/search.ts'
import { bitgetLookupCall, LIMIT, listIn, listQueries, oneOrderRows, orderList } from '../lists.ts'
import { STATES } from '../order-states.ts'
import { triggerPlaces } from './find-trigger.ts'

/** Since 2025-03-20 a spot order is found by its client id for this long. */
const FOUND_BY_CLIENT_OID_MS = 2 * 3_600_000

// The detail of futures says `state`, the lists say `status` (docs/exchanges/bitget.md, 3.3 and
// 4.4).
const words = {
  clientOrderId: 'clientOid',
  state: ['state', 'status'],
  filledSize: 'baseVolume',
  createdAt: 'cTime',
  terms: { side: 'side', position: 'tradeSide', kind: 'orderType', price: 'price', size: 'size' },
  states: STATES,
} as const

/** Where an order of a classic account may be; undefined when its call does not say enough. */
export function classicPlaces(unworded: Omit<Search, 'words'>, nowMs: number): Places | undefined {
  const search = { ...unworded, words }
  // A change that makes no order of its own leaves nothing to be found.
  if (search.order.action === 'modify' && search.order.clientOrderId === undefined) return undefined
  if (search.order.plan !== undefined) return triggerPlaces(search, nowMs)
  return search.order.market === 'spot' ? spotPlaces(search, nowMs) : mixPlaces(search, nowMs)
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
    open: [listLookup(search, ask('unfilled-orders', open), list)],
    past: [listLookup(search, ask('history-orders', past), list)],
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
  const detail = idLookup(search, ask('detail', { symbol, orderId, clientOid }), oneOrderRows)
  return {
    byId: symbol === undefined ? [] : [detail],
    open: [
      // Without a status only orders that have not traded are listed (one source).
      listLookup(search, ask('orders-pending', open), list),
      listLookup(search, ask('orders-pending', { ...open, status: 'partially_filled' }), list),
    ],
    past: [listLookup(search, ask('orders-history', past), list)],
  }
}
