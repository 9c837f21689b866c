import type { Json } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import { pageOf } from './paging.ts'
import { perSecond } from './spot-market.ts'
import { isNamed, ordersOf, wantedOrder } from './unified-lookup.ts'
import { requiredCategory } from './unified-scope.ts'
import { toFillView, toOrderView } from './unified-views.ts'

const HISTORY_SPAN_MS = 30 * 86_400_000

/** What shows orders and trades on Bitget v3, below `/api/v3/trade`. */
export const unifiedListEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/order-info',
    access: 'read',
    limit: perSecond(20),
    respond: (call) => toOrderView(wantedOrder(call), 'details'),
  },
  {
    method: 'GET',
    path: '/unfilled-orders',
    access: 'read',
    limit: perSecond(20),
    respond: (call) => ordersPage(call, 'open') ?? { list: [], cursor: null },
  },
  {
    method: 'GET',
    path: '/history-orders',
    access: 'read',
    limit: perSecond(20),
    respond(call) {
      requiredCategory(call)
      return ordersPage(withinSpan(call), 'closed') ?? NOTHING
    },
  },
  { method: 'GET', path: '/fills', access: 'read', limit: perSecond(20), respond: fills },
]

/** An empty list was null in live responses, but for the open orders. */
const NOTHING = { list: null, cursor: null } as const

/** Undefined when there is none. */
function ordersPage(call: SignedCall, wanted: 'open' | 'closed'): Json | undefined {
  const orders = ordersOf(call)
    .filter(({ status }) => (status === 'open') === (wanted === 'open'))
    .filter((order) => isNamed(call, order))
  const page = pageOf(call, orders, ({ id, createdAtMs }) => ({ id, atMs: createdAtMs }), 'cursor')
  const last = page.at(-1)
  if (last === undefined) return undefined
  return { list: page.map((order) => toOrderView(order, 'list')), cursor: last.id }
}

function fills(call: SignedCall): Json {
  const { venue, account, params } = call
  const orderId = params.text('orderId')
  const trades = [...venue.spot.tradesOf(account.name), ...venue.contracts.tradesOf(account.name)]
    .filter(({ order }) => isNamed(call, order))
    .filter(({ order }) => orderId === undefined || order.id === orderId)
    .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1))
  const page = pageOf(withinSpan(call), trades, ({ id, atMs }) => ({ id, atMs }), 'cursor')
  const last = page.at(-1)
  return last === undefined ? NOTHING : { list: page.map(toFillView), cursor: last.id }
}

/**
 * At most 30 days at a time. What an absent time means is not documented: here now, and 30 days
 * before the end. The code of the rejection is not established either [?].
 * @throws BitgetRejection
 */
export function withinSpan(call: SignedCall): SignedCall {
  const { params, request } = call
  const toMs = params.integer('endTime') ?? request.nowMs
  const fromMs = params.integer('startTime') ?? toMs - HISTORY_SPAN_MS
  if (toMs - fromMs > HISTORY_SPAN_MS) throw params.problems.malformed('startTime')
  return { ...call, params: params.over(new Map([['startTime', `${Math.max(0, fromMs)}`]])) }
}
