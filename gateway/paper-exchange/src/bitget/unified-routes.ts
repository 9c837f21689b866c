import type { Decimal, Json } from '../exact-numbers.ts'
import { fieldNames } from '../exchange-request.ts'
import { type Endpoint, type SignedCall, signedGet, signedPost } from '../family.ts'
import { OrderRejectedError } from '../order-shelf.ts'
import type { Exit, Exits } from '../trigger-book.ts'
import { BitgetRejection, entryResults, pageOf, perSecond, toIds } from './calls.ts'
import { LIST_BODY } from './family.ts'
import { fitReduceOnly, isDisplacing } from './mix-draft.ts'
import { bitgetClockEndpoint } from './spot-routes.ts'
import {
  unifiedAccountEndpoints,
  unifiedCloseEndpoints,
  unifiedPositionEndpoints,
} from './unified-account.ts'
import {
  EXIT_FIELDS,
  exitNamed,
  noExitsHere,
  onlyOpening,
  toContractDraft,
  toSpotDraft,
} from './unified-draft.ts'
import { unifiedMarketEndpoints } from './unified-market.ts'
import { unifiedStrategyEndpoints, unifiedStrategyListEndpoints } from './unified-strategies.ts'
import {
  cancel,
  isContractOrder,
  isNamed,
  ordersOf,
  rejectDuplicate,
  requiredCategory,
  toFillView,
  toOrderView,
  type UnifiedOrder,
  wantedOrder,
} from './unified-views.ts'

/** Of spot, and again of futures (docs/exchanges/bitget-unified.md, 10). */
const OPEN_ORDERS_MAX = 400

type Ids = ReturnType<typeof toIds>
interface Placed {
  readonly orderId: string | null
  readonly clientOid: string
}

/** What changes orders on Bitget v3, below `/api/v3/trade`. */
const unifiedOrderEndpoints: readonly Endpoint[] = [
  signedPost('/place-order', perSecond(10), (call) => ({ ...placeOrder(call) })),
  signedPost('/cancel-order', perSecond(10), cancelOrder),
  signedPost('/modify-order', perSecond(10), modifyOrder),
  signedPost('/cancel-symbol-order', perSecond(5), (call) => {
    requiredCategory(call)
    const open = ordersOf(call).filter((order) => order.status === 'open' && isNamed(call, order))
    for (const order of open) cancel(call, order)
    return { list: open.map((order) => ({ ...toIds(order), code: '00000', msg: 'success' })) }
  }),
]

/**
 * An order of one-way mode that displaces others is placed, but the response has no order id: it is
 * found by `clientOid`.
 * @throws BitgetRejection or OrderRejectedError
 */
function placeOrder(call: SignedCall): Placed {
  const { spot, contracts } = call.venue
  if (requiredCategory(call) === 'SPOT') {
    const draft = toSpotDraft(call)
    rejectDuplicate(call, draft.clientId)
    checkCount(spot.orders.open(call.account.name).length, '25211')
    return toIds(spot.place(draft))
  }
  const draft = toContractDraft(call)
  rejectDuplicate(call, draft.clientId)
  checkCount(contracts.orders.open(call.account.name).length, '25567')
  const displaces = draft.slot === 'net' && isDisplacing(call, draft)
  const ids = toIds(contracts.place(fitReduceOnly(call, draft)))
  return displaces ? { ...ids, orderId: null } : ids
}

function checkCount(open: number, code: string): void {
  if (open < OPEN_ORDERS_MAX) return
  throw new BitgetRejection(code, `Exceeds the limit of ${OPEN_ORDERS_MAX} maximum orders`)
}

/** @throws BitgetRejection or OrderRejectedError */
function cancelOrder(call: SignedCall): Ids {
  const order = wantedOrder(call)
  cancel(call, order)
  return toIds(order)
}

const CHANGE_FIELDS = fieldNames(
  'category symbol orderId clientOid qty price autoCancel requestId',
  EXIT_FIELDS,
)

interface Change {
  readonly price: Decimal
  /** That it is the new total and not what is added is assumed by every library [?]. */
  readonly size: Decimal
  readonly exits: Exits | null
}

/**
 * The order stays what it is, with its ids, and gets another size, price, take profit or stop loss
 * (docs/exchanges/bitget-unified.md, 4.3). With `autoCancel` it is gone when the change is
 * rejected.
 * @throws BitgetRejection or OrderRejectedError
 */
function modifyOrder(call: SignedCall): ReturnType<typeof toIds> {
  call.params.only(CHANGE_FIELDS)
  const order = wantedOrder(call)
  const isAutoCancel = call.params.choice('autoCancel', ['yes', 'no']) === 'yes'
  const change = changeOf(call, order)
  try {
    if (isOtherAmount(order, change)) amend(call, order, change)
    else if (!isOtherExit(order, change)) throw notChanged()
  } catch (error) {
    const isRejected = error instanceof OrderRejectedError || error instanceof BitgetRejection
    if (isRejected && isAutoCancel && order.status === 'open') cancel(call, order)
    throw error
  }
  if (isContractOrder(order) && change.exits !== null)
    call.venue.contracts.setExits(order, change.exits, {
      requestId: call.params.text('requestId'),
    })
  return toIds(order)
}

const notChangeable = () =>
  new BitgetRejection('25568', 'The order does not meet the modification requirements.')
const notChanged = () =>
  new BitgetRejection('25571', 'The modification price and qty is the same as the original value.')

function changeOf(call: SignedCall, order: UnifiedOrder): Change {
  const { params } = call
  const exits = changedExits(call, order)
  if (!params.has('qty') && !params.has('price') && exits === null)
    throw params.problems.missing('qty')
  if (order.status !== 'open' || order.price === null) throw notChangeable()
  const change = {
    price: params.decimal('price') ?? order.price,
    size: params.decimal('qty') ?? order.size,
    exits,
  }
  if (!order.filledSize.isZero() && change.size.lte(order.filledSize)) throw notChangeable()
  return change
}

/** Null when the call names none; one that it does not name stays, and 0 takes one away. */
function changedExits(call: SignedCall, order: UnifiedOrder): Exits | null {
  const { params } = call
  if (!params.has('takeProfit') && !params.has('stopLoss')) return null
  if (!isContractOrder(order)) throw noExitsHere()
  if (order.isReduceOnly) throw onlyOpening()
  const exitOf = (name: keyof Exits): Exit | null => {
    const exit = exitNamed(call, name, order.market)
    return exit === undefined ? order.exits[name] : exit
  }
  return { takeProfit: exitOf('takeProfit'), stopLoss: exitOf('stopLoss') }
}

const isOtherAmount = (order: UnifiedOrder, { price, size }: Change): boolean =>
  order.price?.eq(price) !== true || !order.size.eq(size)

const isOtherExit = (order: UnifiedOrder, { exits }: Change): boolean =>
  exits !== null && isContractOrder(order) && JSON.stringify(exits) !== JSON.stringify(order.exits)

function amend({ venue, params }: SignedCall, order: UnifiedOrder, change: Change): void {
  const note = { requestId: params.text('requestId') }
  if (isContractOrder(order)) venue.contracts.amend(order, change, note)
  else venue.spot.amend(order, change, note)
}

const HISTORY_SPAN_MS = 30 * 86_400_000

/** What shows orders and trades on Bitget v3, below `/api/v3/trade`. */
const unifiedListEndpoints: readonly Endpoint[] = [
  signedGet('/order-info', perSecond(20), (call) => toOrderView(wantedOrder(call), 'details')),
  signedGet(
    '/unfilled-orders',
    perSecond(20),
    (call) => ordersPage(call, 'open') ?? { list: [], cursor: null },
  ),
  signedGet('/history-orders', perSecond(20), (call) => {
    requiredCategory(call)
    return ordersPage(withinSpan(call), 'closed') ?? NOTHING
  }),
  signedGet('/fills', perSecond(20), fills),
]

/** An empty list was null in live responses, but for the open orders. */
const NOTHING = { list: null, cursor: null } as const

/** Undefined when there is none. */
function ordersPage(call: SignedCall, wanted: 'open' | 'closed'): Json | undefined {
  const orders = ordersOf(call)
    .filter(({ status }) => (status === 'open') === (wanted === 'open'))
    .filter((order) => isNamed(call, order))
  const page = pageOf(call, orders, 'cursor')
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
  const page = pageOf(withinSpan(call), trades, 'cursor')
  const last = page.at(-1)
  return last === undefined ? NOTHING : { list: page.map(toFillView), cursor: last.id }
}

/**
 * At most 30 days at a time. What an absent time means is not documented: here now, and 30 days
 * before the end. The code of the rejection is not established either [?].
 * @throws BitgetRejection
 */
function withinSpan(call: SignedCall): SignedCall {
  const { params, request } = call
  const toMs = params.integer('endTime') ?? request.nowMs
  const fromMs = params.integer('startTime') ?? toMs - HISTORY_SPAN_MS
  if (toMs - fromMs > HISTORY_SPAN_MS) throw params.problems.malformed('startTime')
  return { ...call, params: params.over(new Map([['startTime', `${Math.max(0, fromMs)}`]])) }
}

const batch = { list: LIST_BODY, shared: [], market: 'unified' } as const

/**
 * Orders of Bitget v3 that come or go together, below `/api/v3/trade`: the body is the list of
 * them.
 */
const unifiedBatchEndpoints: readonly Endpoint[] = [
  signedPost('/place-batch', perSecond(5), (call) => entriesOf(call, placeOrder)),
  signedPost('/cancel-batch', perSecond(5), (call) => entriesOf(call, cancelOrder)),
]

/** Entry by entry; only one that was rejected has a code. */
function entriesOf(call: SignedCall, work: Parameters<typeof entryResults>[2]): Json {
  return entryResults(call, batch, work).map(({ done, failed }) => {
    if (failed === undefined) return { ...done }
    const { orderId, clientOid, errorCode: code, errorMsg: msg } = failed
    return { orderId, clientOid, code, msg }
  })
}

/**
 * Bitget v3, the unified account, by what lies below `/api/v3`. MEXC spot has a v3 too, and nothing
 * below these. Paths of the real exchange that are not here get Bitget's response to an unknown
 * path.
 */
const areas: Readonly<Record<string, readonly Endpoint[]>> = {
  public: [{ ...bitgetClockEndpoint, path: '/time' }],
  market: unifiedMarketEndpoints,
  account: unifiedAccountEndpoints,
  trade: [
    ...unifiedOrderEndpoints,
    ...unifiedBatchEndpoints,
    ...unifiedCloseEndpoints,
    ...unifiedListEndpoints,
    ...unifiedStrategyEndpoints,
    ...unifiedStrategyListEndpoints,
  ],
  position: unifiedPositionEndpoints,
  user: [],
  'ins-loan': [],
}

/** The endpoints of v3 with the prefix below which they lie. */
export const bitgetUnifiedAreas: readonly {
  readonly prefix: string
  readonly endpoints: readonly Endpoint[]
}[] = Object.entries(areas).map(([area, endpoints]) => ({ prefix: `/api/v3/${area}`, endpoints }))

/** Whether a path of v3 is Bitget's and not MEXC's. */
export const isUnifiedPath = (path: string): boolean =>
  bitgetUnifiedAreas.some(({ prefix }) => path.startsWith(`${prefix}/`))
