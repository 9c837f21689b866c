import { exchangeName, type UpstreamCall } from '../exchange.ts'
import { checkValues } from '../protocol/check-values.ts'
import { BatchTooLargeError } from '../protocol/errors.ts'
import { parseLossless } from '../protocol/lossless.ts'
import { readPairs } from '../protocol/query-text.ts'
import { isRecord, positiveOf, textOf } from '../protocol/untrusted.ts'
import { type OrderCallForm, orderCallForm } from './order-call-form.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * What a call says of each of its orders, whole numbers digit by digit; one that is about a single
 * order has one entry, which says nothing when it cannot be read. A bare id in a list of cancels
 * stands for `{ orderId }`. Undefined when its list cannot be read, has none, or more than the
 * exchange takes.
 */
export function orderEntries(call: UpstreamCall, form: OrderCallForm): Fields[] | undefined {
  const { list, action, several } = form
  const whole = wholeOf(call)
  const common = isRecord(whole) ? whole : {}
  if (several === 'legs') return legsIn(common)
  // A list may stand where one order is documented, and one order where a list of cancels is.
  if (list?.field === undefined && !Array.isArray(whole)) return [common]
  const value = listIn(whole, form)
  if (value === undefined || value.length === 0 || value.length > (list?.max ?? 1)) return undefined
  const entries = value.map((entry) => entryOf(entry, common, action === 'cancel'))
  return entries.every((entry) => entry !== undefined) ? entries : undefined
}

/**
 * Refuses a call with more orders than its exchange takes at once: each of them costs time before it is sent.
 * @throws BatchTooLargeError, BodyTooComplexError
 */
export function checkBatchSize(call: UpstreamCall): void {
  const form = orderCallForm(call)
  if (form?.list === undefined) return
  const { field, max } = form.list
  const whole = wholeOf(call)
  const list = field === undefined || !isRecord(whole) ? undefined : whole[field]
  if (typeof list === 'string') checkValues(list)
  const count = listIn(whole, form)?.length ?? 0
  if (count > max) throw new BatchTooLargeError(exchangeName(call.family), max, count)
}

/** The list of a call as it was written; undefined when there is none. */
function listIn(whole: unknown, { list }: OrderCallForm): unknown[] | undefined {
  const field = list?.field
  const named = field === undefined ? whole : isRecord(whole) ? whole[field] : undefined
  // MEXC spot has the list as a text in a parameter.
  const value = typeof named === 'string' ? parseLossless(named)?.value : named
  return Array.isArray(value) ? value : undefined
}

/**
 * The two ends of a position, those that have a price, named as a call about one names them
 * (docs/exchanges/bitget.md, 5).
 */
function legsIn(fields: Fields): Fields[] {
  const { symbol, productType } = fields
  return ['stopSurplus', 'stopLoss'].flatMap((leg) => {
    const partOf = (name: string) => fields[`${leg}${name}`]
    if (positiveOf(partOf('TriggerPrice')) === undefined) return []
    return {
      ...{ leg, symbol, productType, size: partOf('Size'), clientOid: partOf('ClientOid') },
      ...{ triggerPrice: partOf('TriggerPrice'), executePrice: partOf('ExecutePrice') },
    }
  })
}

function entryOf(entry: unknown, common: Fields, mayBeId: boolean): Fields | undefined {
  if (!isRecord(entry))
    return mayBeId && textOf(entry) !== undefined ? { orderId: entry } : undefined
  const { symbol, productType } = entry
  return {
    ...entry,
    symbol: agreed(common.symbol, symbol),
    productType: agreed(common.productType, productType),
  }
}

/** Which of two counts may hang on Bitget's `batchMode`: when they differ, neither is relied on. */
function agreed(common: unknown, own: unknown): string | undefined {
  const [first = textOf(own), second = first] = [textOf(common), textOf(own)]
  return first === second ? first : undefined
}

function wholeOf(call: UpstreamCall): unknown {
  // A parameter that is in both is taken from the query (docs/exchanges/mexc.md, 2.1).
  if (call.family === 'mexc-spot')
    return { ...bodyFields(call.body ?? ''), ...queryFields(call.query) }
  return parseLossless(call.body ?? '')?.value
}

/** Which of two values counts is not documented: such a parameter is none that can be relied on. */
function queryFields(query: string): Record<string, unknown> {
  const fields = new Map<string, unknown>()
  for (const [name, value] of readPairs(query)) {
    fields.set(name, fields.has(name) && fields.get(name) !== value ? AMBIGUOUS : value)
  }
  return Object.fromEntries(fields)
}

/** Neither a text nor missing. */
const AMBIGUOUS = false

/** The documentation sends a form, some programs JSON. */
function bodyFields(text: string): Record<string, unknown> {
  if (!text.trimStart().startsWith('{')) return queryFields(text)
  const value = parseLossless(text)?.value
  return isRecord(value) ? value : {}
}
