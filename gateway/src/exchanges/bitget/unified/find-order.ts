import { termsOf } from '../../order-lookup/order-call.ts'
import { compareTerms, type FoundOrder, type Lookup } from '../../order-lookup/order-key.ts'
import {
  historyWindow,
  idLookup,
  listLookup,
  type OrderWords,
  type Places,
  type Search,
} from '../../order-lookup/search.ts'
import { isRecord, textOf } from '../../protocol/untrusted.ts'
import { bitgetLookupCall, LIMIT, listIn, oneOrderRows, orderList, STATES } from '../call.ts'

/** The longest span of one call for a history (docs/exchanges/bitget-unified.md, 3). */
export const SPAN_MAX_MS = 30 * 86_400_000

/** How far the measured time of a sending may lie from the exchange's. */
const SENT_ERROR_MS = 1_000

type Query = Record<string, string | number | undefined>

export const words: OrderWords = {
  clientOrderId: 'clientOid',
  productType: 'category',
  state: ['orderStatus'],
  filledSize: 'cumExecQty',
  averagePrice: 'avgPrice',
  createdAt: 'createdTime',
  terms: { side: 'side', position: 'posSide', kind: 'orderType', price: 'price', size: 'qty' },
  states: STATES,
}

/**
 * Strategy orders name their state in other words. One whose trigger price came counts as placed,
 * whatever happened to the order that it made (docs/exchanges/bitget-unified.md, 6).
 */
export const strategyWords: OrderWords = {
  ...words,
  state: ['planStatus', 'status'],
  filledSize: 'baseVolume',
  terms: { position: 'posSide', trigger: 'takeProfit' },
  states: {
    pending: 'open',
    submitting: 'open',
    live: 'open',
    not_trigger: 'open',
    executing: 'open',
    success: 'filled',
    executed: 'filled',
    failed: 'cancelled',
    fail_execute: 'cancelled',
    cancelled: 'cancelled',
  },
}

/** Where an order of a unified account may be; undefined when its call does not say enough. */
export function unifiedPlaces(unworded: Omit<Search, 'words'>, nowMs: number): Places | undefined {
  const search = { ...unworded, words }
  const { order } = search
  if (order.action === 'modify') return changePlaces(search)
  if (order.plan !== undefined) return strategyPlaces(search, nowMs)
  return orderPlaces(search, nowMs)
}

function orderPlaces(search: Search, nowMs: number): Places {
  const { order, sentAtMs, wanted, narrowing } = search
  const { productType: category } = order
  const { isWhole, ...times } = historyWindow(order, sentAtMs, nowMs, SPAN_MAX_MS)
  const open = { category, symbol: narrowing.symbol, limit: LIMIT }
  const list = (path: string, query: Query) => cursorPages(search, path, query, isWhole)
  const isLast = category === undefined
  return {
    byId: [idLookup(search, orderInfo(search, wanted), oneOrderRows, { isLast })],
    open: [list('unfilled-orders', open)],
    // The history requires the category, which a cancel may lack.
    past: category === undefined ? [] : [list('history-orders', { ...open, ...times })],
  }
}

/** A list, newest first, with its pages: each names the cursor of the next one. */
function cursorPages(search: Search, path: string, query: Query, isWhole: boolean): Lookup {
  return listLookup(search, ask(search, path, query), {
    ...{ rows: listIn('list'), limit: LIMIT, isWhole },
    after(data) {
      const cursor = isRecord(data) ? textOf(data.cursor) : undefined
      return cursor === undefined ? undefined : ask(search, path, { ...query, cursor })
    },
  })
}

/**
 * A changed order keeps its ids; its price and size show whether the change was made. A change of
 * take profit and stop loss alone cannot be looked up: nothing of it is compared. Nor can one of a
 * strategy order, which order-info does not have.
 */
function changePlaces(search: Search): Places | undefined {
  const { order, wanted } = search
  const { plan, terms } = order
  if (plan !== undefined || (terms?.price === undefined && terms?.size === undefined))
    return undefined
  const found = idLookup(
    { ...search, order: { ...order, terms: undefined } },
    orderInfo(search, wanted),
    oneOrderRows,
  )
  const read: Lookup['read'] = (verdict) => {
    const end = found.read(verdict)
    // Which orders are still found by their id is not established: absence proves nothing.
    if (typeof end !== 'object') return 'unclear'
    const isChanged = compareTerms(terms, termsOf(words.terms, end.order ?? {})) === 'same'
    if (isChanged) return end
    return isTouchedSince(search, end) ? 'unclear' : { ...end, isUnchanged: true }
  }
  return { byId: [{ call: found.call, read }], open: [], past: [] }
}

/**
 * Whether something has happened to an open order since its change was sent. It may be a later
 * change, which hides whether this one was made; what else counts as an update is not documented
 * [?]. An order that is as it was created was not touched at all.
 */
function isTouchedSince({ order, sentAtMs }: Search, { state, order: row }: FoundOrder): boolean {
  const isOpen = state === 'open' || state === 'partially-filled'
  const updatedAtMs = Number(textOf(row?.updatedTime) ?? 0)
  const isAsCreated = updatedAtMs === Number(textOf(row?.createdTime))
  return isOpen && !isAsCreated && updatedAtMs >= (order.firstSentAtMs ?? sentAtMs) - SENT_ERROR_MS
}

/**
 * Each list of strategy orders has the orders of one state and may not name it. What the lists
 * leave out is not documented: an order in a list is found, one that is in neither may still exist.
 */
function strategyPlaces(search: Search, nowMs: number): Places | undefined {
  const { order, sentAtMs } = search
  const { productType: category } = order
  if (category === undefined) return undefined
  const { isWhole: _span, ...times } = historyWindow(order, sentAtMs, nowMs, SPAN_MAX_MS)
  const list = { limit: LIMIT, isWhole: false }
  return {
    byId: [],
    open: [
      listLookup(
        { ...search, words: { ...strategyWords, usual: 'open' } },
        ask(search, 'unfilled-strategy-orders', { category }),
        { ...list, rows: orderList },
      ),
    ],
    past: [
      listLookup(
        { ...search, words: { ...strategyWords, usual: 'filled' } },
        ask(search, 'history-strategy-orders', { category, ...times, limit: LIMIT }),
        { ...list, rows: listIn('list') },
      ),
    ],
  }
}

function orderInfo(search: Search, { orderId, clientOrderId: clientOid }: Search['wanted']) {
  return ask(search, 'order-info', { orderId, clientOid })
}

function ask({ order }: Search, path: string, query: Query) {
  return bitgetLookupCall(order, `/api/v3/trade/${path}`, query)
}
