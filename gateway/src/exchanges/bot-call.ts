import type { Permission } from 'schema'
import { isAccountWide } from './account-wide.ts'
import type { Exchange } from './adapter.ts'
import {
  type BotOrders,
  checkClientIds,
  checkStopFields,
  hasOwnId,
  nameOrders,
  readBotOrders,
} from './bot-orders.ts'
import { closedReason, KIND_PERMISSIONS, kindByBody, kindOf, type OpenKind } from './call-table.ts'
import type { ExchangeCode, HttpMethod, RequestHeaders, UpstreamCall } from './exchange.ts'
import type { OrderCall } from './order-lookup/order-key.ts'
import {
  BatchTooLargeError,
  EndpointForbiddenError,
  PathNotPlainError,
  QueryNotPlainError,
} from './protocol/errors.ts'
import { type JsonText, readJson, withoutJsonFields } from './protocol/json-text.ts'
import { targetOf, withoutNames } from './protocol/query-text.ts'
import { isRecord } from './protocol/untrusted.ts'
import { adapters, exchangeName } from './registry.ts'

/**
 * The head of a call that a bot wrote for the exchange itself, and that its policy lets through.
 */
export interface BotCallHead {
  readonly kind: OpenKind
  /** Without a body yet, and without what the bot signed it with. */
  readonly call: UpstreamCall
}

/** The call as a whole. Its body is parsed once, here. */
export interface BotCall extends BotCallHead {
  /** The body; undefined when it is no JSON. */
  readonly json: JsonText | undefined
  /** Undefined when it is about no orders that it names. */
  readonly orders: BotOrders | undefined
}

export interface BotRequestHead {
  readonly method: string
  /** Path and query as the exchange has them. */
  readonly target: string
  readonly headers: RequestHeaders
}

/**
 * Reads the head of a bot's call: matches it with the policy, and takes away the bot's own
 * signature. Of its headers, only those that change the meaning of the call are kept.
 * @throws PathNotPlainError, QueryNotPlainError, EndpointForbiddenError, DemoHeaderInvalidError
 */
export function readBotCallHead(
  exchange: ExchangeCode,
  { method: given, target, headers }: BotRequestHead,
  from = adapters,
): BotCallHead {
  const at = target.indexOf('?')
  const path = at === -1 ? target : target.slice(0, at)
  const query = at === -1 ? '' : target.slice(at + 1)
  if (!isPlainPath(path)) throw new PathNotPlainError()
  if (!/^[\x21-\x7e]*$/.test(query) || query.includes('#')) throw new QueryNotPlainError()
  const { adapter, kind, method } = openCall(from.ofCode(exchange), given, path)
  const { isOfSignature, settingsOf } = adapter.botCalls
  const { needsKey } = adapter.calls.facts.get(`${method} ${path}`) ?? {}
  const call: UpstreamCall = {
    family: adapter.family,
    method,
    path,
    query: isOfSignature === undefined ? query : withoutNames(query, isOfSignature),
    body: null,
    signed: kind !== 'market' || needsKey === true,
    ...settingsOf?.(headers),
  }
  return { kind, call }
}

/** @throws EndpointForbiddenError */
function openCall(
  families: readonly [Exchange, ...Exchange[]],
  method: string,
  path: string,
): { readonly adapter: Exchange; readonly kind: OpenKind; readonly method: HttpMethod } {
  const adapter = families.find(({ botCalls }) => botCalls.ownsPath(path))
  if (adapter !== undefined && isMethod(method)) {
    const kind = kindOf(adapter.calls, method, path)
    if (kind !== 'never') return { adapter, kind, method }
  }
  const [{ name, calls }] = families
  const reason = closedReason(adapter?.calls ?? calls, method, path)
  throw new EndpointForbiddenError(name, `${method} ${path}`, reason)
}

/** The permission that a call needs. The body can change it (`withBodyKind`). */
export function permissionOf({ kind }: BotCallHead): Permission {
  return KIND_PERMISSIONS[kind]
}

/**
 * The head with the kind that the body decides: a few calls do more, depending on one field.
 * @param text the body; empty when there is none
 */
export function withBodyKind(head: BotCallHead, text: string, from = adapters): BotCallHead {
  const { call, kind } = head
  const { calls } = from.of(call.family)
  return { ...head, kind: kindByBody(calls, kind, `${call.method} ${call.path}`, text) }
}

/**
 * The class in the lane of a call that is journaled; undefined for a read. Settings and strategies
 * wait with the orders, because orders can depend on them.
 */
export function jobClassOf({ kind }: BotCallHead): 'order' | 'cancel' | undefined {
  if (kind === 'market' || kind === 'account') return undefined
  return kind === 'cancel' ? 'cancel' : 'order'
}

/**
 * The call with its body, byte for byte but for a signature in it. An empty one is none.
 * @param type its content type
 * @throws CategoryForbiddenError, ClientOrderIdInvalidError; BatchTooLargeError: each order of a
 * batch costs time before it is sent; OrderFieldUnknownError
 */
export function readBotCall(
  { kind, call: head }: BotCallHead,
  text: string,
  type = '',
  from = adapters,
): BotCall {
  const adapter = from.of(head.family)
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type)
  const { body, json } = readBody(text, isForm, adapter.botCalls.isOfSignature)
  const written = { ...head, body: body === '' ? null : body, ...(isForm ? { isForm } : {}) }
  const isWide = isAccountWide(adapter, kind, written, json)
  const call = isWide ? { ...written, isAccountWide: true } : written
  adapter.botCalls.checkBody?.(call, json !== undefined)
  const orders = readBotOrders(adapter, call, json)
  if (orders !== undefined) checkOrders(exchangeName(call.family, from), orders)
  if (kind === 'order' || kind === 'settings')
    checkStopFields(
      adapter,
      call,
      orders?.whole ?? adapter.orders.fields.read(call, json),
      orders?.list,
    )
  return { kind, call, json, orders }
}

function checkOrders(exchange: string, orders: BotOrders): void {
  const max = orders.form.list?.max
  const count = orders.list?.length ?? 0
  if (max !== undefined && count > max) throw new BatchTooLargeError(exchange, max, count)
  checkClientIds(exchange, orders)
}

/**
 * What is sent, and how its orders can be found again: each order that has no client order id gets
 * one, where its protocol allows that; all else stays byte for byte.
 * @param clientOrderId `[A-Za-z0-9_-]{1,29}`, which every protocol takes
 */
export function nameBotOrders(bot: BotCall, clientOrderId: string, from = adapters): OrderCall {
  const { call, json, orders } = bot
  return nameOrders(from.of(call.family), call, json, orders, clientOrderId)
}

/** Whether the bot gave a client order id to one of the orders that the call places. */
export function isNamedByBot({ orders }: BotCall): boolean {
  return orders !== undefined && hasOwnId(orders)
}

/**
 * Whether sending the call twice does no more than sending it once: a setting, and a close of all
 * that is open. A reversal of a position does not belong to them.
 */
export function isRepeatable({ kind, call }: BotCallHead, from = adapters): boolean {
  const facts = from.of(call.family).calls.facts.get(`${call.method} ${call.path}`)
  return kind === 'settings' || facts?.closes === 'all'
}

/**
 * What tells a call from another one with the same idempotency key: without the bot's signature and
 * time, which differ in a retry. An order for the demo account is another one.
 */
export function payloadOf(
  { call, json }: BotCall,
  from = adapters,
): { readonly url: string; readonly body: unknown } {
  const { path, query, body, demo } = call
  const { perTryFields = [] } = from.of(call.family).botCalls
  const url = targetOf(path, query)
  const value = json?.value ?? body
  return {
    url: demo === true ? `${url} paptrading` : url,
    body: isRecord(value) ? withoutFields(value, perTryFields) : value,
  }
}

function readBody(
  text: string,
  isForm: boolean,
  isOfSignature: ((name: string) => boolean) | undefined,
): { readonly body: string; readonly json: JsonText | undefined } {
  if (isForm) {
    const body = isOfSignature === undefined ? text : withoutNames(text, isOfSignature)
    return { body, json: readJson(body) }
  }
  const json = readJson(text)
  if (json === undefined || isOfSignature === undefined) return { body: text, json }
  const unsigned = withoutJsonFields(json, isOfSignature)
  return { body: unsigned.text, json: unsigned }
}

function withoutFields(value: Record<string, unknown>, names: readonly string[]) {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

function isMethod(method: string): method is HttpMethod {
  return ['GET', 'POST', 'PUT', 'DELETE'].includes(method)
}

/** Longer than any path of the exchanges; a part is a name, a symbol or an id. */
const PATH_LENGTH_MAX = 500

const PLAIN = /^(?:\/(?!\.+(?:\/|$))(?:[\w.~!$&'()*+,=:@-]|%[89A-Fa-f][\dA-Fa-f])+)+$/

/** Letters, their marks and digits beyond ASCII. What a reader cannot see is not among them. */
const LETTERS = /^(?:(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{Nd}])+$/u

/**
 * Whether a path means the same to everyone who reads it: parts of visible ASCII between single
 * slashes, none of them empty or made of dots, and no ASCII percent-encoded. An exchange that
 * decodes `%73ub-account-assets` would do what the policy forbids, and what the policy knows as an
 * order would go out as something else. Letters beyond ASCII are percent-encoded, as UTF-8: some
 * symbols have them (`币安人生_USDT`). No path that the policy names does, so they pass only where it
 * has a parameter.
 */
export function isPlainPath(path: string): boolean {
  if (path.length > PATH_LENGTH_MAX || !PLAIN.test(path)) return false
  return (path.match(/(?:%..)+/g) ?? []).every(isOfLetters)
}

/** @param encoded percent-encoded bytes from 80 on, which are no valid UTF-8 otherwise */
function isOfLetters(encoded: string): boolean {
  try {
    return LETTERS.test(decodeURIComponent(encoded))
  } catch {
    return false
  }
}
