import { randomUUID } from 'node:crypto'
import { EXCHANGES, type ExchangeCode, getOwnCancel, type OwnCancel, urlOf } from 'schema'
import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { type CancelScope, isReached } from '../exchanges/account-wide.ts'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { upperAscii } from '../exchanges/protocol/untrusted.ts'
import { type LeftOrder, NEVER_TRIED } from './cancel-working-orders.ts'
import type { CancelledOrder, OnlyOrders } from './send-cancel.ts'
import type { WorkingOrder } from './working-order.ts'
import type { WorkingOrders } from './working-orders.ts'

/** The client that cancels. */
export interface Canceller {
  readonly clientRef: number
  readonly clientId: string
}

/** Which of its working orders a client cancels. */
export interface CancelFilter {
  /** A cancel of the same name joins the one that runs. */
  readonly name: string
  /** As the client wrote it; null: any. */
  readonly symbol: string | null
  /** Null: both. */
  readonly exchange: ExchangeCode | null
  /** What the exchange's call that it replaces would reach; absent: every market. */
  readonly scope?: CancelScope | undefined
}

/** A cancel by a client of its own orders, while it runs and as it ended. */
export interface OwnCancelRun {
  readonly id: string
  readonly client: Canceller
  readonly filter: CancelFilter
  readonly startedAtMs: number
  completedAtMs: number | null
  /** The orders that it cancels, by the id of their row. */
  readonly orders: Map<number, WorkingOrder>
  /** The ids of those that are cancelled. */
  readonly cancelled: Set<number>
  readonly parts: Part[]
  /** Those that had ended when the previous process ended. */
  readonly earlier: { readonly orders: number; readonly cancelled: number }
  /** The client knows its id: a restart continues it. */
  isKept: boolean
  /** Resolves when it has ended. */
  readonly done: Promise<void>
  readonly end: () => void
}

/** The orders that the first call found, and those that came before a repeated one. */
export interface Part {
  readonly orderIds: ReadonlySet<number>
  /** Requests that were on their way: their orders belong to it. */
  readonly requests: ReadonlySet<string>
  /** What may still be open, once the first rounds are over. */
  readonly left: Map<ExchangeCode, readonly LeftOrder[]>
  isOver: boolean
}

/** A run as it is stored while it runs: what the next process needs to continue it. */
const StoredRun = Type.Object({
  id: Type.String(),
  client: Type.Object({ clientRef: Type.Integer(), clientId: Type.String() }),
  filter: Type.Unsafe<CancelFilter>(
    Type.Object({
      symbol: Type.Union([Type.String(), Type.Null()]),
      exchange: Type.Union([Type.Enum([...EXCHANGES]), Type.Null()]),
      scope: Type.Optional(Type.Object({ reach: Type.Object({}) })),
    }),
  ),
  startedAtMs: Type.Number(),
  earlier: Type.Object({ orders: Type.Integer(), cancelled: Type.Integer() }),
  orders: Type.Array(
    Type.Object({
      id: Type.Integer(),
      // Row ids are used again after a restart: this says whether it is the same order.
      journalId: Type.Union([Type.String(), Type.Null()]),
      isCancelled: Type.Boolean(),
    }),
  ),
  requests: Type.Array(Type.String()),
})
type StoredRun = Static<typeof StoredRun>

type Working = Pick<WorkingOrders, 'list' | 'requestsSent'>

/** Working orders of a symbol, or of all, at an exchange or at both. */
export function ownOrdersOf(symbol?: string, exchange?: ExchangeCode): CancelFilter {
  const name = `${exchange} ${bareSymbol(symbol)}`
  return { name, symbol: symbol ?? null, exchange: exchange ?? null }
}

/** A symbol as it is compared across markets: `BTC_USDT` is `BTCUSDT`. */
export function bareSymbol(symbol: string | undefined): string | undefined {
  return upperAscii(symbol)?.replaceAll('_', '')
}

/** A run that has no orders yet. */
export function newRun(client: Canceller, filter: CancelFilter, startedAtMs: number): OwnCancelRun {
  const { promise: done, resolve: end } = Promise.withResolvers<void>()
  return {
    ...{ id: randomUUID(), client, filter, done, end, startedAtMs, completedAtMs: null },
    ...{ orders: new Map(), cancelled: new Set(), parts: [], isKept: false },
    earlier: { orders: 0, cancelled: 0 },
  }
}

/** Adds what the run does not have yet. @returns undefined when it has all */
export function addPart(run: OwnCancelRun, working: Working): Part | undefined {
  const { client, filter, parts } = run
  const exchanges = exchangesOf(run)
  const orders = working
    .list(client.clientRef)
    .filter(({ exchange, key }) => exchanges.includes(exchange) && isMeant(filter, key))
    .filter((order) => !parts.some((part) => isOf(part, order)))
  const requests = exchanges
    .flatMap((each) => working.requestsSent(client.clientRef, each, (key) => isMeant(filter, key)))
    .filter((id) => !parts.some((part) => part.requests.has(id)))
  if (orders.length + requests.length === 0) return undefined
  for (const order of orders) run.orders.set(order.id, order)
  const part: Part = {
    orderIds: new Set(orders.map(({ id }) => id)),
    ...{ requests: new Set(requests), left: new Map(), isOver: false },
  }
  parts.push(part)
  return part
}

/** Of a part of a run: as `OrderCanceller` asks for it. */
export function onlyOf({ filter, orders }: OwnCancelRun, part: Part): OnlyOrders {
  return {
    has(order) {
      const isMember = isMeant(filter, order.key) && isOf(part, order)
      if (isMember) orders.set(order.id, order)
      return isMember
    },
    requests: part.requests,
  }
}

/** Marks those that a response or a look-up named, each once. */
export function markCancelled(
  { orders, cancelled }: OwnCancelRun,
  exchange: ExchangeCode,
  named: readonly CancelledOrder[],
): void {
  for (const { orderId, clientOrderId } of named)
    for (const order of orders.values()) {
      if (order.exchange !== exchange || cancelled.has(order.id)) continue
      const isSame =
        orderId === null ? order.clientOrderId === clientOrderId : order.orderId === orderId
      if (!isSame) continue
      cancelled.add(order.id)
      break
    }
}

/** The orders of a part at an exchange where the gateway failed. */
export function notTried(
  exchange: ExchangeCode,
  { client: { clientRef, clientId } }: OwnCancelRun,
  part: Part,
  working: Working,
): LeftOrder[] {
  return working
    .list(clientRef, exchange)
    .filter((order) => isOf(part, order))
    .map(({ key: { symbol = null }, orderId, clientOrderId }) => ({
      failed: {
        ...{ clientId, exchange, symbol, orderId, clientOrderId },
        ...{ message: 'The gateway failed at it; cancel once more', ...NEVER_TRIED },
      },
      isElsewhere: false,
    }))
}

/** What may still be open of a run, as far as it has come. */
export function leftOf({ parts }: OwnCancelRun): LeftOrder[] {
  return parts.flatMap(({ left }) => [...left.values()].flat())
}

/** A run as its client reads it. */
export function toOwnCancel(run: OwnCancelRun): OwnCancel {
  const { id, filter, startedAtMs, completedAtMs, orders, cancelled, earlier } = run
  return {
    ...{ id, location: urlOf(getOwnCancel, { params: { id } }) },
    state: completedAtMs === null ? 'running' : 'done',
    ...{ symbol: filter.symbol, exchange: filter.exchange },
    startedAt: new Date(startedAtMs).toISOString(),
    completedAt: completedAtMs === null ? null : new Date(completedAtMs).toISOString(),
    orders: earlier.orders + orders.size,
    cancelled: earlier.cancelled + cancelled.size,
    failed: leftOf(run).map(({ failed: { clientId: _, ...failed } }) => failed),
  }
}

export function toStored({ id, client, filter, startedAtMs, ...run }: OwnCancelRun): StoredRun {
  const { earlier, orders, cancelled, parts } = run
  return {
    ...{ id, filter, startedAtMs, earlier },
    client: { clientRef: client.clientRef, clientId: client.clientId },
    orders: [...orders.values()].map(({ id: orderId, journalId }) => ({
      ...{ id: orderId, journalId, isCancelled: cancelled.has(orderId) },
    })),
    requests: parts.flatMap(({ requests }) => [...requests]),
  }
}

/**
 * The run of the previous process, with those of its orders that are still listed.
 * @throws when it cannot be read
 */
export function resumedRun(stored: unknown, working: Working): OwnCancelRun {
  if (!Check(StoredRun, stored)) throw new Error('A stored cancel of own orders cannot be read')
  const { id, client, filter, startedAtMs, earlier } = stored
  const named = new Map(stored.orders.map((order) => [order.id, order.journalId]))
  const requests = new Set(stored.requests)
  const isStored = ({ id: orderId, journalId, key }: WorkingOrder) =>
    named.get(orderId) === journalId ||
    (journalId !== null && requests.has(journalId) && isMeant(filter, key))
  const listed = working.list(client.clientRef).filter(isStored)
  const orders = new Map(listed.map((order) => [order.id, order]))
  const gone = stored.orders.filter((order) => !orders.has(order.id))
  const part: Part = {
    ...{ orderIds: new Set(orders.keys()), requests, left: new Map(), isOver: false },
  }
  return {
    ...newRun(client, filter, startedAtMs),
    ...{ id, orders, parts: [part], isKept: true },
    earlier: {
      orders: earlier.orders + gone.length,
      cancelled: earlier.cancelled + gone.filter(({ isCancelled }) => isCancelled).length,
    },
  }
}

export function exchangesOf({ filter: { exchange } }: OwnCancelRun): readonly ExchangeCode[] {
  return exchange === null ? EXCHANGES : [exchange]
}

export function isRunning({ completedAtMs }: OwnCancelRun): boolean {
  return completedAtMs === null
}

function isMeant({ symbol, scope }: CancelFilter, order: OrderKey): boolean {
  if (scope !== undefined) return isReached(order, scope)
  return symbol === null || bareSymbol(order.symbol) === bareSymbol(symbol)
}

function isOf({ orderIds, requests }: Part, { id, journalId }: WorkingOrder): boolean {
  return orderIds.has(id) || (journalId !== null && requests.has(journalId))
}
