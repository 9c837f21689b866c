import type { BodyOf, MxSubmitOrder, mxCancelOrder, mxOrderHistory, QueryOf } from 'schema'
import type { UpstreamCall } from '../exchange.ts'
import { type OrderCall, toOrderCall } from '../order-lookup/order-key.ts'
import { amountText, type QueryValues, queryOf, wholeNumber } from '../protocol/call-parts.ts'
import { OrderIdMissingError } from '../protocol/errors.ts'
import { percentEncode } from '../protocol/query-text.ts'
import type { Market } from '../symbol-rules.ts'

/** Which order is meant: by the exchange's id, or by one's own; the exchange's wins. */
export type OrderRef = BodyOf<typeof mxCancelOrder>
type HistoryQuery = QueryOf<typeof mxOrderHistory>

/** MEXC writes futures with an underscore (`BTC_USDT`) and spot pairs without. */
export function marketOf(symbol: string): Market {
  return symbol.includes('_') ? 'futures' : 'spot'
}

/** A spot order. A market buy is by quantity too; the price of a market order is left out. */
export function spotOrderCall(order: MxSubmitOrder, clientOrderId: string): OrderCall {
  const { symbol, side, type, quantity, price } = order
  return spotOrder('POST', {
    symbol,
    side,
    type,
    quantity: amountText(quantity),
    price: type === 'LIMIT' && price !== undefined ? amountText(price) : undefined,
    newClientOrderId: clientOrderId,
  })
}

/**
 * A futures order in one-way mode: BUY (side 1) opens or adds to a long position, SELL (side 3) a
 * short one. Amounts stay text, which MEXC takes as well as numbers.
 * @param contracts the quantity in whole contracts (`toContracts`)
 */
export function futuresOrderCall(
  order: MxSubmitOrder,
  contracts: string,
  clientOrderId: string,
): OrderCall {
  const { symbol, side, type, price, leverage, openType = 'cross', reduceOnly } = order
  return futuresOrder('/order/create', {
    symbol,
    // The documentation asks for a price always; libraries leave it out for market orders.
    price: type === 'LIMIT' && price !== undefined ? amountText(price) : undefined,
    vol: contracts,
    leverage: wholeNumber(leverage),
    side: side === 'BUY' ? 1 : 3,
    type: type === 'LIMIT' ? 1 : 5,
    openType: openType === 'isolated' ? 1 : 2,
    positionMode: 2,
    reduceOnly: reduceOnly === true ? true : undefined,
    externalOid: clientOrderId,
  })
}

/** @throws OrderIdMissingError */
export function cancelOrderCall(ref: OrderRef): OrderCall {
  const { symbol, orderId, clientOrderId } = ref
  if (marketOf(symbol) === 'spot') return spotOrder('DELETE', spotRef(ref))
  // Its body is a list of bare ids.
  if (orderId !== undefined)
    return toOrderCall(futures('POST', '/order/cancel', '', [orderId]), { orderId })
  if (clientOrderId === undefined) throw noOrder()
  // Newer pages show a list here, but the live exchange is reported to refuse one (600) and to take
  // an object.
  return futuresOrder('/order/cancel_with_external', { symbol, externalOid: clientOrderId })
}

/**
 * One order; by one's own id this is how an order of unknown outcome is looked up.
 * @throws OrderIdMissingError
 */
export function orderStatusCall(ref: OrderRef): UpstreamCall {
  const { symbol, orderId, clientOrderId } = ref
  if (marketOf(symbol) === 'spot') return spot('GET', '/api/v3/order', spotRef(ref))
  if (orderId !== undefined) return futures('GET', `/order/get/${percentEncode(orderId)}`)
  if (clientOrderId === undefined) throw noOrder()
  return futures('GET', `/order/external/${percentEncode(symbol)}/${percentEncode(clientOrderId)}`)
}

/** Past and open orders of a symbol. Spot: spans of 7 days at most; futures: 90. */
export function orderHistoryCall(query: HistoryQuery): UpstreamCall {
  const { symbol, startTime, endTime, limit = 50 } = query
  if (marketOf(symbol) === 'spot') {
    return spot('GET', '/api/v3/allOrders', { symbol, startTime, endTime, limit })
  }
  // Newer pages write startTime and endTime; the older names are what libraries send.
  const times = { start_time: startTime, end_time: endTime }
  return futures(
    'GET',
    '/order/list/history_orders',
    queryOf({ symbol, ...times, page_num: 1, page_size: limit }),
  )
}

/** The balances of one account. */
export function accountCall(market: Market): UpstreamCall {
  return market === 'spot' ? spot('GET', '/api/v3/account', {}) : futures('GET', '/account/assets')
}

function spot(method: UpstreamCall['method'], path: string, values: QueryValues): UpstreamCall {
  return { family: 'mexc-spot', method, path, query: queryOf(values), body: null, signed: true }
}

function spotOrder(method: 'POST' | 'DELETE', values: QueryValues): OrderCall {
  return toOrderCall(spot(method, '/api/v3/order', values), values)
}

function futuresOrder(path: string, body: Readonly<Record<string, unknown>>): OrderCall {
  return toOrderCall(futures('POST', path, '', body), body)
}

/** @param body serialised once: this text is signed and sent */
function futures(
  method: 'GET' | 'POST',
  path: string,
  query = '',
  body: object | null = null,
): UpstreamCall {
  return {
    family: 'mexc-futures',
    method,
    path: `/api/v1/private${path}`,
    query,
    body: body === null ? null : JSON.stringify(body),
    signed: true,
  }
}

function spotRef({ symbol, orderId, clientOrderId }: OrderRef) {
  if (orderId !== undefined) return { symbol, orderId }
  if (clientOrderId === undefined) throw noOrder()
  return { symbol, origClientOrderId: clientOrderId }
}

function noOrder() {
  return new OrderIdMissingError('orderId or clientOrderId')
}
