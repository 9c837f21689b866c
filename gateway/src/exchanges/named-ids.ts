import { hasDoubledField } from './call-effects.ts'
import type { UpstreamCall } from './exchange.ts'
import { readJson } from './protocol/json-text.ts'
import { decodeText, readPairs } from './protocol/query-text.ts'
import { isRecord, textOf } from './protocol/untrusted.ts'

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
