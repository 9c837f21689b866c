import type { Places, Search } from '../../order-lookup/search.ts'
import { idLookup } from '../../order-lookup/search.ts'
import {
  bitgetLookupCall,
  listIn,
  listQueries,
  oneOrderRows,
  orderList,
  pagesById,
} from '../lists.ts'
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
  const { action, clientOrderId, isInPlace } = search.order
  // A change that makes no order of its own leaves nothing to be found.
  if (action === 'modify' && (clientOrderId === undefined || isInPlace === true)) return undefined
  if (search.order.plan !== undefined) return triggerPlaces(search, nowMs)
  return search.order.market === 'spot' ? spotPlaces(search, nowMs) : mixPlaces(search, nowMs)
}

function spotPlaces(search: Search, nowMs: number): Places {
  const { order, sentAtMs } = search
  const { orderId, clientOrderId: clientOid } = search.wanted
  const { isWhole, open, past } = listQueries(search, nowMs)
  const isPast = order.action === 'place' && nowMs - sentAtMs >= FOUND_BY_CLIENT_OID_MS
  const ask = (path: string, query: typeof open) =>
    bitgetLookupCall(order, `/api/v2/spot/trade/${path}`, query)
  const list = (path: string, query: typeof open) =>
    pagesById(search, (before) => ask(path, { ...query, ...before }), { rows: orderList, isWhole })
  return {
    byId: isPast ? [] : [idLookup(search, ask('orderInfo', { orderId, clientOid }), orderList)],
    open: [list('unfilled-orders', open)],
    past: [list('history-orders', past)],
  }
}

function mixPlaces(search: Search, nowMs: number): Places | undefined {
  const { order, wanted } = search
  const { symbol, productType } = order
  if (productType === undefined) return undefined
  const { orderId, clientOrderId: clientOid } = wanted
  const { isWhole, open, past } = listQueries(search, nowMs)
  const ask = (path: string, query: typeof open) =>
    bitgetLookupCall(order, `/api/v2/mix/order/${path}`, { productType, ...query })
  const rows = listIn('entrustedList')
  const list = (path: string, query: typeof open) =>
    pagesById(search, (before) => ask(path, { ...query, ...before }), { rows, isWhole })
  const detail = idLookup(search, ask('detail', { symbol, orderId, clientOid }), oneOrderRows)
  return {
    byId: symbol === undefined ? [] : [detail],
    open: [
      // Without a status only orders that have not traded are listed (one source).
      list('orders-pending', open),
      list('orders-pending', { ...open, status: 'partially_filled' }),
    ],
    past: [list('orders-history', past)],
  }
}
