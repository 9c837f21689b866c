import {
  idLookup,
  listLookup,
  type OrderWords,
  type Places,
  type Search,
} from '../../order-lookup/search.ts'
import {
  bitgetLookupCall,
  LIMIT,
  listIn,
  listQueries,
  oneOrderRows,
  orderList,
  pagesById,
  STATES,
} from '../call.ts'

/** Since 2025-03-20 a spot order is found by its client id for this long. */
const FOUND_BY_CLIENT_OID_MS = 2 * 3_600_000

// The detail of futures says `state`, the lists say `status` (docs/exchanges/bitget.md, 3.3 and
// 4.4).
export const words = {
  clientOrderId: 'clientOid',
  state: ['state', 'status'],
  filledSize: 'baseVolume',
  averagePrice: 'priceAvg',
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

type Query = Record<string, string | number | undefined>

/**
 * Pages of 2025-12; their samples say `not_trigger` where their tables say `live`. An order whose
 * trigger came was placed, whatever became of the order that it made.
 */
export const planWords: OrderWords = {
  clientOrderId: 'clientOid',
  state: ['planStatus', 'status'],
  filledSize: 'baseVolume',
  createdAt: 'cTime',
  terms: {
    ...{ side: 'side', position: 'tradeSide', kind: 'orderType', size: 'size' },
    ...{ price: 'executePrice', trigger: 'triggerPrice' },
  },
  states: {
    live: 'open',
    not_trigger: 'open',
    executing: 'open',
    executed: 'filled',
    fail_execute: 'cancelled',
    cancelled: 'cancelled',
  },
}

/** Where a trigger order may be: among those that wait, or in their history. */
function triggerPlaces(search: Search, nowMs: number): Places | undefined {
  switch (search.order.plan) {
    case 'normal_plan':
    case 'track_plan':
    case 'profit_loss':
      return mixTriggerPlaces(search, nowMs)
    case 'spot':
      return spotTriggerPlaces(search, nowMs)
    default:
      return undefined
  }
}

function mixTriggerPlaces(search: Search, nowMs: number): Places | undefined {
  const { plan: planType, productType, action, orderId, terms } = search.order
  if (productType === undefined) return undefined
  const { isWhole, open, past } = listQueries(search, nowMs)
  // An end of a whole position may change the existing one, whose id may stay (not documented).
  const isByOrderId = action === 'cancel' && orderId !== undefined
  const mayChange = planType === 'profit_loss' && terms?.size === undefined && !isByOrderId
  const list = { rows: listIn('entrustedList'), limit: LIMIT, isWhole: isWhole && !mayChange }
  const ask = (path: string, query: Query) =>
    listLookup(
      { ...search, words: planWords },
      bitgetLookupCall(search.order, `/api/v2/mix/order/${path}`, {
        planType,
        productType,
        ...query,
      }),
      list,
    )
  return {
    byId: [],
    open: [ask('orders-plan-pending', open)],
    past: [ask('orders-plan-history', past)],
  }
}

function spotTriggerPlaces(search: Search, nowMs: number): Places {
  const { isWhole, open, past } = listQueries(search, nowMs)
  const list = { rows: listIn('orderList'), limit: LIMIT, isWhole }
  const ask = (path: string, query: Query) =>
    listLookup(
      { ...search, words: planWords },
      bitgetLookupCall(search.order, `/api/v2/spot/trade/${path}`, query),
      list,
    )
  return {
    byId: [],
    open: [ask('current-plan-order', open)],
    past: [ask('history-plan-order', past)],
  }
}
