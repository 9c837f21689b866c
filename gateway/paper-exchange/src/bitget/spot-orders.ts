import type { Json } from '../exact-numbers.ts'
import { fieldNames, Params } from '../exchange-request.ts'
import { type Endpoint, type SignedCall, signedGet, signedPost } from '../family.ts'
import { OrderRejectedError } from '../order-shelf.ts'
import type { SpotDraft, SpotOrder } from '../spot-book.ts'
import {
  BitgetRejection,
  bitgetProblems,
  clientOidOf,
  inBatch,
  pageOf,
  perSecond,
  toBitgetRejection,
  toIds,
} from './calls.ts'
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
  signedPost('/trade/place-order', perSecond(10), placeOrder),
  signedPost('/trade/cancel-order', perSecond(10), cancelOrder),
  signedGet('/trade/orderInfo', perSecond(20), (call) => {
    const order = wantedOrder(call)
    return order === undefined ? [] : [toOrderView(order)]
  }),
  signedGet('/trade/unfilled-orders', perSecond(20), (call) =>
    listed(call, ({ status }) => status === 'open').map(toOrderView),
  ),
  signedGet('/trade/history-orders', perSecond(20), (call) =>
    listed(call, ({ status }) => status !== 'open').map(toOrderView),
  ),
  signedGet('/trade/fills', perSecond(10), (call) => {
    const { venue, account, params } = call
    const market = spotMarketNamed(venue, params.required('symbol'))
    const orderId = params.text('orderId')
    const trades = venue.spot
      .tradesOf(account.name)
      .filter(({ order }) => order.market === market)
      .filter(({ order }) => orderId === undefined || order.id === orderId)
    return pageOf(call, trades).map(toFillView)
  }),
]

/** @throws BitgetRejection or OrderRejectedError */
function placeOrder(call: SignedCall): ReturnType<typeof toIds> {
  const draft = toDraft(call)
  rejectDuplicate(call, draft.clientId)
  return toIds(call.venue.spot.place(draft))
}

/** @throws BitgetRejection or OrderRejectedError */
function cancelOrder(call: SignedCall): ReturnType<typeof toIds> {
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
  return pageOf(call, orders)
}

/** With the type, which ccxt names. */
const REPLACE_FIELDS = fieldNames(
  'symbol price size orderId clientOid newClientOid orderType requestTime receiveWindow',
  'presetTakeProfitPrice executeTakeProfitPrice presetStopLossPrice executeStopLossPrice',
)
const batch = { list: 'orderList', shared: ['symbol'], market: 'spot' } as const

/** Orders of Bitget spot that come or go together, below `/api/v2/spot`. */
export const spotBatchEndpoints: readonly Endpoint[] = [
  signedPost('/trade/batch-orders', perSecond(5), (call) => inBatch(call, batch, placeOrder)),
  signedPost('/trade/batch-cancel-order', perSecond(10), (call) =>
    inBatch(call, batch, cancelOrder),
  ),
  signedPost('/trade/cancel-symbol-order', perSecond(5), ({ venue, account, params }) => {
    const market = spotMarketNamed(venue, params.required('symbol'))
    for (const order of venue.spot.orders.open(account.name)) {
      if (order.market === market) venue.spot.cancel(order)
    }
    return { symbol: market.name }
  }),
  signedPost('/trade/cancel-replace-order', perSecond(5), cancelReplace),
  signedPost('/trade/batch-cancel-replace-order', perSecond(5), (call) => {
    const entries = call.params.objects('orderList')
    if (entries === undefined || entries.length === 0) throw bitgetProblems.missing('orderList')
    return entries.map((params) => cancelReplaceOneOfMany({ ...call, params }))
  }),
]

/** An entry whose old order cannot be cancelled reports that in its own place. */
function cancelReplaceOneOfMany(call: SignedCall): Json {
  try {
    return cancelReplace(call)
  } catch (error) {
    return toFailure(error)
  }
}

/** The old order goes first: when the new one is rejected there is none left. */
function cancelReplace(call: SignedCall): Json {
  const { venue, account, params } = call
  params.only(REPLACE_FIELDS)
  const { orderId } = cancelOrder(call)
  const old = venue.spot.orders.byId(account.name, orderId)
  if (old === undefined) throw bitgetProblems.missing('orderId')
  const fields = new Map(
    Object.entries({
      symbol: old.market.name,
      side: old.side,
      orderType: 'limit',
      force: old.labels.force ?? 'gtc',
      price: params.required('price'),
      size: params.required('size'),
      clientOid: params.text('newClientOid') ?? '',
    }),
  )
  try {
    const ids = placeOrder({ ...call, params: new Params(fields, bitgetProblems) })
    return { ...ids, success: 'success', msg: null }
  } catch (error) {
    return toFailure(error)
  }
}

/** @throws every error that is no rejection */
function toFailure(error: unknown): Json {
  const rejection = error instanceof OrderRejectedError ? toBitgetRejection(error, 'spot') : error
  if (!(rejection instanceof BitgetRejection)) throw error
  return { orderId: null, clientOid: null, success: 'failure', msg: rejection.message }
}
