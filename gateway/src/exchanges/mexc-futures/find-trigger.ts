import type { UpstreamCall } from '../exchange.ts'
import type { Lookup } from '../order-lookup/order-key.ts'
import { type PagedList, pagedLookup } from '../order-lookup/paged-lookup.ts'
import {
  historyWindow,
  lookupCall,
  type OrderWords,
  type Places,
  type Search,
} from '../order-lookup/search.ts'
import type { QueryValues } from '../protocol/query-text.ts'
import { orderList, plainSymbol } from './lists.ts'
import { TRIGGER_PREFIX, type TriggerKind, triggerKindOf } from './trigger-calls.ts'

const PAGE_SIZE = 100
/** No span is documented for these lists; 90 days is that of other orders. A day is for clocks. */
const SPAN_MS = 89 * 86_400_000

/**
 * `id` is the trigger order, `orderId` the order that it made. One whose price came was placed,
 * whatever happened to that order (docs/exchanges/mexc.md, 4.7).
 */
const words: OrderWords = {
  orderId: 'id',
  clientOrderId: 'externalOid',
  state: ['state'],
  filledSize: 'dealVol',
  createdAt: 'createTime',
  terms: {},
  states: { 1: 'open', 2: 'cancelled', 3: 'filled', 4: 'rejected', 5: 'rejected' },
}
const trackWords: OrderWords = {
  ...words,
  states: { 0: 'open', 1: 'open', 2: 'filled', 3: 'rejected', 4: 'cancelled' },
}

/** Where a trigger order may be: among those that wait, or in their history. */
export function triggerPlaces(unworded: Omit<Search, 'words'>, nowMs: number): Places | undefined {
  const kind = triggerKindOf(unworded.order)
  // Nothing shows whether a change in place was made.
  if (kind === undefined || unworded.order.action === 'modify') return undefined
  const search = { ...unworded, words: kind === 'trackorder' ? trackWords : words }
  const { isWhole, startTime, endTime } = historyWindow(
    search.order,
    search.sentAtMs,
    nowMs,
    SPAN_MS,
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
      lookupCall(order, `${TRIGGER_PREFIX}/${kind}/list/orders`, {
        symbol,
        ...query,
        ...(kind === 'trackorder'
          ? { pageIndex: page, pageSize: size }
          : { page_num: page, page_size: size }),
      }),
  }
  return pagedLookup(search, list)
}
