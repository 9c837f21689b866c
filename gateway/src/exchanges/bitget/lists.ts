import type { UpstreamCall } from '../exchange.ts'
import type { FoundOrder, Lookup, OrderKey } from '../order-lookup/order-key.ts'
import {
  historyWindow,
  type ListOptions,
  listLookup,
  lookupCall,
  type Rows,
  type Search,
} from '../order-lookup/search.ts'
import type { QueryValues } from '../protocol/query-text.ts'
import { isRecord, textOf } from '../protocol/untrusted.ts'
import { encodeForBitget } from './call.ts'

const DAY_MS = 86_400_000
/** What a list has at most. */
export const LIMIT = 100
/** Histories reach back 90 days; a day is left for clocks. */
const HISTORY_SPAN_MS = 89 * DAY_MS

export const orderList: Rows = (data) => (Array.isArray(data) ? data : undefined)

export const oneOrderRows: Rows = (data) =>
  isRecord(data) && 'orderId' in data ? [data] : undefined

/** The list is null when it is empty. */
export const listIn =
  (name: string): Rows =>
  (data) => {
    const list = isRecord(data) && name in data ? (data[name] ?? []) : undefined
    return Array.isArray(list) ? list : undefined
  }

/**
 * Lists are narrowed by what does not depend on the client order id, so that they are a second way.
 */
export function listQueries({ order, sentAtMs, narrowing }: Search, nowMs: number) {
  const { isWhole, ...times } = historyWindow(order, sentAtMs, nowMs, HISTORY_SPAN_MS)
  const base: Record<string, string | number | undefined> = {
    symbol: narrowing.symbol,
    orderId: narrowing.orderId,
    limit: LIMIT,
  }
  const open = order.action === 'cancel' ? base : { ...base, ...times }
  return { isWhole, open, past: { ...base, ...times } }
}

/** A signed question in the account of the order; absent values are left out. */
export function bitgetLookupCall(order: OrderKey, path: string, values: QueryValues) {
  return lookupCall(order, path, values, encodeForBitget)
}

/**
 * A list of v2, newest first, with its pages: the next one has the orders before the last id of
 * this one (docs/exchanges/bitget.md, 3 and 4).
 * @param callOf the call for a page
 */
export function pagesById(
  search: Search,
  callOf: (before: { readonly idLessThan?: string }) => UpstreamCall,
  options: Pick<ListOptions, 'rows' | 'isWhole'>,
): Lookup {
  return listLookup(search, callOf({}), {
    ...options,
    limit: LIMIT,
    after(_data, { orderId }) {
      const idLessThan = textOf(orderId)
      return idLessThan === undefined ? undefined : callOf({ idLessThan })
    },
  })
}

/** The words of v2 and v3, old and new (docs/exchanges/bitget.md, 3.3; bitget-unified.md, 6). */
export const STATES: Readonly<Record<string, FoundOrder['state']>> = {
  init: 'open',
  new: 'open',
  live: 'open',
  partially_filled: 'partially-filled',
  filled: 'filled',
  full_fill: 'filled',
  cancelled: 'cancelled',
  canceled: 'cancelled',
}
