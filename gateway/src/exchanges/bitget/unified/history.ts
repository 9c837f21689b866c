import type { bgFuturesHistory, bgSpotHistory, QueryOf } from 'schema'
import { wholeNumber } from '../../protocol/decimals.ts'
import { type ExchangeObject, objectsOf } from '../../protocol/response-parts.ts'
import { isRecord, textOf } from '../../protocol/untrusted.ts'
import type { BitgetCalls } from '../account-api.ts'
import { readCall } from '../call.ts'
import { LIMIT } from '../lists.ts'

const DAY_MS = 86_400_000
/** The longest span of one call for a history (docs/exchanges/bitget-unified.md, 3). */
export const SPAN_MAX_MS = 30 * DAY_MS
/** How far back the history reaches, and a day for clocks (the same section). */
const REACH_MS = 91 * DAY_MS

type HistoryQuery = QueryOf<typeof bgSpotHistory> & Pick<QueryOf<typeof bgFuturesHistory>, 'limit'>

/**
 * Past orders, newest first. A span of more than 30 days takes a call for each 30 days, the newest
 * first, until there are as many orders as were asked for. Without times, the exchange decides how
 * far it looks back; a span that is longer than what it keeps is sent as it is, for the exchange to
 * reject.
 * @param toRow an order in the fields of the documented routes
 */
export async function askForHistory(
  { ask, nowMs }: BitgetCalls,
  category: 'SPOT' | 'USDT-FUTURES',
  query: HistoryQuery,
  toRow: (order: ExchangeObject) => ExchangeObject,
): Promise<ExchangeObject[]> {
  const { symbol, limit = LIMIT, idLessThan } = query
  const rows: ExchangeObject[] = []
  const seen = new Set<unknown>()
  for (const times of timesOf(query, nowMs())) {
    const values = { category, symbol, ...times, limit, cursor: idLessThan }
    const found = await ask(readCall('/api/v3/trade/history-orders', values), (data) =>
      objectsOf(isRecord(data) ? data.list : undefined),
    )
    // An order at the seam of two spans is in both.
    const fresh = found.filter(({ orderId }) => !seen.has(orderId))
    for (const { orderId } of fresh) seen.add(orderId)
    rows.push(...fresh.filter((order) => isOlder(order, idLessThan)).map(toRow))
    if (rows.length >= limit) break
  }
  return rows.slice(0, limit)
}

interface Times {
  readonly startTime?: number
  readonly endTime?: number
}

/** The spans to ask for, each of 30 days at most, the newest first. */
function timesOf({ startTime, endTime }: HistoryQuery, nowMs: number): Times[] {
  if (startTime === undefined && endTime === undefined) return [{}]
  const last = Math.min(wholeNumber(endTime) ?? nowMs, nowMs + DAY_MS)
  const first = wholeNumber(startTime) ?? last - SPAN_MAX_MS
  if (last - first > REACH_MS) return [{ startTime: first, endTime: last }]
  const spans: Times[] = []
  for (let end = last; end > first || spans.length === 0; end -= SPAN_MAX_MS)
    spans.push({ startTime: Math.max(first, end - SPAN_MAX_MS), endTime: end })
  return spans
}

/**
 * Whether v3 takes any order's id as a cursor is not established (docs/exchanges/bitget-unified.md,
 * 4.4), so the orders that are not older are left out here.
 */
function isOlder({ orderId }: ExchangeObject, idLessThan: string | undefined): boolean {
  const id = textOf(orderId) ?? ''
  if (idLessThan === undefined || !/^\d+$/.test(id)) return true
  return BigInt(id) < BigInt(idLessThan)
}
