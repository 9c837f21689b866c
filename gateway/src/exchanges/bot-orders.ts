import type { Exchange } from './adapter.ts'
import type { EffectForm } from './call-effect.ts'
import type { UpstreamCall } from './exchange.ts'
import {
  clientOrderIdName,
  listOf,
  type OrderCallForm,
  type OrderFields,
  orderEntries,
  type StopKind,
  stopKindOf,
  toOrderKey,
} from './order-lookup/order-call.ts'
import type { OrderCall } from './order-lookup/order-key.ts'
import { ClientOrderIdInvalidError, OrderFieldUnknownError } from './protocol/errors.ts'
import { fillJsonField, type JsonText } from './protocol/json-text.ts'
import { cleanWords, isRecord, textOf } from './protocol/untrusted.ts'

/** What a call that a bot wrote says of its orders. */
export interface BotOrders {
  readonly form: OrderCallForm
  /** What it says of each; undefined when that cannot be read. */
  readonly entries: readonly OrderFields[] | undefined
  /** What the whole call says, and its list as it was written. */
  readonly whole: unknown
  readonly list: readonly unknown[] | undefined
}

/**
 * Undefined when the call is about no orders that it names.
 * @param json the call's body, undefined when it is no JSON
 * @throws BodyTooComplexError
 */
export function readBotOrders(
  { calls, orders }: Exchange,
  call: UpstreamCall,
  json: JsonText | undefined,
): BotOrders | undefined {
  const form = calls.facts.get(`${call.method} ${call.path}`)?.order
  if (form === undefined) return undefined
  const whole = orders.fields.read(call, json)
  const list = listOf(whole, form)
  return { form, entries: orderEntries(whole, form, list), whole, list }
}

/**
 * Rejects a new order whose id the exchange does not take, before it costs a slot.
 * @param exchange its name in the error
 * @throws ClientOrderIdInvalidError for the first such order
 */
export function checkClientIds(exchange: string, { form, entries = [] }: BotOrders): void {
  const { clientIdRule: rule } = form
  if (rule === undefined) return
  for (const fields of entries) {
    const name = clientOrderIdName(form, fields)
    const id = name === undefined ? undefined : textOf(fields[name])
    if (name !== undefined && id !== undefined && !rule.pattern.test(id))
      throw new ClientOrderIdInvalidError(name, cleanWords(id).slice(0, 50), exchange, rule.words)
  }
}

/** Whether the bot gave a client order id to one of the orders that a call places. */
export function hasOwnId({ form, entries = [] }: BotOrders): boolean {
  if (form.action !== 'place') return false
  return entries.some((fields) => {
    const name = clientOrderIdName(form, fields)
    return name !== undefined && (textOf(fields[name]) ?? '') !== ''
  })
}

/**
 * The same call with a client order id, or the id of a change, where its protocol allows one and
 * the bot gave none, all else byte for byte; and the key of its orders. Of several orders each gets
 * its own id: the id, a hyphen and its place. Calls that have one, that place and change nothing,
 * or whose body cannot be read come back as they are.
 * @param clientOrderId `[A-Za-z0-9_-]{1,29}`, which every protocol takes
 */
export function nameOrders(
  exchange: Exchange,
  call: UpstreamCall,
  json: JsonText | undefined,
  orders: BotOrders | undefined,
  clientOrderId: string,
): OrderCall {
  if (orders?.entries === undefined) return { call, order: undefined }
  const { form, entries } = orders
  const names = entries.map((fields) => missingIdName(form, fields))
  const ids = entries.map((_, index) =>
    form.list === undefined && form.parts === undefined
      ? clientOrderId
      : `${clientOrderId}-${index}`,
  )
  const named = fillIds(exchange, call, json, form, { entries, names, ids })
  const filled = entries.map((fields, index) => {
    const name = names[index]
    return name === undefined || named === call ? fields : { ...fields, [name]: ids[index] }
  })
  return { call: named, order: toOrderKey(exchange.code, named, form, filled) }
}

interface Naming {
  readonly entries: readonly OrderFields[]
  /** The field of each order's id; undefined where none is to be put. */
  readonly names: readonly (string | undefined)[]
  readonly ids: readonly string[]
}

function fillIds(
  { orders: { fields } }: Exchange,
  call: UpstreamCall,
  json: JsonText | undefined,
  form: OrderCallForm,
  { entries, names, ids }: Naming,
): UpstreamCall {
  if (names.every((name) => name === undefined)) return call
  const { list, parts } = form
  if (list !== undefined)
    return fields.fillList(call, json, list.field, (entry, index) => {
      const [name, id] = [names[index], ids[index]]
      return name === undefined || id === undefined
        ? undefined
        : fillJsonField(entry, name, id)?.text
    })
  const missing = entries.flatMap((entry, index) => {
    const [name, id] = [names[index], ids[index]]
    if (name === undefined || id === undefined) return []
    return [[parts === undefined ? name : parts.clientIdName(entry), id] as const]
  })
  return fields.fill(call, json, Object.fromEntries(missing)) ?? call
}

/**
 * The field where the id of an order, or of a change, is to be put; undefined when it has one, or
 * can have none.
 */
function missingIdName(form: OrderCallForm, fields: OrderFields): string | undefined {
  const name = form.action === 'place' ? clientOrderIdName(form, fields) : form.changeIdName
  return name === undefined || !isNone(fields[name]) ? undefined : name
}

/** What programs write that send every field: an id of this kind is none. */
function isNone(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

/**
 * Refuses an order with a stop field that its call does not know. It holds for every client: the
 * exchange ignores the field, and what was to wait for a price trades at once.
 * @param whole what the whole call says
 * @param list its orders, where it is about several
 * @throws OrderFieldUnknownError for the first such field
 */
export function checkStopFields(
  adapter: Exchange,
  call: UpstreamCall,
  whole: unknown,
  list: readonly unknown[] | undefined,
): void {
  const form = adapter.calls.facts.get(`${call.method} ${call.path}`)?.effect
  // One that says why nobody can tell what a call trades has no fields to compare with.
  if (form === undefined || typeof form === 'string') return
  for (const fields of list ?? [whole]) checkFields(adapter, call, fields, form)
  if (list !== undefined && form.beside !== undefined)
    checkFields(adapter, call, whole, { ...form, fields: form.beside })
}

function checkFields(
  adapter: Exchange,
  call: UpstreamCall,
  fields: unknown,
  { fields: known, ignores }: EffectForm,
): void {
  if (!isRecord(fields)) return
  const ignored = ignores?.(fields) ?? []
  for (const name of Object.keys(fields)) {
    const isIgnored = ignored.includes(name)
    if (known.has(name) && !isIgnored) continue
    const kind = stopKindOf(name)
    if (kind === undefined || !isGiven(fields[name])) continue
    throw new OrderFieldUnknownError(
      `${call.method} ${call.path}`,
      adapter.name,
      cleanWords(name).slice(0, 40),
      isIgnored ? ' in an order like this one' : '',
      adviceOf(adapter, call, kind),
    )
  }
}

/** What programs write that send every field is none. */
function isGiven(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return false
  if (typeof value === 'object') return Object.keys(value).length > 0
  const text = textOf(value)
  return text === undefined || Number(text) !== 0
}

function adviceOf({ stopCalls = [], title }: Exchange, { path }: UpstreamCall, kind: StopKind) {
  const instead = stopCalls.find(({ below }) => path.startsWith(below))?.[kind]
  return instead === undefined ? `${title} has no call for it here` : `Send ${instead} instead`
}
