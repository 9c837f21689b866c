import {
  type ExchangeCode,
  type listOwnOrders,
  OWN_ORDERS_LIMIT,
  type OwnOrder,
  type QueryOf,
  type ResponseOf,
} from 'schema'
import { type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import type { ClientRequest, JournalStore } from '../store/journal-store.ts'
import { bareSymbol } from './own-cancel-run.ts'
import { keyOf } from './reconcile.ts'
import type { WorkingOrder } from './working-order.ts'
import type { WorkingOrders } from './working-orders.ts'

type Query = QueryOf<typeof listOwnOrders>
type Page = ResponseOf<typeof listOwnOrders>

/** Rows of the journal in one read, and in one page: a filter may match none of many. */
const ROWS_AT_ONCE = 200
const ROWS_MAX = 2_000

interface OwnOrdersDeps {
  readonly journal: Pick<JournalStore, 'find' | 'listOfClient'>
  readonly workingOrders: Pick<WorkingOrders, 'list'>
}

/** Where a page ended. */
interface Place {
  readonly createdAtMs: number
  readonly id: string
}

/** Lists the orders of a client, without asking an exchange. */
export class OwnOrders {
  readonly #deps: OwnOrdersDeps

  constructor(deps: OwnOrdersDeps) {
    this.#deps = deps
  }

  list(clientRef: number, query: Query): Promise<Page> {
    return query.state === 'working'
      ? this.#working(clientRef, query)
      : this.#journaled(clientRef, query)
  }

  async #journaled(clientRef: number, query: Query): Promise<Page> {
    const { from: fromMs = 0, to: toMs = Number.MAX_SAFE_INTEGER, state } = query
    const { limit = OWN_ORDERS_LIMIT } = query
    const working = Map.groupBy(
      this.#deps.workingOrders.list(clientRef),
      ({ journalId }) => journalId,
    )
    const isOpen = state === 'queued' || state === 'sent' || state === 'unknown'
    const orders: OwnOrder[] = []
    let after = placeOf(query.cursor)
    let found = 0
    for (let read = 0; read < ROWS_MAX; read += ROWS_AT_ONCE) {
      const rows = await this.#deps.journal.listOfClient({
        ...{ clientRef, fromMs, toMs, after, limit: ROWS_AT_ONCE },
        state: isOpen ? state : undefined,
      })
      for (const row of rows) {
        after = row
        if (state !== undefined && row.state !== state) continue
        const matching = toOrders(row, working.get(row.id) ?? []).filter(matches(query))
        if (matching.length === 0) continue
        orders.push(...matching)
        found += 1
        if (found === limit) return { orders, cursor: cursorOf(row) }
      }
      if (rows.length < ROWS_AT_ONCE) return { orders, cursor: null }
    }
    return { orders, cursor: after === undefined ? null : cursorOf(after) }
  }

  /** From the list of working orders: one may be older than the journal. */
  async #working(clientRef: number, query: Query): Promise<Page> {
    const { from = 0, to = Number.POSITIVE_INFINITY, limit = OWN_ORDERS_LIMIT } = query
    const after = placeOf(query.cursor)
    const isLater = ({ placedAtMs, id }: WorkingOrder) =>
      after === undefined ||
      placedAtMs < after.createdAtMs ||
      (placedAtMs === after.createdAtMs && id < Number(after.id))
    const listed = this.#deps.workingOrders
      .list(clientRef)
      .filter(({ placedAtMs }) => placedAtMs >= from && placedAtMs < to)
      .filter(isLater)
      .filter((order) => matches(query)({ exchange: order.exchange, symbol: symbolOf(order.key) }))
      .toSorted((a, b) => b.placedAtMs - a.placedAtMs || b.id - a.id)
    const page = listed.slice(0, limit)
    const last = page.at(-1)
    const hasMore = last !== undefined && listed.length > page.length
    return {
      orders: await Promise.all(page.map((order) => this.#workingOrder(order))),
      cursor: hasMore ? cursorOf({ createdAtMs: last.placedAtMs, id: `${last.id}` }) : null,
    }
  }

  async #workingOrder(order: WorkingOrder): Promise<OwnOrder> {
    const { journalId, exchange, placedAtMs } = order
    const row = journalId === null ? undefined : await this.#deps.journal.find(journalId)
    const [made] = row === undefined ? [] : [toOrder(row, order.key, order)]
    return (
      made ?? {
        ...{ requestId: null, exchange, ...termsOf(order.key), ...idsOf(order) },
        ...{ state: null, statusCode: null, working: true, endpoint: null },
        ...{ createdAt: toTime(placedAtMs), sentAt: null, settledAt: null },
      }
    )
  }
}

/** The orders that a request placed or changed: none for a cancel. */
function toOrders(row: ClientRequest, working: readonly WorkingOrder[]): OwnOrder[] {
  const key = keyOf(row)
  const all = key === undefined ? [] : ordersOf(key)
  const placed = all.filter(({ action }) => action !== 'cancel')
  if (key !== undefined && placed.length === 0) return []
  if (key === undefined && working.length === 0) return [toOrder(row, undefined, undefined)]
  const left = [...working]
  const orders = placed.map((order) => {
    const at = placed.length === 1 ? 0 : left.findIndex((each) => isMadeBy(each, order))
    const [found] = at === -1 ? [] : left.splice(at, 1)
    return toOrder(row, order, found, all.length === 1)
  })
  // Of a call that cannot be looked up, the list of working orders has what the journal has not.
  return [...orders, ...left.map((order) => toOrder(row, order.key, order))]
}

/** @param isAlone the request was about this order alone, whose ids are the row's */
function toOrder(
  row: ClientRequest,
  key: OrderKey | undefined,
  working: WorkingOrder | undefined,
  isAlone = key === undefined,
): OwnOrder {
  const { id: requestId, exchange, state, statusCode, endpoint } = row
  const ids =
    working === undefined
      ? {
          clientOrderId: key?.clientOrderId ?? (isAlone ? row.clientOrderId : null),
          orderId: isAlone ? row.orderId : null,
        }
      : idsOf(working)
  return {
    ...{ requestId, exchange, ...termsOf(key), ...ids, state, statusCode },
    ...{ working: working !== undefined, endpoint, createdAt: toTime(row.createdAtMs) },
    sentAt: row.sentAtMs === null ? null : toTime(row.sentAtMs),
    settledAt: row.settledAtMs === null ? null : toTime(row.settledAtMs),
  }
}

function termsOf(key: OrderKey | undefined) {
  const { side, kind, price, size, asked, spends, trigger } = key?.terms ?? {}
  return {
    ...{ market: key?.market ?? null, symbol: symbolOf(key), side: side ?? null },
    ...{ type: kind ?? null, price: price ?? null, quantity: size ?? asked ?? null },
    ...{ amount: spends ?? null, triggerPrice: trigger ?? null },
  }
}

function symbolOf(key: OrderKey | undefined): string | null {
  return key?.symbol ?? null
}

function idsOf({ clientOrderId, orderId }: WorkingOrder) {
  return { clientOrderId, orderId }
}

/** Several orders of one call differ in their client order ids, or else in what they are to do. */
function isMadeBy({ key, clientOrderId }: WorkingOrder, order: OrderKey): boolean {
  return (
    (order.clientOrderId ?? null) === clientOrderId &&
    JSON.stringify(key.terms) === JSON.stringify(order.terms)
  )
}

function matches({ exchange, symbol }: Query) {
  const wanted = bareSymbol(symbol)
  return (order: { readonly exchange: ExchangeCode; readonly symbol: string | null }): boolean =>
    (exchange === undefined || order.exchange === exchange) &&
    (wanted === undefined || bareSymbol(order.symbol ?? undefined) === wanted)
}

function cursorOf({ createdAtMs, id }: Place): string {
  return `${createdAtMs}-${id}`
}

/** The schema has checked the form. */
function placeOf(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined
  const at = cursor.indexOf('-')
  return { createdAtMs: Number(cursor.slice(0, at)), id: cursor.slice(at + 1) }
}

function toTime(ms: number): string {
  return new Date(ms).toISOString()
}
