import type { MxSubmitOrder, mxOrderHistory, QueryOf } from 'schema'
import type { UpstreamCall } from '../exchange.ts'
import { type MexcOrderRef, noMexcOrder } from '../mexc-results.ts'
import { toOrderCall } from '../order-lookup/order-call.ts'
import type { OrderCall } from '../order-lookup/order-key.ts'
import { amountText } from '../protocol/decimals.ts'
import { type QueryValues, queryOf } from '../protocol/query-text.ts'
import { cancelling, placing } from './order-calls.ts'

// The calls behind the documented routes; those of futures have the same names
// (`mexc-futures/calls.ts`).

/** A spot order. A market buy is by quantity too; the price of a market order is left out. */
export function submitOrderCall(order: MxSubmitOrder, clientOrderId: string): OrderCall {
  const { symbol, side, type, quantity, price } = order
  const values = {
    symbol,
    side,
    type,
    quantity: amountText(quantity),
    price: type === 'LIMIT' && price !== undefined ? amountText(price) : undefined,
    newClientOrderId: clientOrderId,
  }
  return toOrderCall('mx', spotCall('POST', '/api/v3/order', values), placing, values)
}

/** @throws OrderIdMissingError */
export function cancelOrderCall(ref: MexcOrderRef): OrderCall {
  const values = namedOrder(ref)
  return toOrderCall('mx', spotCall('DELETE', '/api/v3/order', values), cancelling, values)
}

/** One order. @throws OrderIdMissingError */
export function orderStatusCall(ref: MexcOrderRef): UpstreamCall {
  return spotCall('GET', '/api/v3/order', namedOrder(ref))
}

/** Past and open orders of a symbol, of 7 days at most. */
export function orderHistoryCall(query: QueryOf<typeof mxOrderHistory>): UpstreamCall {
  const { symbol, startTime, endTime, limit = 50 } = query
  return spotCall('GET', '/api/v3/allOrders', { symbol, startTime, endTime, limit })
}

/** The balances of the account. */
export function accountCall(): UpstreamCall {
  return spotCall('GET', '/api/v3/account', {})
}

function spotCall(method: UpstreamCall['method'], path: string, values: QueryValues): UpstreamCall {
  return { family: 'mexc-spot', method, path, query: queryOf(values), body: null, signed: true }
}

function namedOrder({ symbol, orderId, clientOrderId }: MexcOrderRef) {
  if (orderId !== undefined) return { symbol, orderId }
  if (clientOrderId === undefined) throw noMexcOrder()
  return { symbol, origClientOrderId: clientOrderId }
}
