import type { Exchange } from './adapter.ts'
import { readBotOrders } from './bot-orders.ts'
import type { CallKind } from './call-table.ts'
import type { UpstreamCall } from './exchange.ts'
import { toOrderKey } from './order-lookup/order-call.ts'
import { type OrderKey, ordersOf } from './order-lookup/order-key.ts'
import type { CancelledAll, CancelReach } from './order-lookup/order-protocol.ts'
import { type JsonText, readJson } from './protocol/json-text.ts'
import { isRecord, textOf, upperAscii } from './protocol/untrusted.ts'
import { adapters } from './registry.ts'

/**
 * Whether a call may reach orders or positions that other programs opened with the same account: a
 * cancel that does not give the id of each order, or a reversal that does not say how much. A
 * cancel whose form is not known counts as account-wide. So does a call that ends a countdown:
 * another program may have started it. Whether a close of a whole position reaches others depends
 * on what they have open (orders/whole-closes.ts).
 * @param json the call's body, undefined when it is no JSON
 * @throws BodyTooComplexError
 */
export function isAccountWide(
  exchange: Exchange,
  kind: CallKind,
  call: UpstreamCall,
  json: JsonText | undefined,
): boolean {
  const { closes } = exchange.calls.facts.get(`${call.method} ${call.path}`) ?? {}
  if (closes === 'all') return false
  if (closes !== undefined) {
    const whole = exchange.orders.fields.read(call, json)
    return !isRecord(whole) || textOf(whole[closes.sizeName]) === undefined
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

/** What closes no more than a size, in place of an order that closes all of a position. */
export function sizedCloseOf({ family, path }: UpstreamCall, isStop: boolean): string {
  const { stopCalls = [] } = adapters.of(family)
  const { exitOfSize, closeOfSize } = stopCalls.find(({ below }) => path.startsWith(below)) ?? {}
  return (isStop ? exitOfSize : closeOfSize) ?? 'an order that reduces, with a size'
}

/** What a cancel that names no orders reaches in an account. Survives JSON. */
export interface CancelScope extends Pick<UpstreamCall, 'family'> {
  readonly demo?: boolean | undefined
  readonly reach: CancelReach
}

/** A cancel that names no orders, as far as one client of several may have it. */
interface CancelAll {
  /** The same for calls that cancel the same. */
  readonly name: string
  readonly scope: CancelScope
  readonly namesFailed: boolean
  /** The exchange's response, made from what became of these orders; `nowMs`: exchange time. */
  readonly responseFor: (orders: CancelledAll, nowMs: number) => object
}

/** Undefined for a call that is none, and for one that does not say clearly what it cancels. */
export function cancelAllOf(call: UpstreamCall, from = adapters): CancelAll | undefined {
  const { calls, orders } = from.of(call.family)
  const form = calls.facts.get(`${call.method} ${call.path}`)?.cancelsAll
  if (form === undefined) return undefined
  const json = call.body === null ? undefined : readJson(call.body)
  const fields = call.body === null && call.query === '' ? {} : orders.fields.read(call, json)
  const reach = isRecord(fields) ? form.reach(fields) : undefined
  if (reach === undefined || !isRecord(fields)) return undefined
  return {
    name: `${call.method} ${call.path} ${call.demo} ${JSON.stringify(reach)}`,
    scope: { family: call.family, demo: call.demo, reach },
    namesFailed: form.namesFailed === true,
    responseFor: (done, nowMs) => form.response(done, fields, nowMs),
  }
}

/** Whether a cancel of this scope cancels an order of the account. */
export function isReached(order: OrderKey, { family, demo, reach }: CancelScope): boolean {
  const { market, symbols = [], productType, plan, planType, positionId } = reach
  const isSymbol = (symbol: string) => upperAscii(symbol) === upperAscii(order.symbol)
  return (
    order.family === family &&
    (order.demo === true) === (demo === true) &&
    order.market === market &&
    order.plan === plan &&
    (planType === undefined || order.planType === planType) &&
    (productType === undefined || upperAscii(productType) === upperAscii(order.productType)) &&
    (positionId === undefined || positionId === order.closes?.positionId) &&
    (symbols.length === 0 || symbols.some(isSymbol))
  )
}

/**
 * Whether such a cancel may reach an order, and the gateway cannot tell: it does not know of the
 * order what the call narrows by.
 */
export function isPerhapsReached(order: OrderKey, { reach, ...account }: CancelScope): boolean {
  const { symbols = [], positionId } = reach
  const isUnknown =
    (symbols.length > 0 && order.symbol === undefined) ||
    (positionId !== undefined && order.closes?.positionId === undefined)
  const wider = { ...reach, symbols: [], positionId: undefined }
  return isUnknown && isReached(order, { ...account, reach: wider })
}
