import type { Places, Search } from '../order-lookup/search.ts'
import { historyWindow, listLookup, type OrderWords } from '../order-lookup/search.ts'
import {
  bitgetLookupCall,
  LIMIT,
  listIn,
  listQueries,
  orderList,
  UNIFIED_SPAN_MS,
} from './lists.ts'

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
const strategyWords: OrderWords = {
  ...planWords,
  createdAt: 'createdTime',
  terms: { position: 'posSide', trigger: 'takeProfit' },
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
    case 'strategy':
      return strategyPlaces(search, nowMs)
    default:
      return undefined
  }
}

function mixPlaces(search: Search, nowMs: number): Places | undefined {
  const { plan: planType, productType } = search.order
  if (productType === undefined) return undefined
  const { isWhole, open, past } = listQueries(search, nowMs)
  // An end of a whole position may change the existing one, whose id may stay (not documented).
  const mayChange = planType === 'profit_loss' && search.order.terms?.size === undefined
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
  return { byId: [], lists: [ask('orders-plan-pending', open), ask('orders-plan-history', past)] }
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
  return { byId: [], lists: [ask('current-plan-order', open), ask('history-plan-order', past)] }
}

/**
 * The lists of the unified account are of one kind of strategy and name no state, and what they
 * leave out is not documented: an order that is there is found, one that is not there may exist
 * nevertheless.
 */
function strategyPlaces(search: Search, nowMs: number): Places | undefined {
  const { order, sentAtMs } = search
  const { productType: category } = order
  if (category === undefined) return undefined
  const { isWhole: _span, ...times } = historyWindow(order, sentAtMs, nowMs, UNIFIED_SPAN_MS)
  const ask = (path: string, query: Query) =>
    bitgetLookupCall(order, `/api/v3/trade/${path}`, { category, ...query })
  const list = { limit: LIMIT, isWhole: false }
  return {
    byId: [],
    lists: [
      listLookup(
        { ...search, words: { ...strategyWords, usual: 'open' } },
        ask('unfilled-strategy-orders', {}),
        { ...list, rows: orderList },
      ),
      listLookup(
        { ...search, words: { ...strategyWords, usual: 'filled' } },
        ask('history-strategy-orders', { ...times, limit: LIMIT }),
        { ...list, rows: listIn('list') },
      ),
    ],
  }
}
