import type { Exchange, UpstreamCall } from './exchange.ts'
import { readBotOrders } from './order-lookup/bot-orders.ts'
import { type OrderKey, ordersOf } from './order-lookup/order-key.ts'
import { toOrderKey } from './order-lookup/to-order-call.ts'
import type { CallKind } from './policy/rules.ts'
import type { JsonText } from './protocol/json-text.ts'
import { isRecord, textOf } from './protocol/untrusted.ts'

/**
 * Whether a call may reach orders or positions that other programs opened with the same account: a
 * cancel that does not give the id of each order, or a close that does not say how much. A cancel
 * whose form is not known counts as account-wide. So does a call that ends a countdown: another
 * program may have started it.
 * @param json the call's body, undefined when it is no JSON
 * @throws BodyTooComplexError
 */
export function isAccountWide(
  exchange: Exchange,
  kind: CallKind,
  call: UpstreamCall,
  json: JsonText | undefined,
): boolean {
  const { closes, fields } = exchange.orders
  const line = `${call.method} ${call.path}`
  if (closes?.has(line) === true) {
    const sizeName = closes.get(line)
    const whole = fields.read(call, json)
    return sizeName === undefined || !isRecord(whole) || textOf(whole[sizeName]) === undefined
  }
  return kind === 'cancel' && !namesItsOrders(exchange, call, json)
}

/** Whether a cancel gives the id of every order that it may cancel. */
function namesItsOrders(exchange: Exchange, call: UpstreamCall, json: JsonText | undefined) {
  const { form, entries } = readBotOrders(exchange, call, json) ?? {}
  if (form === undefined || entries === undefined) return false
  const key = toOrderKey(exchange.code, call, form, entries)
  return key !== undefined && ordersOf(key).every(hasId)
}

function hasId({ orderId, clientOrderId }: OrderKey): boolean {
  return orderId !== undefined || clientOrderId !== undefined
}
