import type { FoundOrder, Lookup, OrderKey } from '../order-lookup/order-key.ts'
import { pagedLookup } from '../order-lookup/paged-lookup.ts'
import type { Narrowing, OrderWords, Places, Rows, Search } from '../order-lookup/search.ts'
import {
  historyWindow,
  idLookup,
  isOrderNotFound,
  lookupCall,
  wantedIdOf,
} from '../order-lookup/search.ts'
import { percentEncode } from '../protocol/query-text.ts'
import { isRecord } from '../protocol/untrusted.ts'
import type { Verdict } from '../protocol/verdict.ts'
import { triggerPlaces } from './find-trigger.ts'
import { orderList, plainSymbol } from './lists.ts'

const PREFIX = '/api/v1/private/order'
const PAGE_SIZE = 100
/**
 * 90 days are documented, but the names of the two times differ between the pages; where they are
 * not understood the response is about the last 7 days.
 */
const HISTORY_SPAN_MS = 7 * 86_400_000
/** The same, without a day for clocks. */
export const LISTED_FOR_MS = HISTORY_SPAN_MS - 86_400_000

// State 1 is accepted and not yet confirmed (docs/exchanges/mexc.md, 4.6).
const words: OrderWords = {
  clientOrderId: 'externalOid',
  state: ['state'],
  filledSize: 'dealVol',
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
    lookupCall(order, `${PREFIX}/list/${name}`, {
      ...{ symbol, page_num: page, page_size: size },
      ...query,
    })
  return {
    byId,
    open: [pagedLookup(search, { ...list, callOf: pagesOf('open_orders', {}) })],
    past: [pagedLookup(search, { ...list, isWhole, callOf: pagesOf('history_orders', past) })],
  }
}

/**
 * What MEXC futures responds. `create` names the order and its time since 2026-04-25, in place of
 * the bare id before; a cancel has a response entry by entry, that of a trigger order has none.
 */
export function foundResponse(order: OrderKey, found: FoundOrder, nowMs: number): object {
  const { orderId } = found
  if (order.plan !== undefined) return { success: true, code: 0 }
  const data =
    order.action === 'cancel'
      ? [{ ...cancelledEntry(order, found), errorCode: 0, errorMsg: 'success' }]
      : { orderId, ts: nowMs }
  return { success: true, code: 0, data }
}

function cancelledEntry(order: OrderKey, { orderId }: FoundOrder): object {
  const { symbol, clientOrderId } = order
  return order.orderId === undefined ? { symbol, externalOid: clientOrderId, orderId } : { orderId }
}

function ownLookups(search: Search): Lookup[] {
  const { order, wanted } = search
  const parts =
    wanted.orderId === undefined
      ? ['external', order.symbol ?? '', wanted.clientOrderId ?? '']
      : ['get', wanted.orderId]
  // An empty segment or one of dots is no name but a way to another path.
  if (parts.some((part) => /^\.{0,2}$/.test(part))) return []
  const path = [PREFIX, ...parts.map(percentEncode)].join('/')
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
