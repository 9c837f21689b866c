import type { UpstreamCall } from '../exchange.ts'
import { type OrderCallForm, toOrderCall } from '../order-lookup/order-call.ts'
import type { OrderCall } from '../order-lookup/order-key.ts'
import { OrderIdMissingError } from '../protocol/errors.ts'
import { type QueryValues, queryOf } from '../protocol/query-text.ts'
import { encodeForBitget } from './sign.ts'

/** The one product type and margin coin that the documented routes speak of. */
export const PRODUCT_TYPE = 'USDT-FUTURES'
export const MARGIN_COIN = 'USDT'

/** A question about the account, signed. */
export function readCall(path: string, values: QueryValues): UpstreamCall {
  const query = queryOf(values, encodeForBitget)
  return { family: 'bitget', method: 'GET', path, query, body: null, signed: true }
}

/** A question about the market, which needs no key. */
export function marketCall(path: string, query: QueryValues): UpstreamCall {
  return { ...readCall(path, query), signed: false }
}

/**
 * An order or a setting; the body is serialised once: this text is signed and sent. Absent values
 * are left out.
 */
export function tradeCall(path: string, body: Record<string, string | undefined>): UpstreamCall {
  return {
    family: 'bitget',
    method: 'POST',
    path,
    query: '',
    body: JSON.stringify(body),
    signed: true,
  }
}

/** A call about one order, and how that can be found again. */
export function orderCall(
  path: string,
  form: OrderCallForm,
  body: Record<string, string | undefined>,
): OrderCall {
  return toOrderCall('bg', tradeCall(path, body), form, body)
}

/**
 * Which order is meant; the exchange's id wins, as at Bitget itself.
 * @throws OrderIdMissingError
 */
export function orderRef(ref: {
  orderId?: string
  clientOid?: string
}): { orderId: string } | { clientOid: string } {
  if (ref.orderId !== undefined) return { orderId: ref.orderId }
  if (ref.clientOid !== undefined) return { clientOid: ref.clientOid }
  throw new OrderIdMissingError('orderId or clientOid')
}
