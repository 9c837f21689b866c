import { queryOf } from '../call-parts.ts'
import type { UpstreamCall } from '../exchange.ts'
import type { FoundOrder, Place } from '../find-order.ts'
import type { OrderTrace } from '../order-trace.ts'
import { percentEncode } from '../query-text.ts'
import { isRecord, textOf } from '../untrusted.ts'

interface Window {
  readonly fromMs: number
  readonly toMs: number
}

const SPOT_LIMIT = 1000
const FUTURES_LIMIT = 100

export function spotLookups(trace: OrderTrace, { fromMs, toMs }: Window): Place[] {
  const { symbol, orderId, clientOrderId } = trace
  const byId = orderId === undefined ? { origClientOrderId: clientOrderId } : { orderId }
  return [
    { call: spot('/api/v3/order', { symbol, ...byId }), ordersOf: single },
    { call: spot('/api/v3/openOrders', { symbol }), ordersOf: list },
    {
      call: spot('/api/v3/allOrders', {
        symbol,
        startTime: fromMs,
        endTime: toMs,
        limit: SPOT_LIMIT,
      }),
      ordersOf: list,
      limit: SPOT_LIMIT,
    },
  ]
}

export function futuresLookups(trace: OrderTrace, { fromMs, toMs }: Window): Place[] {
  const { symbol, orderId, clientOrderId } = trace
  const pages = { page_num: 1, page_size: FUTURES_LIMIT }
  const direct =
    orderId !== undefined
      ? futures(`/order/get/${percentEncode(orderId)}`, {})
      : symbol === undefined || clientOrderId === undefined
        ? undefined
        : futures(`/order/external/${percentEncode(symbol)}/${percentEncode(clientOrderId)}`, {})
  return [
    ...(direct === undefined ? [] : [{ call: direct, ordersOf: single }]),
    { call: futures('/order/list/open_orders', pages), ordersOf: list, limit: FUTURES_LIMIT },
    {
      // Newer pages write startTime and endTime; the older names are what libraries send.
      call: futures('/order/list/history_orders', {
        symbol,
        start_time: fromMs,
        end_time: toMs,
        ...pages,
      }),
      ordersOf: list,
      limit: FUTURES_LIMIT,
    },
  ]
}

export function readSpotOrder(order: Record<string, unknown>): FoundOrder | undefined {
  const states: Record<string, FoundOrder['state']> = {
    NEW: 'open',
    PARTIALLY_FILLED: 'open',
    FILLED: 'filled',
    CANCELED: 'cancelled',
    PARTIALLY_CANCELED: 'cancelled',
  }
  return toFound(order.orderId, order.clientOrderId, states[textOf(order.status) ?? ''])
}

/** State 1 is not yet confirmed: the order is there all the same. */
export function readFuturesOrder(order: Record<string, unknown>): FoundOrder | undefined {
  const states: Record<string, FoundOrder['state']> = {
    1: 'open',
    2: 'open',
    3: 'filled',
    4: 'cancelled',
    5: 'rejected',
  }
  return toFound(order.orderId, order.externalOid, states[textOf(order.state) ?? ''])
}

function toFound(
  id: unknown,
  ownId: unknown,
  state: FoundOrder['state'] | undefined,
): FoundOrder | undefined {
  const orderId = textOf(id)
  const clientOrderId = textOf(ownId)
  if (orderId === undefined || state === undefined) return undefined
  return { orderId, state, ...(clientOrderId === undefined ? {} : { clientOrderId }) }
}

/** None is how futures may answer for an unknown id: `success` with empty data (mexc.md, section 5). */
function single(data: unknown): readonly unknown[] | undefined {
  if (data === null || data === undefined) return []
  return isRecord(data) ? [data] : undefined
}

function list(data: unknown): readonly unknown[] | undefined {
  const orders = isRecord(data) ? data.resultList : data
  return Array.isArray(orders) ? orders : undefined
}

type Values = Parameters<typeof queryOf>[0]

function spot(path: string, query: Values): UpstreamCall {
  return {
    family: 'mexc-spot',
    method: 'GET',
    path,
    query: queryOf(query),
    body: null,
    signed: true,
  }
}

function futures(path: string, query: Values): UpstreamCall {
  return {
    family: 'mexc-futures',
    method: 'GET',
    path: `/api/v1/private${path}`,
    query: queryOf(query),
    body: null,
    signed: true,
  }
}
