import { setImmediate as nextTurn } from 'node:timers/promises'
import { BigNumber } from 'bignumber.js'
import {
  type ExchangeCode,
  type exportOrders,
  type getOrderSums,
  type JournalOrder,
  type listOrders,
  ORDER_SUMS_HOURS,
  ORDERS_MAX,
  type OrderSums,
  type QueryOf,
  SUM_LINES_MAX,
  SUMMED_ORDERS_MAX,
} from 'schema'
import type { Parts } from '../../app/create-parts.ts'
import { toCell } from '../../http/shown-text.ts'
import { isLookedUp } from '../../orders/look-up.ts'
import { keyOf } from '../../orders/reconcile.ts'
import { isOfGateway } from '../../orders/unknown-cancels.ts'
import { accountRefOf } from '../../store/api-key-store.ts'
import {
  hasKey,
  type JournalRow,
  type ListedOrder,
  NOT_CARRIED_OUT_STATUS,
  type OrderFilter,
  type OrderPlace,
  type OrderStep,
} from '../../store/journal-store.ts'
import type { Turns } from '../../upstream/in-turn.ts'

export type OrderParts = Pick<Parts, 'stores' | 'orders' | 'config' | 'nowMs'>
/** With the turns that all lists, sums and files take. */
export type ListParts = OrderParts & { readonly turns: Turns }
type Filters = QueryOf<typeof getOrderSums>

const EXAMINED_AT_ONCE = 500
/** How long rows are read for one page, of which few may match. */
const PAGE_MS = 50
const HOUR_MS = 3_600_000

interface Page {
  readonly orders: JournalOrder[]
  /** Where the next page begins; undefined when there is none. */
  readonly next: string | undefined
}

/** A page of orders, newest first, or the orders with a name. */
export async function pageOf(parts: ListParts, query: QueryOf<typeof listOrders>): Promise<Page> {
  const { limit = ORDERS_MAX, find, before } = query
  const { journal } = parts.stores
  const filter = await filterOf(parts, query, 0)
  if (filter === undefined) return { orders: [], next: undefined }
  if (find !== undefined) {
    const found = await journal.findByName(find, ORDERS_MAX)
    const working = await journal.whichAreOpen(found.map(({ id }) => id))
    const matching = found.filter((row) => matches(row, filter, working.has(row.id)))
    return { orders: await toOrders(parts, matching.slice(0, limit)), next: undefined }
  }
  const rows: ListedOrder[] = []
  let last: OrderPlace | undefined
  const startedMs = performance.now()
  const atOnce = isOneIndex(filter) ? limit : EXAMINED_AT_ONCE
  for await (const step of stepsOf(parts, { ...filter, after: placeOf(before) }, atOnce)) {
    const left = limit - rows.length
    rows.push(...step.rows.slice(0, left))
    last = step.rows.length > left ? rows.at(-1) : step.last
    if (rows.length === limit || performance.now() - startedMs >= PAGE_MS) break
  }
  const next = last === undefined ? undefined : `${last.createdAtMs}-${last.id}`
  const { unknownCancels } = parts.orders
  // All tries of a cancel are one entry, also the last while it is still looked up.
  const isShown = ({ id }: ListedOrder) =>
    filter.state !== 'unknown' || !unknownCancels.isRepeated(id)
  return { orders: await toOrders(parts, rows.filter(isShown)), next }
}

/** What the orders of some hours come to. */
export async function sumUp(parts: ListParts, query: Filters): Promise<OrderSums> {
  const endMs = parts.nowMs() + 1
  const toMs = Math.min(query.to ?? endMs, endMs)
  const earliestMs = toMs - ORDER_SUMS_HOURS * HOUR_MS
  const fromMs = Math.min(Math.max(query.from ?? toMs - HOUR_MS, earliestMs), toMs)
  const filter = await filterOf(parts, { ...query, from: fromMs, to: toMs }, fromMs)
  const all = new Sum()
  const lines = new Map<string, { readonly first: ListedOrder; readonly sum: Sum }>()
  let summed = 0
  let sinceMs = fromMs
  for await (const { rows, last } of stepsOf(parts, filter)) {
    for (const row of rows) {
      const name = `${row.clientRef} ${row.exchange} ${row.symbol}`
      const line = lines.get(name) ?? { first: row, sum: new Sum() }
      lines.set(name, line)
      all.add(row)
      line.sum.add(row)
    }
    summed += EXAMINED_AT_ONCE
    if (last !== undefined && summed >= SUMMED_ORDERS_MAX) {
      sinceMs = last.createdAtMs
      break
    }
  }
  const traded = [...lines.values()].filter(({ sum }) => sum.orders > 0)
  const longest = traded.toSorted((a, b) => b.sum.orders - a.sum.orders).slice(0, SUM_LINES_MAX)
  return {
    ...{ ...all.shown(), refused: all.refused, cancels: all.cancels },
    lines: longest.map(({ first: { clientId, exchange, symbol }, sum }) => ({
      ...{ clientId, exchange, symbol, ...sum.shown() },
    })),
    ...{ from: toTime(sinceMs), to: toTime(toMs), isComplete: sinceMs === fromMs },
  }
}

class Sum {
  orders = 0
  refused = 0
  cancels = 0
  #value = new BigNumber(0)
  #unvalued = 0
  #filledValue = new BigNumber(0)
  #filledKnown = 0

  add(row: ListedOrder): void {
    if (row.kind === 'change' || isOfSettings(row)) return
    if (row.kind === 'cancel') this.cancels += 1
    else if (isNotPlaced(row)) this.refused += 1
    else {
      this.orders += 1
      const value = usdtOf(row)
      if (value === undefined) this.#unvalued += 1
      else this.#value = this.#value.plus(value)
      const filled = inUsdt(row, row.filled, row.averagePrice ?? row.price)
      if (filled === undefined) return
      this.#filledKnown += 1
      this.#filledValue = this.#filledValue.plus(filled)
    }
  }

  shown() {
    return {
      ...{ orders: this.orders, value: this.#value.toFixed(), unvalued: this.#unvalued },
      ...{ filledValue: this.#filledValue.toFixed(), filledKnown: this.#filledKnown },
    }
  }
}

/** It was sent, and names no order, such as a change of the leverage. */
function isOfSettings({ kind, symbol, side, sentAtMs, canBeLookedUp }: ListedOrder): boolean {
  const namesNone = kind === null && symbol === null && side === null && canBeLookedUp !== 1
  return namesNone && sentAtMs !== null
}

function isNotPlaced({ state, statusCode }: ListedOrder): boolean {
  const isAbsent = state === 'resolved' && statusCode === NOT_CARRIED_OUT_STATUS
  return state === 'refused' || state === 'dropped' || isAbsent
}

/** In USDT, where that needs nothing but the order. */
function usdtOf(row: Omit<ListedOrder, 'canBeLookedUp'>): BigNumber | undefined {
  const { kind, quantity, price, amount, valueMicros, symbol } = row
  if (kind === 'cancel') return undefined
  const spent = amount !== null && symbol?.endsWith('USDT') === true ? toNumber(amount) : undefined
  const counted = valueMicros !== null && valueMicros > 0 ? valueMicros : undefined
  const ofLimits = counted === undefined ? undefined : new BigNumber(counted).shiftedBy(-6)
  return inUsdt(row, quantity, price) ?? spent ?? ofLimits
}

/** Undefined where the price is not in USDT, or the quantity is a number of contracts. */
function inUsdt(
  { exchange, symbol }: Pick<ListedOrder, 'exchange' | 'symbol'>,
  quantity: string | null,
  price: string | null,
): BigNumber | undefined {
  if (symbol?.endsWith('USDT') !== true || quantity === null || price === null) return undefined
  if (exchange === 'mx' && symbol.includes('_')) return undefined
  return toNumber(new BigNumber(quantity).times(price).toFixed())
}

function toNumber(text: string): BigNumber | undefined {
  const number = new BigNumber(text)
  return number.isFinite() ? number : undefined
}

const COLUMNS: readonly (readonly [head: string, of: (order: JournalOrder) => string | null])[] = [
  ['Time', ({ createdAt }) => createdAt],
  ['Client ID', ({ clientId }) => clientId],
  ['Exchange', ({ exchange }) => exchange],
  ['Symbol', ({ symbol }) => symbol],
  ['Side', ({ side }) => side],
  ['Type', ({ type }) => type],
  ['Quantity', ({ quantity }) => quantity],
  ['Price', ({ price }) => price],
  ['Amount', ({ amount }) => amount],
  ['Filled', ({ filled }) => filled],
  ['Average Price', ({ averagePrice }) => averagePrice],
  ['Value', ({ value }) => value],
  ['State', ({ state }) => state],
  ['May Be Open', ({ mayBeOpen }) => (mayBeOpen ? 'yes' : 'no')],
  ['Source', ({ source }) => source],
  ['Endpoint', ({ method, endpoint }) => `${method} ${endpoint}`],
  ['Client Order ID', ({ clientOrderId }) => clientOrderId],
  ['Order ID', ({ orderId }) => orderId],
  ['Request ID', ({ id }) => id],
]

/** Everything that a filter matches, as the text of a file in pieces. */
export async function* fileOf(
  parts: ListParts,
  { format = 'csv', ...query }: QueryOf<typeof exportOrders>,
): AsyncGenerator<string, void> {
  const filter = await filterOf(parts, query, parts.nowMs() - ORDER_SUMS_HOURS * HOUR_MS)
  // Without the byte order mark, spreadsheets read the file in the system's old character set.
  if (format === 'csv') yield `\ufeff${COLUMNS.map(([head]) => head).join(',')}\r\n`
  for await (const { rows } of stepsOf(parts, filter)) {
    const orders = await toOrders(parts, rows)
    if (orders.length > 0) yield orders.map(format === 'csv' ? toLine : toJsonLine).join('')
  }
}

/**
 * The steps of a list. Of all lists that are read at once, one makes a step, and then requests have
 * a turn of the event loop. Nobody who reads a file slowly keeps the others waiting.
 */
async function* stepsOf(
  { stores: { journal }, turns }: ListParts,
  filter: OrderFilter | undefined,
  atOnce?: number,
): AsyncGenerator<OrderStep, void> {
  if (filter === undefined) return
  const steps = journal.list(filter, atOnce)
  while (true) {
    const end = await turns.take('list')
    const step = await steps.next().finally(() => nextTurn().then(end))
    if (step.done === true) return
    yield step.value
  }
}

const toLine = (order: JournalOrder): string =>
  `${COLUMNS.map(([, of]) => toCell(of(order) ?? '')).join(',')}\r\n`

const toJsonLine = (order: JournalOrder): string => `${JSON.stringify(order)}\n`

/** @returns undefined when there is no such client */
async function filterOf(
  { stores }: OrderParts,
  { clientId, exchange, symbol, side, state, from, to }: Filters,
  fromMs: number,
): Promise<OrderFilter | undefined> {
  const client = clientId === undefined ? undefined : await stores.clients.findByClientId(clientId)
  if (clientId !== undefined && client === undefined) return undefined
  const times = { fromMs: from ?? fromMs, toMs: to ?? Number.MAX_SAFE_INTEGER }
  return { clientRef: client?.id, exchange, symbol, side, state, ...times }
}

/** Whether every row that is read by an index is in the list. */
function isOneIndex({ clientRef, symbol, exchange, side, state }: OrderFilter): boolean {
  const isInIndex = state === undefined || ['open', 'queued', 'sent', 'unknown'].includes(state)
  const isBoth = clientRef !== undefined && symbol !== undefined
  return isInIndex && !isBoth && exchange === undefined && side === undefined
}

function matches(row: ListedOrder, filter: OrderFilter, isOpen: boolean): boolean {
  const isSame = (name: 'clientRef' | 'exchange' | 'symbol' | 'side') =>
    filter[name] === undefined || filter[name] === row[name]
  const hasNoEnd = ['queued', 'sent', 'unknown'].includes(row.state)
  const isState = filter.state === 'open' ? hasNoEnd || isOpen : filter.state === row.state
  return (
    isSame('clientRef') &&
    isSame('exchange') &&
    isSame('symbol') &&
    isSame('side') &&
    (filter.state === undefined || isState) &&
    row.createdAtMs >= filter.fromMs &&
    row.createdAtMs < filter.toMs
  )
}

/** The schema has checked the form. */
function placeOf(before: string | undefined): OrderPlace | undefined {
  if (before === undefined) return undefined
  const at = before.indexOf('-')
  return { createdAtMs: Number(before.slice(0, at)), id: before.slice(at + 1) }
}

async function toOrders(parts: OrderParts, rows: readonly ListedOrder[]): Promise<JournalOrder[]> {
  if (rows.length === 0) return []
  const working = await parts.stores.journal.whichAreOpen(rows.map(({ id }) => id))
  return Promise.all(
    rows.map(async (row) =>
      toJournalOrder(parts, row, await canBeListed(parts, row), working.has(row.id)),
    ),
  )
}

/** An order as it is listed. A cancel that the gateway tries again is one entry. */
export function toJournalOrder(
  { orders: { unknownCancels } }: OrderParts,
  row: Omit<ListedOrder, 'canBeLookedUp'>,
  canBeLookedUp: boolean,
  mayBeOpen: boolean,
): JournalOrder {
  const { id, clientId, method, endpoint, clientOrderId, orderId, state, lookups } = row
  const { symbol, side, kind: type, quantity, price, amount, filled, averagePrice } = row
  const exchange: ExchangeCode = row.exchange
  const tries = unknownCancels.triesOf(row)
  const orders = tries === null ? undefined : unknownCancels.ordersOf(row.id)
  return {
    ...{ id, exchange, clientId, method, endpoint, clientOrderId, orderId, state },
    ...{ symbol, side, type, quantity, price, amount, filled, averagePrice },
    ...{ value: usdtOf(row)?.toFixed() ?? null, source: sourceOf(row), mayBeOpen },
    createdAt: toTime(row.createdAtMs),
    sentAt: toTimeOrNull(row.sentAtMs),
    settledAt: toTimeOrNull(row.settledAtMs),
    ...{ lookups, tries, canBeLookedUp },
    ...(orders === undefined ? {} : { orders }),
  }
}

function sourceOf(row: Pick<JournalRow, 'method' | 'endpoint'>): JournalOrder['source'] {
  if (isOfGateway(row)) return 'gateway'
  return /^\/api\/(?:mx|bg)\/v1\//.test(row.endpoint) ? 'documented' : 'exchange'
}

/** Whether the gateway can look it up, with the keys that the client has now. */
export async function canBeLookedUp(
  { stores, nowMs }: OrderParts,
  row: JournalRow,
): Promise<boolean> {
  if (row.state !== 'unknown') return row.sentAtMs === null || hasKey(row)
  const stored = await stores.apiKeys.find(row.clientRef, row.exchange)
  return isLookedUp(row, keyOf(row), stored && accountRefOf(stored), nowMs())
}

async function canBeListed(parts: OrderParts, listed: ListedOrder): Promise<boolean> {
  const { journal } = parts.stores
  const row = listed.state === 'unknown' ? await journal.find(listed.id) : undefined
  if (row !== undefined) return canBeLookedUp(parts, row)
  return listed.sentAtMs === null || listed.canBeLookedUp === 1
}

const toTime = (ms: number): string => new Date(ms).toISOString()

const toTimeOrNull = (ms: number | null): string | null => (ms === null ? null : toTime(ms))
