import type { Exchange } from './adapter.ts'
import {
  type CallEffect,
  type EffectFields,
  type EffectForm,
  type OrderEffect,
  UnclearFieldError,
} from './call-effect.ts'
import { kindByBody, kindOf } from './call-table.ts'
import type { UpstreamCall } from './exchange.ts'
import { listOf, type OrderCallForm, orderEntries } from './order-lookup/order-call.ts'
import { type OrderKey, ordersOf } from './order-lookup/order-key.ts'
import { readJson } from './protocol/json-text.ts'
import { endOfText } from './protocol/lossless.ts'
import { decodeText, readPairs } from './protocol/query-text.ts'
import { cleanWords, isRecord, textOf, upperAscii } from './protocol/untrusted.ts'
import { adapters } from './registry.ts'

/** How a call is written that names no order that can be found: it is about one. */
const ONE: OrderCallForm = { action: 'place', market: 'futures' }

/** It is the same call when it is checked again, and several parts check it. */
const known = new WeakMap<UpstreamCall, readonly CallEffect[]>()

/**
 * What a call does, read from exactly what will be signed. A call about several orders has an
 * effect for each, in their order; a read has none. Everything that is not certain to be bounded is
 * `unbounded`: a call in no table, a field that the table does not know, one that occurs twice or
 * that is written in an unusual way.
 */
export function effectsOf(call: UpstreamCall, from = adapters): readonly CallEffect[] {
  if (from !== adapters) return readCall(call, from)
  const effects = known.get(call) ?? readCall(call, from)
  known.set(call, effects)
  return effects
}

function readCall(call: UpstreamCall, from: typeof adapters): readonly CallEffect[] {
  const adapter = from.of(call.family)
  const { calls } = adapter
  const line = `${call.method} ${call.path}`
  const byPath = kindOf(calls, call.method, call.path)
  if (byPath === 'market' || byPath === 'account') return []
  if (byPath === 'cancel') return [{ kind: 'cancel' }]
  if (byPath === 'never') return [unbounded('the gateway does not know it')]
  const kind = kindByBody(calls, byPath, line, call.body ?? '')
  if (kind === 'strategies') return [unbounded('the exchange trades on its own afterwards')]
  const form = calls.facts.get(line)?.effect
  if (typeof form === 'string') return [unbounded(form)]
  if (form !== undefined) return readEffects(adapter, call, line, form)
  if (kind === 'settings') return [{ kind: 'setting' }]
  return [unbounded('what it may trade does not follow from its fields')]
}

function readEffects(
  { calls, orders }: Exchange,
  call: UpstreamCall,
  line: string,
  form: EffectForm,
): readonly CallEffect[] {
  const body = call.body ?? ''
  if (hasSeparators(call, body)) return [unbounded('its fields can be read in two ways')]
  const json = isJson(body) ? readJson(body) : undefined
  const whole = body === '' && call.query === '' ? {} : orders.fields.read(call, json)
  const orderForm = calls.facts.get(line)?.order ?? ONE
  const field = orderForm.list?.field
  const list = orderForm.list === undefined ? undefined : listOf(whole, orderForm)
  const listText = field !== undefined && isRecord(whole) ? whole[field] : undefined
  if (
    countWritten(call, body) !== countRead(whole) ||
    (typeof listText === 'string' && countMembers(listText) !== countRead(list))
  )
    return [unbounded('one of its fields occurs twice, or where it is not read')]
  const stranger = strangerIn(whole, list, field, form)
  if (stranger !== undefined)
    return [unbounded(`its field "${cleanWords(stranger).slice(0, 40)}" is not known`)]
  const entries =
    orderForm.list === undefined ? [whole].filter(isRecord) : orderEntries(whole, orderForm, list)
  if (entries === undefined) return [unbounded('its orders cannot be read')]
  const effects = entries.flatMap((fields) => readEffect(form, fields))
  return effects.length === 0 ? [unbounded('its orders cannot be read')] : effects
}

/**
 * Whether a field of a call occurs twice, or both in its query and in its body: servers differ in
 * which one they take.
 */
function hasDoubledField(call: UpstreamCall, from = adapters): boolean {
  const body = call.body ?? ''
  if (body === '' && call.query === '') return false
  const json = isJson(body) ? readJson(body) : undefined
  return countWritten(call, body) !== countRead(from.of(call.family).orders.fields.read(call, json))
}

function readEffect(
  { read }: EffectForm,
  fields: EffectFields,
): CallEffect | readonly CallEffect[] {
  try {
    return read(fields)
  } catch (error) {
    if (error instanceof UnclearFieldError) return unbounded(error.message)
    throw error
  }
}

/**
 * Characters that separate fields for some servers: a form within JSON, or a semicolon instead of
 * an ampersand.
 */
function hasSeparators({ query, isForm }: UpstreamCall, body: string): boolean {
  if (query.includes(';') || body.includes(';')) return true
  return isJson(body) && (isForm === true || body.includes('&'))
}

/** The fields that query and body have, also those that a parser drops because of a later one. */
function countWritten({ query }: UpstreamCall, body: string): number {
  const inBody = isJson(body) ? countMembers(body) : readPairs(body).length
  return (query === '' ? 0 : readPairs(query).length) + inBody
}

function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text)
}

/** How many members the objects in a JSON text have: one for each colon outside of texts. */
function countMembers(json: string): number {
  let count = 0
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index)
    if (code === 0x22) index = endOfText(json, index)
    else if (code === 0x3a) count += 1
  }
  return count
}

/** How many fields are left once the JSON is parsed. */
function countRead(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const values = Object.values(value)
  const own = Array.isArray(value) ? 0 : values.length
  return values.reduce<number>((sum, each) => sum + countRead(each), own)
}

/** The first field that a call may not have; undefined when the table knows all. */
function strangerIn(
  whole: unknown,
  list: readonly unknown[] | undefined,
  field: string | undefined,
  { fields, beside }: EffectForm,
): string | undefined {
  if (list === undefined) return strangerAmong(whole, fields)
  const inEntry = list
    .map((entry) => strangerAmong(entry, fields))
    .find((name) => name !== undefined)
  if (inEntry !== undefined || field === undefined || !isRecord(whole)) return inEntry
  const { [field]: _list, ...others } = whole
  return strangerAmong(others, beside ?? new Set())
}

/** Also the first whose value is a list or an object, which no field of an order is. */
function strangerAmong(value: unknown, known: ReadonlySet<string>): string | undefined {
  if (!isRecord(value)) return undefined
  return Object.keys(value).find((name) => {
    const each = value[name]
    return !known.has(name) || (typeof each === 'object' && each !== null)
  })
}

function unbounded(why: string): CallEffect {
  return { kind: 'unbounded', why }
}

/**
 * What the orders of a call were to trade, as far as their key says: enough to value them later,
 * not to judge the call. Cancels have none.
 */
export function effectsOfKey(key: OrderKey): OrderEffect[] {
  return ordersOf(key)
    .filter(({ action }) => action !== 'cancel')
    .map(effectOf)
}

function effectOf({ market, symbol, productType, plan, terms = {} }: OrderKey): OrderEffect {
  const { kind, trigger, price, spends } = terms
  return {
    kind: 'order',
    market,
    symbol: upperAscii(symbol),
    ...(market === 'futures' ? { productType: upperAscii(productType) } : {}),
    side: sideOf(terms),
    size: terms.size ?? terms.asked,
    // A trigger order's may be in the base coin.
    quoteSize: plan === undefined ? spends : undefined,
    price: kind === 'market' ? undefined : price,
    trigger,
    ...{ reduces: false, rests: true },
  }
}

/** Undefined where the exchange's word may mean another side: then the dearer one counts. */
function sideOf({ side = '', position }: NonNullable<OrderKey['terms']>): OrderEffect['side'] {
  if (position === 'close') return undefined
  // MEXC futures: 1 opens a long position, 2 closes a short one.
  if (['buy', '1', '2'].includes(side)) return 'buy'
  return ['sell', '3', '4'].includes(side) ? 'sell' : undefined
}

/** A field that names an order, in any call of the exchanges and in any spelling of it. */
const ID_NAME = /(?:order_?ids?|oids?|^ids?)(?:_?list)?$/i
/** The id that an order is to have after a change is nobody's yet. */
const NEW_NAME = /^new/i

/** The ids of orders that a call names, in whatever way it is written. */
interface NamedIds {
  readonly ids: ReadonlySet<string>
  /** One of its fields occurs twice, so that nobody can tell which of them the exchange takes. */
  readonly isDoubled: boolean
}

/**
 * Reads every id in a call: those that its form knows, and those in fields that the exchange may or
 * may not read.
 */
export function idsIn(call: UpstreamCall): NamedIds {
  const body = call.body ?? ''
  const json = readJson(body)
  const pairs = [...readPairs(call.query), ...(json === undefined ? readPairs(body) : [])]
  const values = [
    ...pairs.filter(([name]) => isIdName(name)).map(([, value]) => value),
    ...(Array.isArray(json?.value) ? json.value.flatMap((each) => textOf(each) ?? []) : []),
    ...valuesOf(json?.value, false),
  ]
  const ids = values.flatMap(readings).filter((id) => id !== '')
  return { ids: new Set(ids), isDoubled: hasDoubledField(call) }
}

/** The ids that a read names. */
export interface AskedIds {
  readonly orderIds: ReadonlySet<string>
  readonly clientOrderIds: ReadonlySet<string>
}

/**
 * The ids in a read: in fields of its query and body, and in the path of MEXC futures, where the
 * exchange's ids are numbers. A bot may give its order a word of a path as its id.
 */
export function idsAskedIn(url: string, body: string): AskedIds {
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  const named = readPairs(query).filter(([name]) => isIdName(name))
  const values = [...named.map(([, value]) => value), ...valuesOf(readJson(body)?.value, false)]
  const ids = values.flatMap(readings)
  const parts = path.split('/').map(decodeText)
  const external = path.includes('/external/') ? parts.slice(-1) : []
  return {
    orderIds: new Set([...ids, ...parts.filter((part) => /^\d+$/.test(part))]),
    clientOrderIds: new Set([...ids, ...external]),
  }
}

function valuesOf(value: unknown, isId: boolean): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => valuesOf(each, isId))
  if (isRecord(value))
    return Object.entries(value).flatMap(([name, each]) => valuesOf(each, isId || isIdName(name)))
  const text = isId ? textOf(value) : undefined
  return text === undefined ? [] : [text]
}

const isIdName = (name: string) => ID_NAME.test(name) && !NEW_NAME.test(name)

/** An id, and what a lenient parser may make of it. */
function readings(text: string): string[] {
  const parts = text.split(',')
  return parts.flatMap((part) => [
    part,
    part
      .trim()
      .replace(/^0+(?=\d)/, '')
      .replace(/\.0+$/, ''),
  ])
}
