import type { ContractOrder } from '../contract-order.ts'
import type { Json } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import { closePositions } from './mix-close.ts'
import { toDraft } from './mix-draft.ts'
import { rejectDuplicate, wantedOrder } from './mix-lookup.ts'
import { modifyOrder } from './mix-modify.ts'
import { fitReduceOnly } from './mix-reduce-only.ts'
import { checkMarginCoin, contractOf, isOfProduct, productTypeOf } from './mix-scope.ts'
import { contractNamed, mixStatusOf, toFillView, toOrderView } from './mix-views.ts'
import { pageOf } from './paging.ts'
import { BitgetRejection } from './rejection.ts'
import { perSecond } from './spot-market.ts'

/** Order endpoints of Bitget futures, below `/api/v2/mix`. */
export const mixOrderEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/order/place-order',
    access: 'trade',
    limit: perSecond(10),
    respond: placeOrder,
  },
  {
    method: 'POST',
    path: '/order/modify-order',
    access: 'trade',
    limit: perSecond(10),
    respond: modifyOrder,
  },
  {
    method: 'POST',
    path: '/order/cancel-order',
    access: 'trade',
    limit: perSecond(10),
    respond: cancelOrder,
  },
  {
    method: 'POST',
    path: '/order/close-positions',
    access: 'trade',
    limit: perSecond(1),
    respond: closePositions,
  },
  {
    method: 'GET',
    path: '/order/detail',
    access: 'read',
    limit: perSecond(10),
    respond(call) {
      const order = wantedOrder(call)
      if (order === undefined) {
        throw new BitgetRejection(
          '40109',
          'The data of the order cannot be found, please confirm the order number',
        )
      }
      return { ...toOrderView(order), state: mixStatusOf(order) }
    },
  },
  {
    method: 'GET',
    path: '/order/orders-pending',
    access: 'read',
    limit: perSecond(10),
    respond: ordersPending,
  },
  {
    method: 'GET',
    path: '/order/orders-history',
    access: 'read',
    limit: perSecond(10),
    respond: (call) => entrusted(call, ({ status }) => status !== 'open'),
  },
  { method: 'GET', path: '/order/fills', access: 'read', limit: perSecond(10), respond: fills },
  {
    method: 'GET',
    path: '/order/fill-history',
    access: 'read',
    limit: perSecond(10),
    respond: fills,
  },
]

const toIds = ({ id, clientId }: ContractOrder) => ({ orderId: id, clientOid: clientId })

/** @throws BitgetRejection or OrderRejectedError */
export function placeOrder(call: SignedCall): ReturnType<typeof toIds> {
  const draft = toDraft(call)
  rejectDuplicate(call, draft.clientId)
  return toIds(call.venue.contracts.place(fitReduceOnly(call, draft)))
}

/** @throws BitgetRejection or OrderRejectedError */
export function cancelOrder(call: SignedCall): ReturnType<typeof toIds> {
  const order = wantedOrder(call)
  checkMarginCoin(call, contractOf(call), false)
  if (order === undefined) throw new BitgetRejection('40768', 'Order does not exist')
  return toIds(call.venue.contracts.cancel(order))
}

/** Without `status` only orders that have not traded come back (one source: the documentation). */
function ordersPending(call: SignedCall): Json {
  const status = call.params.choice('status', ['live', 'partially_filled']) ?? 'live'
  return entrusted(call, (order) => order.status === 'open' && mixStatusOf(order) === status)
}

function entrusted(call: SignedCall, isWanted: (order: ContractOrder) => boolean): Json {
  const { venue, account, params } = call
  const productType = productTypeOf(call)
  const symbol = params.text('symbol')
  const market = symbol === undefined ? undefined : contractNamed(venue, symbol)
  const [orderId, clientOid] = [params.text('orderId'), params.text('clientOid')]
  const orders = venue.contracts.orders
    .of(account.name)
    .filter(isWanted)
    .filter((order) => isOfProduct(order.market, productType))
    .filter((order) => market === undefined || order.market === market)
    .filter((order) => orderId === undefined || order.id === orderId)
    .filter(
      (order) => orderId !== undefined || clientOid === undefined || order.clientId === clientOid,
    )
  const page = pageOf(call, orders, ({ id, createdAtMs }) => ({ id, atMs: createdAtMs }))
  const last = page.at(-1)
  return {
    entrustedList:
      last === undefined
        ? null
        : page.map((order) => ({ ...toOrderView(order), status: mixStatusOf(order) })),
    endId: last?.id ?? null,
  }
}

function fills(call: SignedCall): Json {
  const { venue, account, params } = call
  const productType = productTypeOf(call)
  const symbol = params.text('symbol')
  const market = symbol === undefined ? undefined : contractNamed(venue, symbol)
  const orderId = params.text('orderId')
  const trades = venue.contracts
    .tradesOf(account.name)
    .filter(({ order }) => isOfProduct(order.market, productType))
    .filter(({ order }) => market === undefined || order.market === market)
    .filter(({ order }) => orderId === undefined || order.id === orderId)
  const page = pageOf(call, trades, ({ id, atMs }) => ({ id, atMs }))
  return { fillList: page.map(toFillView), endId: page.at(-1)?.id ?? null }
}
