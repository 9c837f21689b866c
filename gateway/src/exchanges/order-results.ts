import type { UpstreamCall } from './exchange.ts'
import {
  type FoundOrder,
  mayRest,
  type OrderCall,
  type OrderEnd,
  type OrderKey,
  ordersOf,
  outcomeOf,
} from './order-lookup/order-key.ts'
import type { ResponseNames } from './order-lookup/order-protocol.ts'
import { partOf } from './position-part.ts'
import { readJson } from './protocol/json-text.ts'
import { codeOf, isRecord, recordsOf, textOf } from './protocol/untrusted.ts'
import { type RejectionCodes, type Verdict, wordsOf } from './protocol/verdict.ts'
import { adapters } from './registry.ts'

/** What one order of a call became, as far as it matters for what is open at the exchange. */
export interface OrderResult {
  readonly order: OrderKey
  /**
   * `working`: it was placed or changed, and may be open. `ended`: it is not open, or no longer.
   * `nothing`: the call did nothing to it, as far as is known. `asked`: the exchange took the
   * cancel and did not say what became of the order.
   */
  readonly became: 'working' | 'ended' | 'nothing' | 'asked'
  /**
   * The exchange's id of it; of a change, of the order that it made, or of the old one: what the
   * response names is not documented.
   */
  readonly orderId: string | undefined
  /** Of an order that takes another one's place: that one, as the call names it. */
  readonly replaces?: OrderKey | undefined
  /**
   * What it was filled with at least, as a look-up found it; decimal. Absent where none was made. A
   * trigger order whose price came has made another order, which has the fill.
   */
  readonly filled?:
    | {
        readonly size: string
        readonly isFinal: boolean
        readonly averagePrice?: string | undefined
      }
    | undefined
}

type Fields = Readonly<Record<string, unknown>>

/** An entry of a response about several orders. */
interface Entry {
  readonly fields: Fields
  readonly isFailed: boolean
}

/**
 * What became of the orders of a call that the exchange carried out, by its response. An order that
 * the response does not name counts as placed, and as not cancelled.
 * @param data of a response whose verdict is done
 */
export function resultsOf(key: OrderKey, data: unknown, from = adapters): OrderResult[] {
  const names = from.of(key.family).orders.responseNames
  const orders = ordersOf(key)
  const entries = entriesOf(key, data)
  const isSaid = data !== undefined && data !== null
  const [only] = orders
  // MEXC's page of stoporder/place has a list in its sample.
  if (only?.action === 'place' && key.several === undefined && entries.length > 1)
    return entries.map(({ fields }) => ({
      ...{ order: only, became: 'working' },
      orderId: idIn(only, fields, names),
    }))
  return orders.map((order, at) => {
    const entry = entryOf(order, at, { key, orders, entries, names })
    const replaces = replacedAt(key, orders, at)
    const orderId = entry === undefined ? undefined : idIn(order, entry.fields, names)
    if (order.action === 'cancel') {
      // The entry of a replacement names the new order.
      const cancelledId = order.orderId ?? (isReplacement(key) ? undefined : orderId)
      if (order.plan !== undefined && !isSaid)
        return { order, became: 'asked', orderId: order.orderId }
      // Two lists name what they are about: an order that is in neither was not cancelled.
      const isAlone = orders.length === 1 && key.several !== 'two-lists'
      const isCancelled = entry?.isFailed === false || (entry === undefined && isAlone)
      return { order, became: isCancelled ? 'ended' : 'nothing', orderId: cancelledId }
    }
    if (entry?.isFailed === true) return { order, became: 'nothing', orderId: undefined }
    return { order, became: mayRest(order) ? 'working' : 'ended', orderId, replaces }
  })
}

/** The same, of orders that were looked up. */
export function resultsOfEnds(key: OrderKey, ends: readonly OrderEnd[]): OrderResult[] {
  const orders = ordersOf(key)
  return orders.map((order, at) => {
    const end = ends[at] ?? 'absent'
    const replaces = replacedAt(key, orders, at)
    if (end === 'absent')
      return order.action === 'cancel'
        ? { order, became: 'ended', orderId: undefined, filled: { size: '0', isFinal: false } }
        : { order, became: 'nothing', orderId: undefined }
    const { orderId, state } = end
    const isOpen = state === 'open' || state === 'partially-filled'
    const filled = filledOf(order, end)
    if (!isOpen) return { order, became: 'ended', orderId, replaces, filled }
    const isDone = order.action !== 'cancel' && outcomeOf(order, end) === 'done'
    return { order, became: isDone ? 'working' : 'nothing', orderId, replaces, filled }
  })
}

function filledOf(order: OrderKey, found: FoundOrder): OrderResult['filled'] {
  const { state, filledSize, averagePrice } = found
  // Without an id of its own, a change finds the order that goes.
  const isOld = order.action === 'modify' && order.isInPlace !== true
  if (isOld && order.clientOrderId === undefined) return undefined
  const isOpen = state === 'open' || state === 'partially-filled'
  if (order.plan !== undefined) return { size: '0', isFinal: !isOpen && state !== 'filled' }
  const size = state === 'rejected' ? (filledSize ?? '0') : filledSize
  return size === undefined ? undefined : { size, isFinal: !isOpen, averagePrice }
}

/** The order whose place another one takes: a change names it, a replacement has it before it. */
function replacedAt(key: OrderKey, orders: readonly OrderKey[], at: number): OrderKey | undefined {
  const order = orders[at]
  if (order?.action === 'modify' && order.isInPlace !== true)
    return { ...order, clientOrderId: order.oldClientOrderId }
  return order?.action === 'place' && isReplacement(key) ? orders[at - 1] : undefined
}

function isReplacement({ several }: OrderKey): boolean {
  return several === 'replacement' || several === 'replacements'
}

/** In the order of the call, except for Bitget's two lists. */
function entriesOf({ several }: OrderKey, data: unknown): Entry[] {
  if (several === 'two-lists' && isRecord(data))
    return [
      ...recordsOf(data.successList).map((fields) => ({ fields, isFailed: false })),
      ...recordsOf(data.failureList).map((fields) => ({ fields, isFailed: true })),
    ]
  const list = Array.isArray(data) ? data : [data]
  return list.map((one) => {
    // MEXC futures has the bare id of a single order.
    const fields = isRecord(one) ? one : { orderId: one }
    return { fields, isFailed: hasFailed(fields) }
  })
}

function hasFailed({ errorCode, code, success, result }: Fields): boolean {
  const text = codeOf(errorCode ?? code) ?? '0'
  return !/^0+$/.test(text) || success === 'failure' || result === 'failure'
}

interface Response {
  readonly key: OrderKey
  readonly orders: readonly OrderKey[]
  readonly entries: readonly Entry[]
  readonly names: ResponseNames
}

function entryOf(
  order: OrderKey,
  at: number,
  { key, orders, entries, names }: Response,
): Entry | undefined {
  // One entry is about the order that goes and the one that comes.
  if (isReplacement(key)) return entries[Math.floor(at / 2)]
  if (orders.length === 1 && entries.length === 1) return entries[0]
  // Orders of different markets may have the same client order id: each has its own entry.
  const before = orders.slice(0, at).filter((other) => hasIdsOf(other, order)).length
  const named = entries.filter(({ fields }) => isOf(order, fields, names))[before]
  if (named !== undefined) return named
  return key.several !== 'two-lists' && entries.length === orders.length ? entries[at] : undefined
}

function hasIdsOf(other: OrderKey, { orderId, clientOrderId }: OrderKey): boolean {
  return other.orderId === orderId && other.clientOrderId === clientOrderId
}

function isOf(
  { action, orderId, clientOrderId }: OrderKey,
  fields: Fields,
  names: ResponseNames,
): boolean {
  if (action === 'cancel' && orderId !== undefined) return idOf(fields.orderId) === orderId
  const own = clientIdIn(fields, names)
  return own !== undefined && own === clientOrderId
}

function clientIdIn(fields: Fields, { clientOrderId }: ResponseNames): string | undefined {
  const values = clientOrderId.map((name) => fields[name])
  return textOf(values.find((value) => value !== undefined && value !== null))
}

function idIn(
  { plan }: OrderKey,
  fields: Fields,
  { triggerId = ['orderId'] }: ResponseNames,
): string | undefined {
  const names = plan === undefined ? ['orderId'] : triggerId
  return names.map((name) => idOf(fields[name])).find((id) => id !== undefined)
}

/** A number that has lost digits names another order. */
function idOf(value: unknown): string | undefined {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? undefined : textOf(value)
}

/**
 * What a call may close or change of which nothing can be looked up: its orders, or the positions
 * that it closes or reverses without naming an order. Undefined for any other call.
 */
export function closingKeyOf({ call, order }: OrderCall): OrderKey | undefined {
  return order ?? wholeCloseBy(call)
}

/** What that has closed or changed, if it was carried out. */
export function perhapsClosedBy(key: OrderKey | undefined): OrderResult[] {
  const all = key === undefined ? [] : ordersOf(key)
  const changed = all
    .filter(({ isInPlace }) => isInPlace === true)
    .map((each): OrderResult => ({ order: each, became: 'working', orderId: each.orderId }))
  const closed = all
    .filter((each) => each.action === 'place')
    .filter((each) => partOf(each)?.does === 'close' || each.closes?.isWhole === true)
    .map((each): OrderResult => closedAs({ ...each, clientOrderId: undefined }))
  return [...changed, ...closed]
}

/**
 * What a call did that closes or reverses positions and names no order: all that it may have closed
 * counts as closed. What a reversal opens does not count: how much that is depends on the position.
 */
export function closedBy(call: UpstreamCall, from = adapters): OrderResult[] {
  const key = wholeCloseBy(call, from)
  return key === undefined ? [] : [closedAs(key)]
}

function wholeCloseBy(call: UpstreamCall, from = adapters): OrderKey | undefined {
  const { code, calls, orders } = from.of(call.family)
  if (calls.facts.get(`${call.method} ${call.path}`)?.closes === undefined) return undefined
  const json = call.body === null ? undefined : readJson(call.body)
  const read = orders.fields.read(call, json)
  const said = isRecord(read) ? read : {}
  const word = textOf(said.holdSide ?? said.posSide)?.toLowerCase()
  const side = word === 'long' || word === 'short' ? word : undefined
  return {
    exchange: code,
    ...{ family: call.family, market: 'futures', action: 'place' },
    ...{ symbol: textOf(said.symbol), productType: textOf(said.productType ?? said.category) },
    closes: { inOneWay: side, inHedge: side, kind: 'now', isWhole: true },
    demo: call.demo,
  }
}

const closedAs = (order: OrderKey): OrderResult => ({
  ...{ order, became: 'ended', orderId: undefined },
})

/** An order that may exist although the exchange did not say so. */
export interface EntryDoubt {
  /**
   * `duplicate`: the exchange has, or had, one with its client order id. `unknown`: it reports
   * trouble of its own with this one of several.
   */
  readonly kind: 'duplicate' | 'unknown'
  /** Empty where the response names none. */
  readonly clientOrderId: string
}

/**
 * What a response leaves in doubt, of one order or of several.
 * @param order absent where the call names no orders
 */
export function entryDoubts(
  verdict: Verdict,
  order: OrderKey | undefined,
  from = adapters,
): EntryDoubt[] {
  if (verdict.kind === 'rejected') {
    const clientOrderId = order?.clientOrderId ?? ''
    return verdict.rejection.class === 'duplicate' ? [{ kind: 'duplicate', clientOrderId }] : []
  }
  if (verdict.kind !== 'ok' || order?.several === undefined) return []
  const { data } = verdict
  const { codes, orders } = from.of(order.family)
  const isOne = order.several === 'replacement'
  const entries = isOne ? [data] : isRecord(data) ? data.failureList : data
  // The one response of a replacement is its failure, and does not repeat the id of the order that
  // was to come.
  const onlyId = isOne ? order.orders?.at(-1)?.clientOrderId : undefined
  return recordsOf(entries).flatMap((entry) => {
    const kind = doubtOf(codes, entry)
    const id = clientIdIn(entry, orders.responseNames) ?? onlyId ?? ''
    return kind === undefined ? [] : [{ kind, clientOrderId: id }]
  })
}

function doubtOf(
  { classes, unknown }: RejectionCodes,
  entry: Record<string, unknown>,
): EntryDoubt['kind'] | undefined {
  const { code = '', message } = wordsOf({
    code: entry.errorCode ?? entry.code,
    msg: entry.errorMsg ?? entry.msg,
  })
  if (unknown.has(code)) return 'unknown'
  // The code is not always given (Bitget's page of `batch-orders`).
  const isDuplicate = classes.get(code) === 'duplicate' || /duplicate/i.test(message)
  return isDuplicate ? 'duplicate' : undefined
}
