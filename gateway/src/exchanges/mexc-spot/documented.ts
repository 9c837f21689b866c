import type { FieldProblem, MxBalance, MxSubmitOrder, mxOrderHistory, QueryOf } from 'schema'
import type { UpstreamCall } from '../exchange.ts'
import { type MexcOrderRef, noMexcOrder } from '../mexc-results.ts'
import { toOrderCall } from '../order-lookup/order-call.ts'
import type { OrderCall, OrderKey } from '../order-lookup/order-key.ts'
import type { CancelForm } from '../order-lookup/order-protocol.ts'
import type { InTexts } from '../protocol/decimals.ts'
import { type QueryValues, queryOf } from '../protocol/query-text.ts'
import { decimalOf, isRecord, recordsOf, textOf } from '../protocol/untrusted.ts'
import { cancelling, placing } from './calls.ts'

// The calls behind the documented routes; those of futures have the same names
// (`mexc-futures/documented.ts`).

/** A spot order. A market buy is by quantity too; the price of a market order is left out. */
export function submitOrderCall(
  order: InTexts<MxSubmitOrder, 'quantity' | 'price'>,
  clientOrderId: string,
): OrderCall {
  const { symbol, side, type, quantity, price } = order
  const values = {
    symbol,
    side,
    type,
    quantity,
    price: type === 'LIMIT' ? price : undefined,
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

/** What a spot order cannot have. */
export function submitOrderProblems(order: MxSubmitOrder): FieldProblem[] {
  const { symbol, leverage, openType, reduceOnly } = order
  return Object.entries({ leverage, openType, reduceOnly })
    .filter(([, value]) => value !== undefined)
    .map(([field]) => ({
      field,
      message: `Only for futures, and "${symbol}" is a spot pair; futures symbols have an underscore`,
    }))
}

/** The balances in the response to `accountCall`. */
export function balances(data: unknown): MxBalance[] {
  return recordsOf(isRecord(data) ? data.balances : undefined).map((entry) => ({
    accountType: 'spot',
    coin: textOf(entry.asset) ?? '',
    available: decimalOf(entry.free) ?? '0',
    frozen: decimalOf(entry.locked) ?? '0',
    equity: null,
  }))
}

/** MEXC spot cancels one order at a time, or all of a symbol. */
export function cancelForm(order: OrderKey): CancelForm | undefined {
  const { symbol, orderId, clientOrderId } = order
  if (symbol === undefined || (orderId ?? clientOrderId) === undefined) return undefined
  return {
    group: 'one',
    max: 1,
    callOf: ([first = order]) =>
      cancelOrderCall({
        symbol: first.symbol ?? symbol,
        ...(first.orderId === undefined ? {} : { orderId: first.orderId }),
        ...(first.clientOrderId === undefined ? {} : { clientOrderId: first.clientOrderId }),
      }),
  }
}
