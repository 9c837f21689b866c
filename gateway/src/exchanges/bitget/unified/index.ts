import type { bgFuturesHistory, bgSinglePosition, bgSpotHistory, QueryOf } from 'schema'
import type { UpstreamCall } from '../../exchange.ts'
import { wholeNumber } from '../../protocol/decimals.ts'
import { type ExchangeObject, objectsOf } from '../../protocol/response-parts.ts'
import { isRecord, textOf } from '../../protocol/untrusted.ts'
import type { BitgetAccountApi, BitgetCalls } from '../account-api.ts'
import { orderRef, PRODUCT_TYPE, readCall } from '../call.ts'
import { accountIdOf } from '../documented.ts'
import { LIMIT } from '../lists.ts'
import {
  cancelFuturesOrderCall,
  cancelSpotOrderCall,
  futuresOrderCall,
  idProblems,
  leverageChange,
  modifyOrderCall,
  positionStopsCall,
  settingsCall,
  spotOrderCall,
} from './build-orders.ts'
import { SPAN_MAX_MS } from './find-order.ts'
import {
  balanceRows,
  futuresDetail,
  futuresListed,
  oneOrderOf,
  positionRows,
  spotOrderRow,
} from './rows.ts'

/** Bitget's API v3, in the fields of the documented routes (docs/exchanges/bitget-unified.md). */
export const unifiedApi: BitgetAccountApi = {
  placeSpotOrder: spotOrderCall,
  cancelSpotOrder: cancelSpotOrderCall,
  placeFuturesOrder: futuresOrderCall,
  modifyFuturesOrder: modifyOrderCall,
  // A change keeps both ids.
  clientOidAfter: ({ clientOid = '' }) => clientOid,
  cancelFuturesOrder: cancelFuturesOrderCall,
  idProblems,

  leverageQuestion: settingsCall,
  leverageChange,
  positionStops: positionStopsCall,

  spotOrder: ({ ask }, ref) =>
    ask(orderInfoCall(ref), (data) => spotOrderRow(oneOrderOf(data, { category: 'SPOT' }))),
  spotHistory: (calls, query) => askForHistory(calls, 'SPOT', query, spotOrderRow),
  futuresOrder: ({ ask }, ref) =>
    ask(orderInfoCall(ref), (data) =>
      futuresDetail(oneOrderOf(data, { category: 'USDT-FUTURES', symbol: ref.symbol })),
    ),
  futuresHistory: (calls, query) => askForHistory(calls, 'USDT-FUTURES', query, futuresListed),
  allPositions: ({ ask }) => ask(allPositionsCall(), positionRows),
  singlePosition: ({ ask }, query) => ask(singlePositionCall(query), positionRows),

  accountId: ({ ask }) => ask(infoCall(), accountIdOf),
  balances: ({ ask, nowMs }, accountId, wanted) =>
    ask(assetsCall(), (data) =>
      balanceRows({ accountId, accountType: wanted ?? 'unified', nowMs: nowMs() }, data),
    ),
}

/** Who the account is, and what its key may do; needs the key's permission `uta_mgt`. */
export function infoCall(): UpstreamCall {
  return readCall('/api/v3/account/info', {})
}

/** One open order; needs the key's permission `uta_trade`. */
export function openOrdersCall(): UpstreamCall {
  return readCall('/api/v3/trade/unfilled-orders', { limit: 1 })
}

/** The coins of the one pot; needs the key's permission `uta_mgt`. */
export function assetsCall(): UpstreamCall {
  return readCall('/api/v3/account/assets', {})
}

/** One order of any category. @throws OrderIdMissingError */
export function orderInfoCall(ref: { orderId?: string; clientOid?: string }): UpstreamCall {
  return readCall('/api/v3/trade/order-info', orderRef(ref))
}

export function allPositionsCall(): UpstreamCall {
  return readCall('/api/v3/position/current-position', { category: PRODUCT_TYPE })
}

export function singlePositionCall({ symbol }: QueryOf<typeof bgSinglePosition>): UpstreamCall {
  return readCall('/api/v3/position/current-position', { category: PRODUCT_TYPE, symbol })
}

const DAY_MS = 86_400_000

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
