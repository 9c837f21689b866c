import { readOf, type UpstreamCall } from '../exchange.ts'
import { type QueryValues, queryOf } from '../protocol/query-text.ts'
import { decimalOf, isRecord, positiveOf, textOf } from '../protocol/untrusted.ts'
import type { Verdict } from '../protocol/verdict.ts'
import { type TermNames, termsOf } from './order-call.ts'
import { compareTerms, type FoundOrder, type Lookup, type OrderKey } from './order-key.ts'

/**
 * How far the exchange's time for an order may lie from ours: its clock is known with some error.
 * An order that is older than its sending by more is another one that had the same client order id,
 * which the exchanges allow.
 */
export const CLOCK_ERROR_MS = 60_000

/** How an exchange writes an order. */
export interface OrderWords {
  /** The field of the exchange's id; `orderId` when absent. */
  readonly orderId?: string
  readonly clientOrderId: string
  /** The field of the product type, where the calls do not ask for one of them alone. */
  readonly productType?: string
  /** The first of these fields that is there. */
  readonly state: readonly string[]
  readonly filledSize: string
  /** Absent where the exchange does not say it. */
  readonly averagePrice?: string
  /** Of an order that names no state: being in the list says it. */
  readonly usual?: FoundOrder['state']
  /** Unix ms. */
  readonly createdAt: string
  readonly terms: TermNames
  /** By the exchange's word in lower case. */
  readonly states: Readonly<Record<string, FoundOrder['state']>>
}

/** What is looked for, and how it is recognised. */
export interface Search {
  readonly order: OrderKey
  readonly wanted: WantedId
  readonly sentAtMs: number
  readonly words: OrderWords
  readonly narrowing: Narrowing
}

/**
 * By what lists are narrowed, beside the time: one that is asked for several orders has to have all
 * of them.
 */
export interface Narrowing {
  readonly symbol?: string | undefined
  readonly orderId?: string | undefined
  /** The exchange's ids of orders that are not looked for, although they may have the wanted id. */
  readonly without?: readonly string[] | undefined
}

/** Where an order may be. */
export interface Places {
  /** Questions for the one order. */
  readonly byId: readonly Lookup[]
  /** Lists that have every open order. */
  readonly open: readonly Lookup[]
  /** Lists of past orders. */
  readonly past: readonly Lookup[]
}

interface WantedId {
  readonly orderId?: string
  readonly clientOrderId?: string
}

/**
 * The orders in the data of a good response; undefined when there is nothing of the expected form.
 */
export type Rows = (data: unknown) => readonly unknown[] | undefined

/**
 * The id by which the order is looked for. A cancel and a change in place are looked up by the
 * exchange's own id, which wins at the exchange too; a new order by its client order id. Undefined
 * when the call gave neither.
 */
export function wantedIdOf(order: OrderKey): WantedId | undefined {
  const { action, orderId, clientOrderId, isInPlace = false } = order
  const isByOwn =
    orderId !== undefined && (action === 'cancel' || isInPlace || clientOrderId === undefined)
  if (isByOwn) return { orderId }
  return clientOrderId === undefined ? undefined : { clientOrderId }
}

/** A signed question in the protocol and the account of the order; absent values are left out. */
export function lookupCall(
  { family, demo }: OrderKey,
  path: string,
  values: QueryValues,
  encode?: (text: string) => string,
): UpstreamCall {
  const call = readOf(family, path, queryOf(values, encode))
  return demo === undefined ? call : { ...call, demo }
}

/**
 * A question for the one order with the wanted id. An exchange keeps client order ids apart only
 * among open orders, if at all, so that another order under that id says that this one is not to be
 * had here, and nothing of whether it is elsewhere.
 * @param isLast when no lists follow that have every order, open and past: then another order under
 * the id proves nothing
 */
export function idLookup(
  search: Search,
  call: UpstreamCall,
  rows: Rows,
  { isNotFound = isOrderNotFound, isLast = false }: IdLookupOptions = {},
): Lookup {
  return {
    call,
    read(verdict) {
      if (isNotFound(verdict)) return 'absent'
      const found = verdict.kind === 'ok' ? rows(verdict.data) : undefined
      if (found === undefined) return 'unclear'
      const [row] = found
      if (row === undefined) return 'absent'
      const isIt = isRecord(row) && isWanted(search, row, { mayLackId: true })
      if (found.length !== 1 || !isIt) return 'unclear'
      const likeness = likenessOf(search, row)
      if (likeness === 'same') return toFound(search, row)
      return likeness !== 'doubtful' && !isLast ? 'absent' : 'unclear'
    },
  }
}

export interface ListOptions {
  readonly rows: Rows
  /** How many orders such a list has at most: one that is full may have been cut. */
  readonly limit: number
  /** False when the order may be elsewhere although this place does not have it. */
  readonly isWhole?: boolean
  /**
   * The call for what follows a full list; undefined when the list does not say. Absent where
   * nothing can follow.
   */
  readonly after?: (data: unknown, last: Record<string, unknown>) => UpstreamCall | undefined
}

/** A list with more pages than this proves nothing. */
const PAGES_MAX = 100

interface IdLookupOptions {
  readonly isNotFound?: (verdict: Verdict) => boolean
  readonly isLast?: boolean
}

/** A question for a list in which the order may be, with what follows it. */
export function listLookup(
  search: Search,
  call: UpstreamCall,
  options: ListOptions,
  pagesLeft = PAGES_MAX,
): Lookup {
  const { rows, limit, isWhole = true, after } = options
  return {
    call,
    read(verdict) {
      const list = ordersIn(verdict, rows)
      if (list === undefined) return 'unclear'
      const row = list.find((each) => isWanted(search, each) && likenessOf(search, each) === 'same')
      if (row !== undefined) return toFound(search, row)
      return isWhole && list.length < limit && hasNone(search, list) ? 'absent' : 'unclear'
    },
    next(verdict) {
      const list = ordersIn(verdict, rows)
      const last = list?.at(-1)
      if (verdict.kind !== 'ok' || list === undefined || last === undefined) return undefined
      if (list.length < limit || !hasNone(search, list) || pagesLeft <= 1) return undefined
      const following = after?.(verdict.data, last)
      // An exchange that does not read the position would send the same page for ever.
      if (following === undefined || following.query === call.query) return undefined
      return listLookup(search, following, options, pagesLeft - 1)
    },
  }
}

/** The orders in a good response; undefined when it has another form. */
export function ordersIn(verdict: Verdict, rows: Rows): Record<string, unknown>[] | undefined {
  const list = verdict.kind === 'ok' ? rows(verdict.data) : undefined
  return list?.every(isRecord) === true ? [...list] : undefined
}

/** Whether none of the orders can be the one that is looked for. */
export function hasNone(search: Search, orders: readonly Record<string, unknown>[]): boolean {
  return orders
    .filter((row) => isWanted(search, row))
    .every((row) => likenessOf(search, row) === 'other')
}

export interface TimeWindow {
  readonly startTime: number
  readonly endTime: number
  /** False when it does not reach from the sending of the order until now. */
  readonly isWhole: boolean
}

/**
 * The time in which the order is in a history, whether that goes by the order's making or by its
 * last change: from its first sending until now, in the first minute a little further. One that is
 * cancelled may be much older, so that the whole span is searched.
 * @param spanMs the longest that the exchange allows
 */
export function historyWindow(
  { action, firstSentAtMs }: OrderKey,
  sentAtMs: number,
  nowMs: number,
  spanMs: number,
): TimeWindow {
  const endTime = Math.max(nowMs, sentAtMs + CLOCK_ERROR_MS)
  if (action === 'cancel') return { startTime: endTime - spanMs, endTime, isWhole: true }
  const startTime = (firstSentAtMs ?? sentAtMs) - CLOCK_ERROR_MS
  const isWhole = endTime - startTime <= spanMs
  return { startTime, endTime: isWhole ? endTime : startTime + spanMs, isWhole }
}

export function isOrderNotFound(verdict: Verdict): boolean {
  return verdict.kind === 'rejected' && verdict.rejection.class === 'order-not-found'
}

function isWanted(
  { wanted, words, narrowing }: Search,
  row: Record<string, unknown>,
  { mayLackId = false } = {},
): boolean {
  if (narrowing.without?.includes(orderIdOf(words, row) ?? '') === true) return false
  if (wanted.orderId !== undefined) return orderIdOf(words, row) === wanted.orderId
  const clientOrderId = textOf(row[words.clientOrderId])
  return clientOrderId === undefined ? mayLackId : clientOrderId === wanted.clientOrderId
}

/**
 * Whether an order with the wanted id is the one that was sent. `elsewhere`: it is of another
 * symbol or product type, if the exchange writes these as the call did. A list that has one may be
 * read wrongly, and proves nothing.
 */
function likenessOf(
  search: Search,
  row: Record<string, unknown>,
): ReturnType<typeof compareTerms> | 'elsewhere' {
  if (isOlder(search, row)) return 'other'
  if (isElsewhere(search, row)) return 'elsewhere'
  const { terms } = search.order
  return terms === undefined ? 'same' : compareTerms(terms, termsOf(search.words.terms, row))
}

/** Client order ids are unique within a market at most, ids of the exchange everywhere. */
function isElsewhere(
  { order: { symbol, productType }, wanted, words }: Search,
  row: Record<string, unknown>,
): boolean {
  if (wanted.orderId !== undefined) return false
  const own = words.productType === undefined ? undefined : row[words.productType]
  return isOtherName(symbol, row.symbol) || isOtherName(productType, own)
}

/** Whether two names have other letters or digits, whatever their case and what separates them. */
function isOtherName(sent: string | undefined, value: unknown): boolean {
  const found = textOf(value)
  if (sent === undefined || found === undefined || found === '') return false
  return plainName(sent) !== plainName(found)
}

function plainName(name: string): string {
  return name.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()
}

/** Only an order that is placed has to be new. */
function isOlder({ order, sentAtMs, words }: Search, row: Record<string, unknown>): boolean {
  const createdAt = textOf(row[words.createdAt])
  if (order.action !== 'place' || createdAt === undefined) return false
  return (
    /^\d{13}$/.test(createdAt) &&
    Number(createdAt) < (order.notBeforeMs ?? sentAtMs) - CLOCK_ERROR_MS
  )
}

function toFound({ words }: Search, row: Record<string, unknown>): FoundOrder | 'unclear' {
  const orderId = orderIdOf(words, row)
  const word = words.state.map((name) => textOf(row[name])).find((text) => text !== undefined)
  const state = word === undefined ? words.usual : stateOf(words, word)
  if (orderId === undefined || state === undefined) return 'unclear'
  const filledSize = decimalOf(row[words.filledSize])
  const isPartly = state === 'open' && filledSize !== undefined && Number(filledSize) > 0
  return {
    orderId,
    clientOrderId: textOf(row[words.clientOrderId]),
    state: isPartly ? 'partially-filled' : state,
    filledSize,
    averagePrice: positiveOf(row[words.averagePrice ?? '']),
    order: row,
  }
}

function orderIdOf({ orderId = 'orderId' }: OrderWords, row: Record<string, unknown>) {
  return textOf(row[orderId])
}

function stateOf({ states }: OrderWords, word: string): FoundOrder['state'] | undefined {
  const key = word.toLowerCase()
  return Object.hasOwn(states, key) ? states[key] : undefined
}
