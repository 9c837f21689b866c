import { checkValues } from '../protocol/check-values.ts'
import { parseLossless } from '../protocol/lossless.ts'
import { isRecord, textOf } from '../protocol/untrusted.ts'
import type { OrderCallForm, OrderFields } from './order-call-form.ts'

/**
 * What a call says of each of its orders, whole numbers digit by digit; one that is about a single
 * order has one entry, which says nothing when it cannot be read. A bare id in a list of cancels
 * stands for `{ orderId }`. Undefined when its list cannot be read, has none, or more than the
 * exchange takes.
 * @param whole what the whole call says
 * @param value `listOf` it
 */
export function orderEntries(
  whole: unknown,
  form: OrderCallForm,
  value: unknown[] | undefined,
): OrderFields[] | undefined {
  const { list, action, parts } = form
  const common = isRecord(whole) ? whole : {}
  if (parts !== undefined) return parts.read(common)
  // A list may be where one order is documented, and one order where a list of cancels is.
  if (list?.field === undefined && !Array.isArray(whole)) return [common]
  if (value === undefined || value.length === 0 || value.length > (list?.max ?? 1)) return undefined
  const entries = value.map((entry) => entryOf(entry, common, action === 'cancel'))
  return entries.every((entry) => entry !== undefined) ? entries : undefined
}

/**
 * The list of a call's orders as it was written; undefined when there is none.
 * @throws BodyTooComplexError
 */
export function listOf(whole: unknown, { list }: OrderCallForm): unknown[] | undefined {
  const field = list?.field
  const named = field === undefined ? whole : isRecord(whole) ? whole[field] : undefined
  // MEXC spot has the list as a text in a parameter.
  if (typeof named === 'string') checkValues(named)
  const value = typeof named === 'string' ? parseLossless(named)?.value : named
  return Array.isArray(value) ? value : undefined
}

function entryOf(entry: unknown, common: OrderFields, mayBeId: boolean): OrderFields | undefined {
  if (!isRecord(entry))
    return mayBeId && textOf(entry) !== undefined ? { orderId: entry } : undefined
  const { symbol, productType, planType } = entry
  return {
    ...entry,
    symbol: agreed(common.symbol, symbol),
    productType: agreed(common.productType, productType),
    planType: agreed(common.planType, planType),
  }
}

/** Which of two counts may hang on Bitget's `batchMode`: when they differ, neither is relied on. */
function agreed(common: unknown, own: unknown): string | undefined {
  const [first = textOf(own), second = first] = [textOf(common), textOf(own)]
  return first === second ? first : undefined
}
