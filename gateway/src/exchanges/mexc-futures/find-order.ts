import type { UpstreamCall } from '../exchange.ts'
import type { Lookup, OrderKey } from '../order-lookup/order-key.ts'
import { type PagedList, pagedLookup } from '../order-lookup/paged-lookup.ts'
import {
  historyWindow,
  idLookup,
  isOrderNotFound,
  lookupCall,
  type Narrowing,
  type OrderWords,
  type Places,
  type Rows,
  type Search,
  wantedIdOf,
} from '../order-lookup/search.ts'
import { percentEncode, type QueryValues } from '../protocol/query-text.ts'
import { isRecord } from '../protocol/untrusted.ts'
import type { Verdict } from '../protocol/verdict.ts'
import { type TriggerKind, triggerKindOf } from './order-forms.ts'

const PREFIX = '/api/v1/private'
const PAGE_SIZE = 100

/**
 * 90 days are documented, but the names of the two times differ between the pages; where they are
 * not understood the response is about the last 7 days.
 */
const HISTORY_SPAN_MS = 7 * 86_400_000
/** The same, without a day for clocks. */
export const LISTED_FOR_MS = HISTORY_SPAN_MS - 86_400_000

// State 1 is accepted and not yet confirmed (docs/exchanges/mexc-futures.md, 4.6).
export const words: OrderWords = {
  clientOrderId: 'externalOid',
  state: ['state'],
  filledSize: 'dealVol',
  averagePrice: 'dealAvgPrice',
  createdAt: 'createTime',
  terms: { side: 'side', kind: 'orderType', price: 'price', size: 'vol' },
  states: { 1: 'open', 2: 'open', 3: 'filled', 4: 'cancelled', 5: 'rejected' },
}

/** Nothing at all is one of the ways to say that there is no such order. */
const oneOrder: Rows = (data) => {
  if (data === null || data === undefined || data === '') return []
  if (isRecord(data)) return Object.keys(data).length === 0 ? [] : [data]
  return Array.isArray(data) ? data : undefined
}

/** Where a MEXC futures order may be; undefined when there is nothing to look it up by. */
export function placesOf(
  order: OrderKey,
  sentAtMs: number,
  nowMs: number,
  narrowing: Narrowing,
): Places | undefined {
  const wanted = wantedIdOf(order)
  if (wanted === undefined) return undefined
  if (order.plan !== undefined) return triggerPlaces({ order, wanted, sentAtMs, narrowing }, nowMs)
  const search = { order, wanted, sentAtMs, words, narrowing }
  const byId = ownLookups(search)
  if (order.action === 'modify') return { byId: byId.map(onlyWhileOpen), open: [], past: [] }
  const symbol = plainSymbol(narrowing.symbol)
  const { isWhole, ...times } = historyWindow(order, sentAtMs, nowMs, HISTORY_SPAN_MS)
  const { startTime: start_time, endTime: end_time } = times
  const past = { orderId: narrowing.orderId, start_time, end_time }
  const list = { rows: orderList, limit: PAGE_SIZE }
  const pagesOf = (name: string, query: Partial<typeof past>) => (page: number, size: number) =>
    lookupCall(order, `${PREFIX}/order/list/${name}`, {
      ...{ symbol, page_num: page, page_size: size },
      ...query,
    })
  return {
    byId,
    open: [pagedLookup(search, { ...list, callOf: pagesOf('open_orders', {}) })],
    past: [pagedLookup(search, { ...list, isWhole, callOf: pagesOf('history_orders', past) })],
  }
}

function ownLookups(search: Search): Lookup[] {
  const { order, wanted } = search
  const parts =
    wanted.orderId === undefined
      ? ['external', order.symbol ?? '', wanted.clientOrderId ?? '']
      : ['get', wanted.orderId]
  // An empty segment or one of dots is no name but a way to another path.
  if (parts.some((part) => /^\.{0,2}$/.test(part))) return []
  const path = [PREFIX, 'order', ...parts.map(percentEncode)].join('/')
  return [idLookup(search, lookupCall(order, path, {}), oneOrder, { isNotFound })]
}

/**
 * MEXC responds for an order that it does not have with success and no `data`, by the one live test
 * that is known (docs/exchanges/mexc.md, 5). No page says so, so 2040 and a code that is in no
 * table count too. A page that is not MEXC's own (`HTTP 404`) says nothing.
 */
function isNotFound(verdict: Verdict): boolean {
  if (isOrderNotFound(verdict)) return true
  if (verdict.kind !== 'rejected' || verdict.rejection.class !== 'other') return false
  return /^(?!HTTP )|^HTTP 200$/.test(verdict.rejection.exchangeCode)
}

/**
 * `change_limit_order` makes another order, whose id nobody knows, and ends the old one. The old
 * one shows that nothing happened while it is open; when it has ended, it may have ended in any
 * way.
 */
function onlyWhileOpen({ call, read }: Lookup): Lookup {
  return {
    call,
    read(verdict) {
      const found = read(verdict)
      if (typeof found === 'string') return found
      return found.state === 'open' || found.state === 'partially-filled' ? found : 'unclear'
    },
  }
}

/** No span is documented for these lists; 90 days is that of other orders. A day is for clocks. */
const TRIGGER_SPAN_MS = 89 * 86_400_000

/**
 * `id` is the trigger order, `orderId` the order that it made. One whose price came was placed,
 * whatever happened to that order (docs/exchanges/mexc-futures.md, 4.7).
 */
const triggerWords: OrderWords = {
  orderId: 'id',
  clientOrderId: 'externalOid',
  state: ['state'],
  filledSize: 'dealVol',
  createdAt: 'createTime',
  terms: {},
  states: { 1: 'open', 2: 'cancelled', 3: 'filled', 4: 'rejected', 5: 'rejected' },
}
const trackWords: OrderWords = {
  ...triggerWords,
  states: { 0: 'open', 1: 'open', 2: 'filled', 3: 'rejected', 4: 'cancelled' },
}

/** Where a trigger order may be: among those that wait, or in their history. */
function triggerPlaces(unworded: Omit<Search, 'words'>, nowMs: number): Places | undefined {
  const kind = triggerKindOf(unworded.order)
  // Nothing shows whether a change in place was made.
  if (kind === undefined || unworded.order.action === 'modify') return undefined
  const search = { ...unworded, words: kind === 'trackorder' ? trackWords : triggerWords }
  const { isWhole, startTime, endTime } = historyWindow(
    search.order,
    search.sentAtMs,
    nowMs,
    TRIGGER_SPAN_MS,
  )
  const times = { start_time: startTime, end_time: endTime }
  const ask = (query: QueryValues) => pagesOf(search, kind, query, isWhole)
  switch (kind) {
    case 'planorder':
      return { byId: [], open: [ask({ states: 1, ...times })], past: [ask(times)] }
    case 'stoporder':
      return {
        byId: [],
        open: [ask({ is_finished: 0 })],
        past: [ask({ is_finished: 1, ...times })],
      }
    case 'trackorder':
      // One state for each question: how a list of them is signed is disputed. First those before
      // the activation, so that none is missed that is activated in between.
      return {
        byId: [],
        open: [0, 1].map((states) => ask({ states })),
        past: [4, 2, 3].map((states) => ask({ states, ...times })),
      }
  }
}

function pagesOf(search: Search, kind: TriggerKind, query: QueryValues, isWhole: boolean): Lookup {
  const { order, narrowing } = search
  const symbol = plainSymbol(narrowing.symbol)
  const list: PagedList = {
    rows: orderList,
    limit: PAGE_SIZE,
    isWhole,
    callOf: (page, size): UpstreamCall =>
      lookupCall(order, `${PREFIX}/${kind}/list/orders`, {
        symbol,
        ...query,
        ...(kind === 'trackorder'
          ? { pageIndex: page, pageSize: size }
          : { page_num: page, page_size: size }),
      }),
  }
  return pagedLookup(search, list)
}

/** Some pages wrap the list. */
const orderList: Rows = (data) => {
  const list = isRecord(data) ? data.resultList : data
  return Array.isArray(list) ? list : undefined
}

/**
 * How a query with other characters is signed is disputed (docs/exchanges/mexc.md, 2.2). Without it
 * MEXC lists more.
 */
function plainSymbol(symbol: string | undefined): string | undefined {
  return symbol !== undefined && /^[\w-]+$/.test(symbol) ? symbol : undefined
}
