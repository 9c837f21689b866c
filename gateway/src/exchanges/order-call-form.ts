import type { UpstreamCall } from './exchange.ts'
import { parseLossless } from './lossless.ts'
import type { TermNames } from './order-terms.ts'
import { readPairs } from './query-text.ts'
import { isRecord, textOf } from './untrusted.ts'

/** How a call that is about one order is written. */
export interface OrderCallForm {
  readonly action: 'place' | 'cancel' | 'modify'
  readonly market: 'spot' | 'futures'
  /** The field of the client order id; absent where the call has none. */
  readonly clientIdName?: string
  /** Bitget's unified account, where the market is in the field `category`. */
  readonly isUnified?: true
  /** The fields that say what the new order is to do; absent where the call makes none of its own. */
  readonly terms?: TermNames
}

const FUTURES = '/api/v1/private/order'
const byExternalOid = { market: 'futures', clientIdName: 'externalOid' } as const
const futuresOrder: OrderCallForm = {
  ...byExternalOid,
  action: 'place',
  terms: { side: 'side', kind: 'type', price: 'price', size: 'vol' },
}
const bitgetTerms = { side: 'side', kind: 'orderType', price: 'price' } as const
const spotTerms = { ...bitgetTerms, size: 'size' } as const
const mixTerms = { ...spotTerms, position: 'tradeSide' } as const
const unifiedTerms = { ...bitgetTerms, size: 'qty', position: 'posSide' } as const

// mexc.md 3 and 4.4, bitget.md 3, 4 and 11. What is not here is about several orders, or about none.
const FORMS: ReadonlyMap<string, OrderCallForm> = new Map<string, OrderCallForm>([
  [
    'mexc-spot POST /api/v3/order',
    {
      action: 'place',
      market: 'spot',
      clientIdName: 'newClientOrderId',
      terms: { side: 'side', kind: 'type', price: 'price', size: 'quantity' },
    },
  ],
  [
    'mexc-spot DELETE /api/v3/order',
    { action: 'cancel', market: 'spot', clientIdName: 'origClientOrderId' },
  ],
  [`mexc-futures POST ${FUTURES}/create`, futuresOrder],
  [`mexc-futures POST ${FUTURES}/submit`, futuresOrder],
  [`mexc-futures POST ${FUTURES}/cancel`, { action: 'cancel', market: 'futures' }],
  [`mexc-futures POST ${FUTURES}/cancel_with_external`, { ...byExternalOid, action: 'cancel' }],
  [`mexc-futures POST ${FUTURES}/change_limit_order`, { action: 'modify', market: 'futures' }],
  ...bitgetForms('/api/v2/spot/trade', spotTerms, { market: 'spot' }),
  ...bitgetForms('/api/v2/mix/order', mixTerms, { market: 'futures' }),
  [
    'bitget POST /api/v2/mix/order/modify-order',
    {
      action: 'modify',
      market: 'futures',
      clientIdName: 'newClientOid',
      terms: { price: 'newPrice', size: 'newSize' },
    },
  ],
  ...bitgetForms('/api/v3/trade', unifiedTerms, { market: 'spot', isUnified: true }),
])

/** Undefined when the call is not about exactly one order. */
export function orderCallForm({ family, method, path }: UpstreamCall): OrderCallForm | undefined {
  return FORMS.get(`${family} ${method} ${path}`)
}

/**
 * What the call says, whole numbers digit by digit: nothing when its body cannot be read, undefined
 * when it is a list of several. A list of one stands for its entry, a bare id for `{ orderId }`.
 */
export function orderFields(call: UpstreamCall): Record<string, unknown> | undefined {
  if (call.family === 'mexc-spot') {
    // A parameter that is in both is taken from the query (mexc.md 2.1).
    return { ...bodyFields(call.body ?? ''), ...queryFields(call.query) }
  }
  const value = parseLossless(call.body ?? '')?.value
  if (!Array.isArray(value)) return isRecord(value) ? value : {}
  const [entry] = value
  if (value.length !== 1) return undefined
  return isRecord(entry) ? entry : { orderId: textOf(entry) }
}

/**
 * The field by which the order can be found later; undefined where there is none. Bitget ignores the
 * id of a spot order of `tpslType` tpsl, and gives the new id of a change only to the order that a
 * new size and price make: take profit and stop loss change in place (bitget.md 4.3, 7).
 */
export function clientOrderIdName(
  { action, clientIdName }: OrderCallForm,
  fields: Record<string, unknown>,
): string | undefined {
  if (action === 'place' && textOf(fields.tpslType)?.toLowerCase() === 'tpsl') return undefined
  const isReplaced = textOf(fields.newSize) !== undefined && textOf(fields.newPrice) !== undefined
  return clientIdName === 'newClientOid' && !isReplaced ? undefined : clientIdName
}

function bitgetForms(
  prefix: string,
  terms: TermNames,
  form: Pick<OrderCallForm, 'market' | 'isUnified'>,
): [string, OrderCallForm][] {
  const named = { ...form, clientIdName: 'clientOid' } as const
  return [
    [`bitget POST ${prefix}/place-order`, { ...named, action: 'place', terms }],
    [`bitget POST ${prefix}/cancel-order`, { ...named, action: 'cancel' }],
  ]
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
