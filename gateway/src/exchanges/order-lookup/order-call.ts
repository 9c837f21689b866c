import { namesOf } from '../call-effect.ts'
import type { ExchangeCode, Market, UpstreamCall } from '../exchange.ts'
import type { Closing } from '../position-part.ts'
import { checkValues, parseLossless } from '../protocol/lossless.ts'
import { isRecord, positiveOf, textOf } from '../protocol/untrusted.ts'
import type { OrderCall, OrderKey, OrderTerms, SeveralForm } from './order-key.ts'

/** What a call says of one order, by the names that it has there. */
export type OrderFields = Readonly<Record<string, unknown>>

/** How a call that is about orders is written. */
export interface OrderCallForm {
  readonly action: 'place' | 'cancel' | 'modify'
  readonly market: Market
  /** The field of the client order id; absent where the call has none. */
  readonly clientIdName?: string
  /** Which ids the exchange takes for a new order; absent where that is not established. */
  readonly clientIdRule?: ClientIdRule
  /** Of a change: the field of the id by which the exchange names it in what it pushes. */
  readonly changeIdName?: string
  /** Whether the exchange ignores the client order id of an order like this one. */
  readonly ignoresClientId?: (fields: OrderFields) => boolean
  /** Whether a limit order like this one fills at once or never: it is never an open order. */
  readonly isImmediate?: (fields: OrderFields) => boolean
  /** How a call that replaces an order by a new one names the old one. */
  readonly replaces?: OrderCallForm
  /**
   * The fields that say what the new order is to do; absent where the call makes none of its own.
   */
  readonly terms?: TermNames
  /** The field of the size of a change whose terms are not compared. */
  readonly askedName?: string
  /** What the order closes, when it can only close. */
  readonly closes?: (fields: OrderFields) => Closing | undefined
  /** Where the list of its orders is, and how many that may be. Absent where it is about one. */
  readonly list?: OrderList
  /** Where its orders are without being in a list. */
  readonly parts?: OrderParts
  readonly several?: SeveralForm
  /** A list of one is about one order, in the call and in the response. */
  readonly isSingleByOne?: true
  /**
   * What else the key says of the order, and what it calls `symbol` and `orderId` when the call has
   * other names.
   */
  readonly details?: (fields: OrderFields) => OrderDetails
}

interface ClientIdRule {
  readonly pattern: RegExp
  /** The same in words: `1 to 32 letters`. */
  readonly words: string
}

interface OrderList {
  /** Absent: the body itself is the list. */
  readonly field?: string
  /** More orders than this the exchange rejects. */
  readonly max: number
}

export interface OrderParts {
  /** What the call says of each, named as a call about one names it. */
  readonly read: (fields: OrderFields) => OrderFields[]
  /** The call's field of the part's client order id. */
  readonly clientIdName: (part: OrderFields) => string
}

/** What only some exchanges have of an order; the meaning is `OrderKey`'s. */
export interface OrderDetails {
  readonly symbol?: string | undefined
  readonly orderId?: string | undefined
  readonly oldClientOrderId?: string | undefined
  readonly market?: Market
  readonly productType?: string | undefined
  readonly plan?: string | undefined
  readonly planType?: string | undefined
  readonly leg?: string | undefined
  readonly isUnified?: boolean
  readonly isInPlace?: boolean
  readonly isOneWay?: boolean
  readonly isUnlisted?: boolean
}

/** The fields in which a call, or an exchange's order, has them. */
export type TermNames = Readonly<Partial<Record<Exclude<keyof OrderTerms, 'asked'>, string>>>

/** The field by which the order can be found later; undefined where there is none. */
export function clientOrderIdName(form: OrderCallForm, fields: OrderFields): string | undefined {
  return form.ignoresClientId?.(fields) === true ? undefined : form.clientIdName
}

/**
 * What a call says of each of its orders, whole numbers digit by digit; one that is about a single
 * order has one entry, which says nothing when it cannot be read. A bare id in a list of cancels
 * means `{ orderId }`. Undefined when its list cannot be read, has none, or more than the
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

/**
 * A call about one order that the gateway makes itself, with the order's key: made of the same
 * fields, not read back.
 * @param fields what the call says of the order, by the names that it has there
 */
export function toOrderCall(
  exchange: ExchangeCode,
  call: UpstreamCall,
  form: OrderCallForm,
  fields: OrderFields,
): OrderCall {
  return { call, order: singleKey(exchange, call, form, fields) }
}

/**
 * The key of a call that is about the orders of these entries, one or several; undefined where
 * there are none.
 * @param entries what the call says of each of its orders
 */
export function toOrderKey(
  exchange: ExchangeCode,
  call: UpstreamCall,
  form: OrderCallForm,
  entries: readonly OrderFields[],
): OrderKey | undefined {
  const orders = entries.flatMap((fields) => keysOf(exchange, call, form, fields))
  const [first] = orders
  if (first === undefined) return undefined
  const isSingle = form.isSingleByOne === true && orders.length === 1
  if (form.several === undefined || isSingle) return first
  const { family, market, action, isUnified, demo } = first
  return { exchange, family, market, action, isUnified, demo, orders, several: form.several }
}

/** One that replaces another order is about both: the old one goes, the new one comes. */
function keysOf(
  exchange: ExchangeCode,
  call: UpstreamCall,
  form: OrderCallForm,
  fields: OrderFields,
): OrderKey[] {
  const key = singleKey(exchange, call, form, fields)
  if (form.replaces === undefined) return [key]
  return [singleKey(exchange, call, form.replaces, fields), key]
}

function singleKey(
  exchange: ExchangeCode,
  call: UpstreamCall,
  form: OrderCallForm,
  fields: OrderFields,
): OrderKey {
  const { action, terms } = form
  const idName = clientOrderIdName(form, fields)
  const { market = form.market, ...details } = form.details?.(fields) ?? {}
  const closes = form.closes?.(fields)
  const opens = action !== 'cancel' && closes === undefined
  return {
    exchange,
    family: call.family,
    market,
    action,
    symbol: textOf(fields.symbol),
    clientOrderId: idName === undefined ? undefined : textOf(fields[idName]),
    orderId: action === 'place' ? undefined : textOf(fields.orderId),
    terms: terms === undefined ? askedIn(form, fields) : sentTerms(terms, fields, market),
    ...(form.isImmediate?.(fields) === true ? { isImmediate: true } : {}),
    ...(form.changeIdName === undefined ? {} : { changeId: textOf(fields[form.changeIdName]) }),
    ...details,
    ...(closes === undefined ? {} : { closes }),
    ...(opens && hasExitFields(fields) ? { hasAttachedExit: true } : {}),
    demo: call.demo,
  }
}

function askedIn({ askedName }: OrderCallForm, fields: OrderFields): OrderTerms | undefined {
  const asked = askedName === undefined ? undefined : positiveOf(fields[askedName])
  return asked === undefined ? undefined : { asked }
}

/** What is in no table is not compared: MEXC futures' type 6 comes back in more than one way. */
const KINDS: Readonly<Record<string, 'limit' | 'market'>> = {
  limit: 'limit',
  limit_maker: 'limit',
  immediate_or_cancel: 'limit',
  fill_or_kill: 'limit',
  market: 'market',
  1: 'limit',
  2: 'limit',
  3: 'limit',
  4: 'limit',
  5: 'market',
}

/** The terms of an order as the exchange has it. Zero is how it writes that there is none. */
export function termsOf(names: TermNames, fields: OrderFields): OrderTerms {
  const partOf = (name: string | undefined) => (name === undefined ? undefined : fields[name])
  const wordOf = (name: string | undefined) => textOf(partOf(name))?.toLowerCase()
  const kind = wordOf(names.kind)
  const position = wordOf(names.position)
  return {
    side: wordOf(names.side),
    position: /^(?:open|close|long|short)$/.test(position ?? '') ? position : undefined,
    kind: kind !== undefined && Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined,
    price: positiveOf(partOf(names.price)),
    size: positiveOf(partOf(names.size)),
    trigger: positiveOf(partOf(names.trigger)),
  }
}

/**
 * The terms of the order that a call makes, without those that the exchange may write otherwise
 * although it is the same order: the price of what has none of its own, the quote amount of a
 * market buy, the size of what only closes, which is cut to what can be closed
 * (docs/exchanges/bitget.md, 4.2).
 */
export function sentTerms(names: TermNames, fields: OrderFields, market: Market): OrderTerms {
  const terms = termsOf(names, fields)
  const { side, kind, position } = terms
  // A change names no kind: only limit orders are changed.
  const isLimit = kind === 'limit' || names.kind === undefined
  const isPriced = isLimit && isOff(fields.bboTypeNum)
  const isQuote = market === 'spot' && !isLimit && side !== 'sell'
  // On Bitget's unified account the side is that of the trade, not of the position.
  const isClosingSide =
    (position === 'long' && side === 'sell') || (position === 'short' && side === 'buy')
  const isClosing = position === 'close' || isClosingSide || !isOff(fields.reduceOnly)
  // Without a field of its own, the quote amount is in that of the size.
  const hasOwnField = names.spends !== undefined
  const size = isQuote && !hasOwnField ? undefined : terms.size
  const isCompared = !isQuote && !isClosing
  return {
    ...terms,
    price: isPriced ? terms.price : undefined,
    size: isCompared ? size : undefined,
    ...(isCompared || size === undefined ? {} : { asked: size }),
    ...(isQuote ? { spends: hasOwnField ? positiveOf(fields[names.spends]) : terms.size } : {}),
  }
}

function isOff(value: unknown): boolean {
  return (
    [undefined, null, '', false, 0].some((off) => off === value) ||
    /^(?:no|false|0)$/i.test(textOf(value) ?? '')
  )
}

export type StopKind = 'trigger' | 'exit' | 'trailing'

/** Fields by which an order waits for a price or is protected: of ccxt and of the exchanges. */
const FIELDS: Readonly<Record<StopKind, ReadonlySet<string>>> = {
  trigger: namesOf('triggerPrice newTriggerPrice stopPrice'),
  exit: namesOf(
    'stopLossPrice takeProfitPrice stopLoss takeProfit',
    'presetStopLossPrice presetTakeProfitPrice presetStopSurplusPrice',
    'newPresetStopLossPrice newPresetStopSurplusPrice',
    'stopLossTriggerPrice stopSurplusTriggerPrice',
    // The last one is ccxt's, which Bitget spells otherwise.
    'newStopLossTriggerPrice newStopSurplusTriggerPrice newSurplusTriggerPrice',
  ),
  trailing: namesOf(
    'trailingPercent trailingAmount trailingDelta trailingTriggerPrice',
    'callbackRate callbackRatio newCallbackRatio rangeRate activationPrice activePrice backValue',
  ),
}

const STOP_KINDS = ['trigger', 'exit', 'trailing'] as const
const kindsByName = new Map(
  STOP_KINDS.flatMap((kind) =>
    [...FIELDS[kind]].map((name) => [name.toLowerCase(), kind] as const),
  ),
)

const EXITS = new Set([...FIELDS.exit].map((name) => name.toLowerCase()))

/** Also of another spelling, and of an object in a query: `stopLoss[triggerPrice]`. */
export function stopKindOf(name: string): StopKind | undefined {
  const letters = name.replace(/\[.*$/, '').replaceAll(/[^a-z]/gi, '')
  return kindsByName.get(letters.toLowerCase())
}

/** Whether a call says of an order that a take profit or stop loss hangs on it. */
function hasExitFields(fields: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(fields).some(([name, value]) => {
    const text = textOf(value)
    // MEXC: 0 is none.
    return EXITS.has(name.toLowerCase()) && text !== undefined && text !== '' && Number(text) !== 0
  })
}
