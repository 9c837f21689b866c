import type { UpstreamCall } from '../exchange.ts'
import { fillJsonField, mapJsonField, mapJsonList } from '../protocol/json-text.ts'
import { joinQueries, mapValues, queryText, withoutNames } from '../protocol/query-text.ts'
import { clientOrderIdName, orderCallForm } from './order-call-form.ts'
import { orderEntries } from './order-entries.ts'

/**
 * The same call with a client order id where its protocol allows one and the bot gave none; all else
 * stays byte for byte. Of several orders each gets its own: the id, a hyphen and its place. Calls
 * that have one, that place nothing, or whose body cannot be read come back as they are.
 * @param clientOrderId `[A-Za-z0-9_-]{1,29}`, which every protocol takes
 */
export function withClientOrderId(call: UpstreamCall, clientOrderId: string): UpstreamCall {
  const form = orderCallForm(call)
  const entries = form === undefined ? undefined : orderEntries(call, form)
  if (form?.action !== 'place' || entries === undefined) return call
  const { list } = form
  if (form.several === 'legs') return withLegs(call, entries, clientOrderId)
  if (list !== undefined) {
    const names = entries.map((fields) => clientOrderIdName(form, fields))
    return withList(call, list.field, (text, index) => {
      const name = names[index]
      return name === undefined ? undefined : fillJsonField(text, name, `${clientOrderId}-${index}`)
    })
  }
  const [fields = {}] = entries
  const name = clientOrderIdName(form, fields)
  if (name === undefined || !isNone(fields[name])) return call
  if (call.family === 'mexc-spot') {
    // An empty one that stands there is taken away: which of two counts is not documented.
    const others = withoutNames(call.query, (other) => other === name)
    return { ...call, query: joinQueries(others, queryText([[name, clientOrderId]])) }
  }
  const body = fillJsonField(call.body ?? '', name, clientOrderId)
  return body === undefined ? call : { ...call, body }
}

/** The ends of a position have ids of their own names. */
function withLegs(
  call: UpstreamCall,
  legs: readonly Readonly<Record<string, unknown>>[],
  clientOrderId: string,
): UpstreamCall {
  const text = call.body ?? ''
  const body = legs.reduce(
    (filled, { leg }, index) =>
      fillJsonField(filled, `${leg}ClientOid`, `${clientOrderId}-${index}`) ?? filled,
    text,
  )
  return body === text ? call : { ...call, body }
}

/** The call with the entries of its list changed, where that stands. */
function withList(
  call: UpstreamCall,
  field: string | undefined,
  change: (entry: string, index: number) => string | undefined,
): UpstreamCall {
  const inText = (list: string) => {
    const changed = mapJsonList(list, change)
    return changed === list ? undefined : changed
  }
  const text = call.body ?? ''
  if (call.family === 'mexc-spot' && field !== undefined) {
    const query = mapValues(call.query, field, inText)
    if (query !== call.query) return { ...call, query }
    if (!text.trimStart().startsWith('{'))
      return text === '' ? call : { ...call, body: mapValues(text, field, inText) }
  }
  const body =
    field === undefined ? inText(text) : mapJsonField(text, field, (list) => inJson(list, inText))
  return body === undefined ? call : { ...call, body }
}

/** A list may stand as a text in JSON, as MEXC spot has it in its parameters. */
function inJson(value: string, change: (list: string) => string | undefined): string | undefined {
  if (!value.startsWith('"')) return change(value)
  const changed = change(String(JSON.parse(value)))
  return changed === undefined ? undefined : JSON.stringify(changed)
}

/** What programs write that send every field: an id of this kind is none. */
function isNone(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
