import { type Position, positionsOf } from '../account.ts'
import type { ContractOrder } from '../contract-order.ts'
import type { Json } from '../exact-numbers.ts'
import { fieldNames } from '../exchange-request.ts'
import { type Endpoint, type SignedCall, signedGet, signedPost } from '../family.ts'
import { isUntouched, OrderRejectedError } from '../order-shelf.ts'
import { noExits } from '../trigger-book.ts'
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
import { exitAt, fitReduceOnly, rejectDuplicate, toDraft, wantedOrder } from './mix-draft.ts'
import {
  checkMarginCoin,
  contractNamed,
  contractOf,
  isOfProduct,
  mixStatusOf,
  productTypeOf,
  toFillView,
  toOrderView,
} from './mix-views.ts'

/** Order endpoints of Bitget futures, below `/api/v2/mix`. */
export const mixOrderEndpoints: readonly Endpoint[] = [
  signedPost('/order/place-order', perSecond(10), placeOrder),
  signedPost('/order/modify-order', perSecond(10), modifyOrder),
  signedPost('/order/cancel-order', perSecond(10), cancelOrder),
  signedPost('/order/close-positions', perSecond(1), closePositions),
  signedGet('/order/detail', perSecond(10), (call) => {
    const order = wantedOrder(call)
    if (order === undefined) {
      throw new BitgetRejection(
        '40109',
        'The data of the order cannot be found, please confirm the order number',
      )
    }
    return { ...toOrderView(order), state: mixStatusOf(order) }
  }),
  signedGet('/order/orders-pending', perSecond(10), ordersPending),
  signedGet('/order/orders-history', perSecond(10), (call) =>
    entrusted(call, ({ status }) => status !== 'open'),
  ),
  signedGet('/order/fills', perSecond(10), fills),
  signedGet('/order/fill-history', perSecond(10), fills),
]

/** @throws BitgetRejection or OrderRejectedError */
function placeOrder(call: SignedCall): ReturnType<typeof toIds> {
  const draft = toDraft(call)
  rejectDuplicate(call, draft.clientId)
  return toIds(call.venue.contracts.place(fitReduceOnly(call, draft)))
}

/** @throws BitgetRejection or OrderRejectedError */
function cancelOrder(call: SignedCall): ReturnType<typeof toIds> {
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
  const page = pageOf(call, orders)
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
  const page = pageOf(call, trades)
  return { fillList: page.map(toFillView), endId: page.at(-1)?.id ?? null }
}

/** Orders of Bitget futures that come or go together, below `/api/v2/mix`. */
export const mixBatchEndpoints: readonly Endpoint[] = [
  signedPost('/order/batch-place-order', perSecond(5), (call) =>
    inBatch(
      call,
      {
        list: 'orderList',
        shared: ['symbol', 'productType', 'marginCoin', 'marginMode'],
        market: 'mix',
      },
      placeOrder,
    ),
  ),
  signedPost('/order/batch-cancel-orders', perSecond(10), (call) => {
    const shared = ['symbol', 'productType', 'marginCoin']
    if (call.params.list('orderIdList') === undefined) return cancelAll(call)
    return inBatch(call, { list: 'orderIdList', shared, market: 'mix' }, cancelOrder)
  }),
  signedPost('/order/cancel-all-orders', perSecond(10), cancelAll),
]

/** Everything of the symbol, or of the product type when none is named. */
function cancelAll(call: SignedCall): Json {
  const { venue, account, params } = call
  const productType = productTypeOf(call)
  const market = params.has('symbol') ? contractOf(call) : undefined
  const cancelled = venue.contracts.orders
    .open(account.name)
    .filter((order) => isOfProduct(order.market, productType))
    .filter((order) => market === undefined || order.market === market)
    .map((order) => venue.contracts.cancel(order))
  return { successList: cancelled.map(toIds), failureList: [] }
}

const CHANGE_FIELDS = fieldNames(
  'orderId clientOid symbol productType marginCoin newClientOid newSize newPrice',
  'newPresetStopSurplusPrice newPresetStopSurplusExecutePrice',
  'newPresetStopLossPrice newPresetStopLossExecutePrice requestTime receiveWindow',
)

/**
 * Size and price together cancel the order and place another one when the exchange gets to it: the
 * response comes first, and the new order is found by `newClientOid`. Attached prices change in
 * place.
 */
function modifyOrder(call: SignedCall): Json {
  const { params, venue } = call
  params.only(CHANGE_FIELDS)
  const order = wantedOrder(call)
  if (order === undefined)
    throw new BitgetRejection('40109', 'The data of the order cannot be found')
  if (!params.has('newClientOid'))
    throw new BitgetRejection('22003', 'newClientOid cannot be empty')
  const newClientOid = clientOidOf(call, 'newClientOid')
  rejectDuplicate(call, newClientOid)
  if (!isUntouched(order)) {
    throw new BitgetRejection('45055', 'Only an order that has not traded can be modified')
  }
  const [newSize, newPrice] = [params.decimal('newSize'), params.decimal('newPrice')]
  if (newSize === undefined && newPrice === undefined) return changeExits(call, order)
  if (newSize === undefined) throw bitgetProblems.missing('newSize')
  if (newPrice === undefined) throw bitgetProblems.missing('newPrice')
  venue.later(venue.habits.bitgetModifyDelayMs, () => {
    if (order.status !== 'open') return
    venue.contracts.cancel(order, 'modified')
    try {
      venue.contracts.place({ ...order, clientId: newClientOid, size: newSize, price: newPrice })
    } catch (error) {
      // The caller has its response already: the new order is simply never found.
      if (!(error instanceof OrderRejectedError)) throw error
    }
  })
  return { orderId: order.id, clientOid: newClientOid }
}

/** Giving only one of the two drops the other, and 0 takes it away. */
function changeExits(call: SignedCall, order: ContractOrder): Json {
  const { params, venue } = call
  if (!params.has('newPresetStopSurplusPrice') && !params.has('newPresetStopLossPrice')) {
    throw new BitgetRejection('40923', 'Order size and price have not changed')
  }
  venue.contracts.setExits(order, {
    takeProfit: exitAt(call, 'newPresetStopSurplusPrice', 'newPresetStopSurplusExecutePrice'),
    stopLoss: exitAt(call, 'newPresetStopLossPrice', 'newPresetStopLossExecutePrice'),
  })
  return { orderId: order.id, clientOid: order.clientId }
}

const CLOSE_FIELDS = fieldNames('symbol productType marginCoin holdSide requestTime receiveWindow')

/**
 * Flash close: market orders for all that is held, after the orders that would have closed it are
 * cancelled.
 */
function closePositions(call: SignedCall): Json {
  const { account, params } = call
  params.only(CLOSE_FIELDS)
  const productType = productTypeOf(call)
  const market = params.has('symbol') ? contractOf(call) : undefined
  const holdSide = params.choice('holdSide', ['long', 'short'])
  const held = positionsOf(account, market)
    .filter((position) => isOfProduct(position.market, productType))
    .filter(({ side }) => holdSide === undefined || side === holdSide)
  if (held.length === 0) throw new BitgetRejection('22002', 'No position to close')
  const results = held.map((position) => closeOne(call, position))
  return {
    successList: results.filter(({ errorCode }) => errorCode === undefined),
    failureList: results.filter(({ errorCode }) => errorCode !== undefined),
  }
}

interface CloseResult {
  readonly [name: string]: string | undefined
  readonly orderId: string
  readonly clientOid: string
  readonly symbol: string
  readonly errorCode?: string
  readonly errorMsg?: string
}

/**
 * A market order for all that is held, in place of the orders that would have closed it.
 * @throws OrderRejectedError
 */
export function closePosition(
  { venue, account }: SignedCall,
  { market, slot, side, size, leverage, marginMode }: Position,
  clientId: string,
): ContractOrder {
  venue.contracts.cancelClosing(account, market, slot)
  return venue.contracts.place({
    account,
    market,
    side: side === 'long' ? 'sell' : 'buy',
    slot,
    isReduceOnly: true,
    force: 'ioc',
    price: null,
    size,
    leverage,
    marginMode,
    clientId,
    labels: { force: 'ioc' },
    exits: noExits,
  })
}

function closeOne(call: SignedCall, position: Position): CloseResult {
  const { market } = position
  const clientId = `BITGET#${call.venue.nextId()}`
  try {
    const order = closePosition(call, position, clientId)
    return { orderId: order.id, clientOid: clientId, symbol: market.name }
  } catch (error) {
    if (!(error instanceof OrderRejectedError)) throw error
    const { code, message } = toBitgetRejection(error, 'mix')
    return {
      orderId: '',
      clientOid: clientId,
      symbol: market.name,
      errorCode: code,
      errorMsg: message,
    }
  }
}
