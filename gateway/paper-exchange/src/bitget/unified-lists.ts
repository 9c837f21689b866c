import type { Json } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import { pageOf } from './paging.ts'
import { perSecond } from './spot-market.ts'
import { isNamed, ordersOf, wantedOrder } from './unified-lookup.ts'
import { requiredCategory, type UnifiedOrder } from './unified-scope.ts'
import { toFillView, toOrderView } from './unified-views.ts'

const HISTORY_SPAN_MS = 30 * 86_400_000

/** What shows orders and trades on Bitget v3, below `/api/v3/trade`. */
export const unifiedListEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/order-info',
    access: 'read',
    limit: perSecond(20),
    respond: (call) => toOrderView(wantedOrder(call)),
  },
  {
    method: 'GET',
    path: '/unfilled-orders',
    access: 'read',
    limit: perSecond(20),
    respond: (call) => listed(call, ({ status }) => status === 'open'),
  },
  {
    method: 'GET',
    path: '/history-orders',
    access: 'read',
    limit: perSecond(20),
    respond(call) {
      requiredCategory(call)
      checkSpan(call)
      return listed(call, ({ status }) => status !== 'open')
    },
  },
  { method: 'GET', path: '/fills', access: 'read', limit: perSecond(20), respond: fills },
]

function listed(call: SignedCall, isWanted: (order: UnifiedOrder) => boolean): Json {
  const orders = ordersOf(call).filter((order) => isWanted(order) && isNamed(call, order))
  const page = pageOf(call, orders, ({ id, createdAtMs }) => ({ id, atMs: createdAtMs }), 'cursor')
  return { list: page.map(toOrderView), cursor: page.at(-1)?.id ?? null }
}

function fills(call: SignedCall): Json {
  const { venue, account, params } = call
  checkSpan(call)
  const orderId = params.text('orderId')
  const trades = [...venue.spot.tradesOf(account.name), ...venue.contracts.tradesOf(account.name)]
    .filter(({ order }) => isNamed(call, order))
    .filter(({ order }) => orderId === undefined || order.id === orderId)
    .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1))
  const page = pageOf(call, trades, ({ id, atMs }) => ({ id, atMs }), 'cursor')
  return { list: page.map(toFillView), cursor: page.at(-1)?.id ?? null }
}

/**
 * At most 30 days at a time; the code of that rejection is not established.
 * @throws BitgetRejection
 */
function checkSpan({ params }: SignedCall): void {
  const [fromMs, toMs] = [params.integer('startTime'), params.integer('endTime')]
  if (fromMs === undefined || toMs === undefined) return
  if (toMs - fromMs > HISTORY_SPAN_MS) throw params.problems.malformed('startTime')
}
