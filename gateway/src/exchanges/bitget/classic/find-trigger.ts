import type { Places, Search } from '../../order-lookup/search.ts'
import { listLookup, type OrderWords } from '../../order-lookup/search.ts'
import { bitgetLookupCall, LIMIT, listIn, listQueries } from '../lists.ts'

type Query = Record<string, string | number | undefined>

/**
 * Pages of 2025-12; their samples say `not_trigger` where their tables say `live`. An order whose
 * trigger came was placed, whatever became of the order that it made.
 */
const planWords: OrderWords = {
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
export function triggerPlaces(search: Search, nowMs: number): Places | undefined {
  switch (search.order.plan) {
    case 'normal_plan':
    case 'track_plan':
    case 'profit_loss':
      return mixPlaces(search, nowMs)
    case 'spot':
      return spotPlaces(search, nowMs)
    default:
      return undefined
  }
}

function mixPlaces(search: Search, nowMs: number): Places | undefined {
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

function spotPlaces(search: Search, nowMs: number): Places {
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
