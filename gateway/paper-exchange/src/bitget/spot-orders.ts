import type { Endpoint, SignedCall } from '../family.ts'
import { fieldNames } from '../params.ts'
import type { SpotDraft, SpotOrder } from '../spot-book.ts'
import { clientOidOf } from './client-oid.ts'
import { pageOf } from './paging.ts'
import { BitgetRejection, bitgetProblems } from './rejection.ts'
import { perSecond } from './spot-market.ts'
import { spotMarketNamed, toFillView, toOrderView } from './spot-views.ts'

// Until 2025-03-20 longer; since then an order is found by clientOid for two hours only.
const FOUND_BY_CLIENT_OID_MS = 2 * 3_600_000

const ATTACHED_PRICES = [
  'presetTakeProfitPrice',
  'executeTakeProfitPrice',
  'presetStopLossPrice',
  'executeStopLossPrice',
] as const

const ORDER_FIELDS = fieldNames(
  'symbol side orderType force price size clientOid triggerPrice tpslType stpMode',
  'requestTime receiveWindow',
  ...ATTACHED_PRICES,
)

/** Order endpoints of Bitget spot, below `/api/v2/spot`. */
export const spotOrderEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/trade/place-order',
    access: 'trade',
    limit: perSecond(10),
    respond: placeOrder,
  },
  {
    method: 'POST',
    path: '/trade/cancel-order',
    access: 'trade',
    limit: perSecond(10),
    respond: cancelOrder,
  },
  {
    method: 'GET',
    path: '/trade/orderInfo',
    access: 'read',
    limit: perSecond(20),
    respond(call) {
      const order = wantedOrder(call)
      return order === undefined ? [] : [toOrderView(order)]
    },
  },
  {
    method: 'GET',
    path: '/trade/unfilled-orders',
    access: 'read',
    limit: perSecond(20),
    respond: (call) => listed(call, ({ status }) => status === 'open').map(toOrderView),
  },
  {
    method: 'GET',
    path: '/trade/history-orders',
    access: 'read',
    limit: perSecond(20),
    respond: (call) => listed(call, ({ status }) => status !== 'open').map(toOrderView),
  },
  {
    method: 'GET',
    path: '/trade/fills',
    access: 'read',
    limit: perSecond(10),
    respond(call) {
      const { venue, account, params } = call
      const market = spotMarketNamed(venue, params.required('symbol'))
      const orderId = params.text('orderId')
      const trades = venue.spot
        .tradesOf(account.name)
        .filter(({ order }) => order.market === market)
        .filter(({ order }) => orderId === undefined || order.id === orderId)
      return pageOf(call, trades, ({ id, atMs }) => ({ id, atMs })).map(toFillView)
    },
  },
]

const toIds = ({ id, clientId }: SpotOrder) => ({ orderId: id, clientOid: clientId })

/** @throws BitgetRejection or OrderRejectedError */
export function placeOrder(call: SignedCall): ReturnType<typeof toIds> {
  const draft = toDraft(call)
  rejectDuplicate(call, draft.clientId)
  return toIds(call.venue.spot.place(draft))
}

/** @throws BitgetRejection or OrderRejectedError */
export function cancelOrder(call: SignedCall): ReturnType<typeof toIds> {
  const market = spotMarketNamed(call.venue, call.params.required('symbol'))
  const order = wantedOrder(call)
  if (order === undefined || order.market !== market) {
    throw new BitgetRejection('43001', 'The order does not exist')
  }
  return toIds(call.venue.spot.cancel(order))
}

function toDraft(call: SignedCall): SpotDraft {
  const { venue, account, params } = call
  params.only(ORDER_FIELDS)
  const market = spotMarketNamed(venue, params.required('symbol'))
  const side = params.requiredChoice('side', ['buy', 'sell'])
  const isMarket = params.requiredChoice('orderType', ['limit', 'market']) === 'market'
  const force = params.choice('force', ['gtc', 'post_only', 'fok', 'ioc'])
  if (!isMarket && force === undefined) throw bitgetProblems.missing('force')
  const size = params.decimal('size')
  if (size === undefined) throw bitgetProblems.missing('size')
  const price = params.decimal('price')
  if (!isMarket && price === undefined) throw bitgetProblems.missing('price')
  if (params.choice('tpslType', ['normal', 'tpsl']) === 'tpsl') {
    throw new BitgetRejection(
      '40034',
      'Parameter tpslType=tpsl does not exist on the paper exchange',
    )
  }
  if (params.has('triggerPrice')) throw bitgetProblems.malformed('triggerPrice')
  const isMarketBuy = isMarket && side === 'buy'
  return {
    account,
    market,
    side,
    force: isMarket ? 'ioc' : force === 'post_only' ? 'post-only' : (force ?? 'gtc'),
    price: isMarket ? null : (price ?? null),
    size: isMarketBuy ? null : size,
    quoteAmount: isMarketBuy ? size : null,
    clientId: clientOidOf(call),
    labels: { force: force ?? 'gtc', ...attached(call) },
  }
}

function attached({ params }: SignedCall): Record<string, string> {
  return Object.fromEntries(
    ATTACHED_PRICES.flatMap((name) => {
      const price = params.decimal(name)
      return price === undefined ? [] : [[name, price.toFixed()]]
    }),
  )
}

/** As in futures: while the order is pending, and free again after. */
function rejectDuplicate({ venue, account }: SignedCall, clientId: string): void {
  if (venue.habits.bitgetDuplicates === 'accept') return
  const known = venue.spot.orders.byClientId(account.name, clientId)
  if (known.some(({ status }) => status === 'open'))
    throw new BitgetRejection('43118', 'clientOrderId duplicate')
}

/** By `orderId`, or by `clientOid` of the last two hours, the newest of several. */
function wantedOrder({ venue, account, params, request }: SignedCall): SpotOrder | undefined {
  const orderId = params.text('orderId')
  if (orderId !== undefined) return venue.spot.orders.byId(account.name, orderId)
  const clientOid = params.text('clientOid')
  if (clientOid === undefined) throw bitgetProblems.missing('orderId')
  return venue.spot.orders
    .byClientId(account.name, clientOid)
    .find(({ createdAtMs }) => request.nowMs - createdAtMs <= FOUND_BY_CLIENT_OID_MS)
}

function listed(call: SignedCall, isWanted: (order: SpotOrder) => boolean): readonly SpotOrder[] {
  const { venue, account, params } = call
  const symbol = params.text('symbol')
  const market = symbol === undefined ? undefined : spotMarketNamed(venue, symbol)
  const orderId = params.text('orderId')
  const orders = venue.spot.orders
    .of(account.name)
    .filter(isWanted)
    .filter((order) => market === undefined || order.market === market)
    .filter((order) => orderId === undefined || order.id === orderId)
  return pageOf(call, orders, ({ id, createdAtMs }) => ({ id, atMs: createdAtMs }))
}
