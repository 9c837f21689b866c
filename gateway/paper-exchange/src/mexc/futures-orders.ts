import type { ContractOrder } from '../contract-order.ts'
import type { Json, ReceivedJson } from '../exact-numbers.ts'
import { fieldNames, isObject, Params } from '../exchange-request.ts'
import { type Endpoint, type SignedCall, signedGet, signedPost } from '../family.ts'
import { OrderRejectedError } from '../order-shelf.ts'
import { DRAFT_FIELDS, EXIT_FIELDS, toDraft } from './futures-draft.ts'
import {
  FuturesRejection,
  futuresProblems,
  LIST_BODY,
  toFuturesRejection,
} from './futures-family.ts'
import { perTwoSeconds } from './futures-market.ts'
import { contractNamed, contractRulesOf, toOrderView } from './futures-views.ts'

/** With a field that ccxt leaves in an order. */
const ORDER_FIELDS = fieldNames(
  DRAFT_FIELDS,
  EXIT_FIELDS,
  'price type positionId externalOid stpMode marketCeiling flashClose bboTypeNum timeInForce',
)
const BATCH_MAX = 50
const PAGE_MAX = 100
const SPAN_MAX_MS = 90 * 86_400_000
const SPAN_USUAL_MS = 7 * 86_400_000

/**
 * Order endpoints of MEXC futures, below `/api/v1`. A look-up that finds no order succeeds, without
 * `data` (live, docs/exchanges/mexc.md, 5).
 */
export const futuresOrderEndpoints: readonly Endpoint[] = [
  signedPost('/private/order/create', perTwoSeconds(4), (call) => {
    const order = place(call)
    return { orderId: order.id, ts: order.createdAtMs }
  }),
  // The older name responds as it did before 2026-04-25: the bare id, a number above 2^53.
  signedPost('/private/order/submit', perTwoSeconds(4), (call) => BigInt(place(call).id)),
  signedPost('/private/order/cancel', perTwoSeconds(20), (call) =>
    listBody(call).map((id) => cancelById(call, typeof id === 'string' ? id : '')),
  ),
  signedPost('/private/order/change_limit_order', perTwoSeconds(4), changeLimitOrder),
  signedPost('/private/order/submit_batch', perTwoSeconds(4), (call) =>
    listBody(call).map((entry) => placeOneOfMany(call, entry)),
  ),
  ...(['cancel_with_external', 'batch_cancel_with_external'] as const).map((name) =>
    signedPost(`/private/order/${name}`, perTwoSeconds(20), cancelWithExternal),
  ),
  signedPost('/private/order/cancel_all', perTwoSeconds(20), ({ venue, account, params }) => {
    const symbol = params.text('symbol')
    const market = symbol === undefined ? undefined : contractNamed(venue, symbol)
    for (const order of venue.contracts.orders.open(account.name)) {
      if (market === undefined || order.market === market) venue.contracts.cancel(order)
    }
    return null
  }),
  signedGet('/private/order/get/:orderId', perTwoSeconds(20), ({ venue, account, request }) => {
    const order = venue.contracts.orders.byId(account.name, request.pathParams.orderId ?? '')
    return order && toOrderView(order)
  }),
  signedGet('/private/order/external/:symbol/:externalOid', perTwoSeconds(20), (call) => {
    const { symbol = '', externalOid = '' } = call.request.pathParams
    const order = byExternal(call, symbol, externalOid)
    return order && toOrderView(order)
  }),
  signedGet('/private/order/list/open_orders', perTwoSeconds(20), (call) =>
    openOrders(call, call.params.text('symbol')),
  ),
  signedGet('/private/order/list/open_orders/:symbol', perTwoSeconds(20), (call) =>
    openOrders(call, call.request.pathParams.symbol),
  ),
  signedGet('/private/order/list/history_orders', perTwoSeconds(20), historyOrders),
]

/**
 * An external id is taken while an order with it is open. The error page has 2042 for a taken one;
 * that it is free again after is an assumption [?] (docs/exchanges/mexc.md, 5).
 */
function place(call: SignedCall): ContractOrder {
  const { venue, account, params } = call
  params.only(ORDER_FIELDS)
  const draft = toDraft(call)
  const known = venue.contracts.orders.byClientId(account.name, draft.clientId)
  const isTaken = known.some(({ status }) => status === 'open')
  if (isTaken && venue.habits.mexcFuturesDuplicates === 'reject')
    throw new FuturesRejection(2042, 'Duplicate order id')
  return venue.contracts.place(draft)
}

/** Cancels the order, and places one of another size and price, which has ids of its own. */
function changeLimitOrder({ venue, account, params }: SignedCall): Json {
  const order = venue.contracts.orders.byId(account.name, params.required('orderId'))
  if (order === undefined) throw new FuturesRejection(2040, 'order not exist')
  const [price, vol] = [params.decimal('price'), params.decimal('vol')]
  if (price === undefined) throw new FuturesRejection(2007, 'Order price error')
  if (vol === undefined) throw new FuturesRejection(2011, 'Order quantity error')
  if (order.status !== 'open') throw new FuturesRejection(2041, 'order state error')
  venue.contracts.cancel(order)
  const size = vol.times(contractRulesOf(order.market).contractSize)
  return venue.contracts.place({ ...order, clientId: venue.nextId(), price, size }).id
}

/** A rejected entry says so; the response as a whole is still a success. */
function placeOneOfMany(call: SignedCall, entry: ReceivedJson): Json {
  if (!isObject(entry)) throw futuresProblems.malformed('orders')
  const params = new Params(new Map(Object.entries(entry)), futuresProblems)
  const externalOid = params.text('externalOid') ?? ''
  try {
    const order = place({ ...call, params })
    return { externalOid: order.clientId, orderId: order.id, errorMsg: 'success', errorCode: 0 }
  } catch (error) {
    const rejection = error instanceof OrderRejectedError ? toFuturesRejection(error) : error
    if (!(rejection instanceof FuturesRejection)) throw error
    return { externalOid, orderId: '', errorMsg: rejection.message, errorCode: rejection.code }
  }
}

/** The list that the body is. @throws FuturesRejection */
export function listBody({ params }: SignedCall) {
  const list = params.list(LIST_BODY)
  if (list === undefined || list.length === 0) throw futuresProblems.missing('order ids')
  if (list.length > BATCH_MAX)
    throw new FuturesRejection(2014, `At most ${BATCH_MAX} orders at once`)
  return list
}

/** One entry of the response to a cancel: a failed entry does not make the whole fail. */
function cancelById({ venue, account }: SignedCall, id: string): Json {
  const order = venue.contracts.orders.byId(account.name, id)
  const orderId = /^\d{1,30}$/.test(id) ? BigInt(id) : 0
  return { orderId, ...cancelled(venue, order) }
}

function cancelled(
  venue: SignedCall['venue'],
  order: ContractOrder | undefined,
): { errorCode: number; errorMsg: string } {
  if (order === undefined) return { errorCode: 2040, errorMsg: 'order not exist' }
  if (order.status !== 'open')
    return { errorCode: 2041, errorMsg: 'order state cannot be cancelled' }
  venue.contracts.cancel(order)
  return { errorCode: 0, errorMsg: 'success' }
}

// Older clients send one object, newer ones a list of them.
function cancelWithExternal(call: SignedCall): Json {
  if (call.params.list(LIST_BODY) === undefined) {
    const order = byExternal(
      call,
      call.params.required('symbol'),
      call.params.required('externalOid'),
    )
    const { errorCode, errorMsg } = cancelled(call.venue, order)
    if (errorCode !== 0) throw new FuturesRejection(errorCode, errorMsg)
    return null
  }
  return listBody(call).map((entry) => {
    if (!isObject(entry)) throw futuresProblems.malformed('externalOid')
    const params = new Params(new Map(Object.entries(entry)), futuresProblems)
    const [symbol, externalOid] = [params.required('symbol'), params.required('externalOid')]
    return { symbol, externalOid, ...cancelled(call.venue, byExternal(call, symbol, externalOid)) }
  })
}

function byExternal(
  { venue, account }: SignedCall,
  symbol: string,
  externalOid: string,
): ContractOrder | undefined {
  const market = contractNamed(venue, symbol)
  return venue.contracts.orders
    .byClientId(account.name, externalOid)
    .find((order) => order.market === market)
}

function openOrders(call: SignedCall, symbol: string | undefined): Json {
  const { venue, account } = call
  const market = symbol === undefined ? undefined : contractNamed(venue, symbol)
  const open = venue.contracts.orders.open(account.name)
  const wanted = open.filter((order) => market === undefined || order.market === market)
  return pageOf(call, wanted.toReversed()).map(toOrderView)
}

function historyOrders(call: SignedCall): Json {
  const { venue, account, params, request } = call
  const symbol = params.text('symbol')
  const market = symbol === undefined ? undefined : contractNamed(venue, symbol)
  const states = params.text('states')?.split(',').map(Number)
  const toMs = params.integer('end_time') ?? params.integer('endTime') ?? request.nowMs
  const fromMs = params.integer('start_time') ?? params.integer('startTime') ?? toMs - SPAN_USUAL_MS
  if (fromMs > toMs || toMs - fromMs > SPAN_MAX_MS)
    throw new FuturesRejection(6003, 'Time range error')
  const side = params.integer('side')
  const wanted = venue.contracts.orders
    .of(account.name)
    .filter((order) => market === undefined || order.market === market)
    .filter(({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs <= toMs)
    .filter(({ labels }) => side === undefined || labels.side === `${side}`)
    .filter((order) =>
      states === undefined ? order.status !== 'open' : states.includes(toStateNumber(order)),
    )
  return pageOf(call, wanted).map(toOrderView)
}

const toStateNumber = ({ status }: ContractOrder): number =>
  ({ open: 2, filled: 3, cancelled: 4 })[status]

/**
 * One page of a list: `page_num` from 1, `page_size` up to 100.
 * @param names of these two
 * @throws FuturesRejection
 */
export function pageOf<Item>(
  { params }: SignedCall,
  items: readonly Item[],
  [numberName, sizeName]: readonly [string, string] = ['page_num', 'page_size'],
): readonly Item[] {
  const number = params.integer(numberName) ?? 1
  const size = params.integer(sizeName) ?? 20
  if (number < 1) throw futuresProblems.malformed(numberName)
  if (size < 1 || size > PAGE_MAX) throw futuresProblems.malformed(sizeName)
  return items.slice((number - 1) * size, number * size)
}
