import type { ExchangeCode, UpstreamCall } from '../exchange.ts'
import { positiveOf, textOf } from '../protocol/untrusted.ts'
import { hasExitFields } from '../stop-fields.ts'
import { clientOrderIdName, type OrderCallForm, type OrderFields } from './order-call-form.ts'
import type { OrderCall, OrderKey } from './order-key.ts'
import { type OrderTerms, sentTerms } from './terms.ts'

/**
 * A call about one order that the gateway makes itself, with the order's key: made of the same
 * fields, not read back.
 * @param fields what the call says of the order, by the names that it has there
 */
export function toOrderCall(
  exchange: ExchangeCode,
  call: UpstreamCall,
  form: OrderCallForm,
  fields: OrderFields,
): OrderCall {
  return { call, order: singleKey(exchange, call, form, fields) }
}

/**
 * The key of a call that is about the orders of these entries, one or several; undefined where
 * there are none.
 * @param entries what the call says of each of its orders
 */
export function toOrderKey(
  exchange: ExchangeCode,
  call: UpstreamCall,
  form: OrderCallForm,
  entries: readonly OrderFields[],
): OrderKey | undefined {
  const orders = entries.flatMap((fields) => keysOf(exchange, call, form, fields))
  const [first] = orders
  if (first === undefined) return undefined
  const isSingle = form.isSingleByOne === true && orders.length === 1
  if (form.several === undefined || isSingle) return first
  const { family, market, action, isUnified, demo } = first
  return { exchange, family, market, action, isUnified, demo, orders, several: form.several }
}

/** One that replaces another order is about both: the old one goes, the new one comes. */
function keysOf(
  exchange: ExchangeCode,
  call: UpstreamCall,
  form: OrderCallForm,
  fields: OrderFields,
): OrderKey[] {
  const key = singleKey(exchange, call, form, fields)
  if (form.replaces === undefined) return [key]
  return [singleKey(exchange, call, form.replaces, fields), key]
}

function singleKey(
  exchange: ExchangeCode,
  call: UpstreamCall,
  form: OrderCallForm,
  fields: OrderFields,
): OrderKey {
  const { action, terms } = form
  const idName = clientOrderIdName(form, fields)
  const { market = form.market, ...details } = form.details?.(fields) ?? {}
  const closes = form.closes?.(fields)
  const opens = action !== 'cancel' && closes === undefined
  return {
    exchange,
    family: call.family,
    market,
    action,
    symbol: textOf(fields.symbol),
    clientOrderId: idName === undefined ? undefined : textOf(fields[idName]),
    orderId: action === 'place' ? undefined : textOf(fields.orderId),
    terms: terms === undefined ? askedIn(form, fields) : sentTerms(terms, fields, market),
    ...(form.isImmediate?.(fields) === true ? { isImmediate: true } : {}),
    ...details,
    ...(closes === undefined ? {} : { closes }),
    ...(opens && hasExitFields(fields) ? { hasAttachedExit: true } : {}),
    demo: call.demo,
  }
}

function askedIn({ askedName }: OrderCallForm, fields: OrderFields): OrderTerms | undefined {
  const asked = askedName === undefined ? undefined : positiveOf(fields[askedName])
  return asked === undefined ? undefined : { asked }
}
