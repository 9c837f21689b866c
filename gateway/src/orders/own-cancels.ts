import { randomUUID } from 'node:crypto'
import { EXCHANGES, type ExchangeCode, getOwnCancel, type OwnCancel, urlOf } from 'schema'
import { type CancelScope, isPerhapsReached, isReached } from '../exchanges/account-wide.ts'
import { upperAscii } from '../exchanges/effect-fields.ts'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { CallerGoneError } from '../lane/errors.ts'
import type { FactStore } from '../store/fact-store.ts'
import type { Time } from '../time.ts'
import type { Events } from '../upstream/events.ts'
import { Turns } from '../upstream/in-turn.ts'
import type { LeftOrder, OrderCanceller } from './cancel-working-orders.ts'
import type { CancelledOrder, OnlyOrders } from './send-cancel.ts'
import type { WorkingOrder, WorkingOrders } from './working-orders.ts'

/** How many cancels of a client can be read, besides those that run. */
const ENDED_MAX = 20

/** How long a call of an exchange waits for the cancel that is made in its place. */
const ANSWER_AFTER_MS = 20_000

const REASON = 'The client cancels its own orders'

export interface OwnCancelsDeps {
  readonly workingOrders: Pick<WorkingOrders, 'list' | 'requestsSent'>
  readonly canceller: Pick<OrderCanceller, 'cancelAll'>
  readonly events: Pick<Events, 'emit'>
  readonly facts: Pick<FactStore, 'get' | 'set'>
  readonly nowMs: () => number
  readonly time: Pick<Time, 'sleep'>
  readonly answerAfterMs?: number | undefined
}

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
  /** What the exchange's call in whose place it is would reach; absent: every market. */
  readonly scope?: CancelScope | undefined
}

/** A cancel of a client's own orders, while it runs and as it ended. */
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
  /** Those that had ended when the process before this one did. */
  readonly earlier: { readonly orders: number; readonly cancelled: number }
  /** The client knows its id: a restart continues it. */
  isKept: boolean
  /** Resolves when it has ended. */
  readonly done: Promise<void>
  readonly end: () => void
}

/** The orders that the first call found, and those that came before a repeated one. */
interface Part {
  readonly orderIds: ReadonlySet<number>
  /** Requests that were on their way: their orders belong to it. */
  readonly requests: ReadonlySet<string>
  /** What may still be open, once the first rounds are over. */
  readonly left: Map<ExchangeCode, readonly LeftOrder[]>
  isOver: boolean
}

/** A run as it is stored while it runs: what the next process needs to continue it. */
interface StoredRun
  extends Pick<OwnCancelRun, 'id' | 'client' | 'filter' | 'startedAtMs' | 'earlier'> {
  /** Row ids are used again after a restart: the journal id says whether it is the same order. */
  readonly orders: readonly StoredOrder[]
  readonly requests: readonly string[]
}

interface StoredOrder extends Pick<WorkingOrder, 'id' | 'journalId'> {
  readonly isCancelled: boolean
}

/** The fact with the runs that clients know of and that have not ended. */
const STORED_RUNS_FACT = 'own_cancels'

/**
 * Cancels working orders of clients for themselves, each order by its id: a client with the same
 * exchange key as others cannot use the exchange's own calls for that. Unlike a stop it refuses no
 * new orders. As with a stop, a start continues what the previous process began.
 */
export class OwnCancels {
  readonly #deps: OwnCancelsDeps
  /** By client, the oldest first. */
  readonly #runs = new Map<number, OwnCancelRun[]>()
  readonly #abort = new AbortController()
  readonly #turns = new Turns()
  /** A write that waits for the one before it. */
  #nextWrite: Promise<void> | undefined

  constructor(deps: OwnCancelsDeps) {
    this.#deps = deps
  }

  /** Continues what the previous process did not complete. Call it once its orders are loaded. */
  async restore(): Promise<void> {
    const { facts, events } = this.#deps
    const stored = await facts.get(STORED_RUNS_FACT)
    try {
      const runs: readonly StoredRun[] = JSON.parse(stored ?? '[]')
      for (const run of runs) this.#resume(run)
    } catch (error) {
      events.emit('ownCancelFailed', { error })
    }
  }

  /** Begins a cancel of what is working now, or adds that to the one of the same name that runs. */
  start(client: Canceller, filter: CancelFilter): OwnCancelRun {
    const runs = this.#runs.get(client.clientRef) ?? []
    const running = runs.find((each) => each.filter.name === filter.name && isRunning(each))
    const run = running ?? this.#begin(client, filter)
    if (running === undefined) {
      const ended = runs.filter((each) => !isRunning(each)).slice(1 - ENDED_MAX)
      this.#runs.set(client.clientRef, [...ended, ...runs.filter(isRunning), run])
    }
    const part = this.#newPart(run)
    if (part === undefined) this.#endIfOver(run)
    else {
      if (run.isKept) void this.#store()
      void this.#cancel(run, part)
    }
    return run
  }

  /** From here on a restart continues a run. Never rejects: a failed write is reported. */
  async keep(run: OwnCancelRun): Promise<void> {
    run.isKept = true
    if (isRunning(run)) await this.#store()
  }

  #resume({ id, client, filter, startedAtMs, ...stored }: StoredRun): void {
    const named = new Map(stored.orders.map((order) => [order.id, order.journalId]))
    const requests = new Set(stored.requests)
    const isStored = ({ id: orderId, journalId, key }: WorkingOrder) =>
      named.get(orderId) === journalId ||
      (journalId !== null && requests.has(journalId) && isMeant(filter, key))
    const listed = this.#deps.workingOrders.list(client.clientRef).filter(isStored)
    const orders = new Map(listed.map((order) => [order.id, order]))
    const gone = stored.orders.filter((order) => !orders.has(order.id))
    const earlier = {
      orders: stored.earlier.orders + gone.length,
      cancelled: stored.earlier.cancelled + gone.filter(({ isCancelled }) => isCancelled).length,
    }
    const run = { ...this.#begin(client, filter), id, startedAtMs, orders, earlier, isKept: true }
    const orderIds = new Set(orders.keys())
    const part: Part = { orderIds, requests, left: new Map(), isOver: false }
    run.parts.push(part)
    this.#runs.set(client.clientRef, [...(this.#runs.get(client.clientRef) ?? []), run])
    void this.#cancel(run, part)
  }

  /** Writes those that are to be continued. Resolves when a write has ended that began later. */
  #store(): Promise<void> {
    this.#nextWrite ??= this.#write()
    return this.#nextWrite
  }

  async #write(): Promise<void> {
    const endTurn = await this.#turns.take(STORED_RUNS_FACT)
    this.#nextWrite = undefined
    try {
      const runs = [...this.#runs.values()].flat().filter((run) => run.isKept && isRunning(run))
      await this.#deps.facts.set(STORED_RUNS_FACT, JSON.stringify(runs.map(toStored)))
    } catch (error) {
      this.#deps.events.emit('ownCancelFailed', { error })
    } finally {
      endTurn()
    }
  }

  /** Whether the gateway cannot tell of an order of the client if a cancel would reach it. */
  isUnclear({ clientRef }: Canceller, exchange: ExchangeCode, scope: CancelScope): boolean {
    const { workingOrders } = this.#deps
    const isPerhaps = (key: OrderKey) => isPerhapsReached(key, scope)
    const working = workingOrders.list(clientRef, exchange)
    return (
      working.some(({ key }) => isPerhaps(key)) ||
      workingOrders.requestsSent(clientRef, exchange, isPerhaps).length > 0
    )
  }

  /** Undefined when this process has none of this client with the id. */
  find(clientRef: number, id: string): OwnCancelRun | undefined {
    return this.#runs.get(clientRef)?.find((run) => run.id === id)
  }

  /** Resolves when it has ended, or after 20 s. @throws CallerGoneError */
  async wait({ done }: OwnCancelRun, signal?: AbortSignal): Promise<void> {
    const { time, answerAfterMs = ANSWER_AFTER_MS } = this.#deps
    const isOver = new AbortController()
    const signals = [isOver.signal, ...(signal === undefined ? [] : [signal])]
    const options = { signal: AbortSignal.any(signals), ref: false }
    // Rejects only when the wait is over.
    const timeout = time.sleep(answerAfterMs, options).catch(() => undefined)
    await Promise.race([done, timeout])
    isOver.abort()
    if (signal?.aborted === true) throw new CallerGoneError()
  }

  /** Ends the work; the next start continues it. */
  async close(): Promise<void> {
    this.#abort.abort()
    await Promise.all([...this.#runs.values()].flat().map(({ done }) => done))
    await this.#nextWrite
    const endTurn = await this.#turns.take(STORED_RUNS_FACT)
    endTurn()
  }

  #begin(client: Canceller, filter: CancelFilter): OwnCancelRun {
    const { promise: done, resolve: end } = Promise.withResolvers<void>()
    return {
      ...{ id: randomUUID(), client, filter, done, end },
      ...{ startedAtMs: this.#deps.nowMs(), completedAtMs: null },
      ...{ orders: new Map(), cancelled: new Set(), parts: [], isKept: false },
      earlier: { orders: 0, cancelled: 0 },
    }
  }

  /** What the run does not have yet; undefined when it has all. */
  #newPart(run: OwnCancelRun): Part | undefined {
    const { workingOrders } = this.#deps
    const { client, filter, parts } = run
    const exchanges = exchangesOf(run)
    const orders = workingOrders
      .list(client.clientRef)
      .filter(({ exchange, key }) => exchanges.includes(exchange) && isMeant(filter, key))
      .filter((order) => !parts.some((part) => isOf(part, order)))
    const requests = exchanges
      .flatMap((each) =>
        workingOrders.requestsSent(client.clientRef, each, (key) => isMeant(filter, key)),
      )
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

  /** Never rejects. */
  async #cancel(run: OwnCancelRun, part: Part): Promise<void> {
    const cancels = exchangesOf(run).map((exchange) =>
      this.#cancelAt(exchange, run, part).catch((error: unknown) => {
        const { clientRef } = run.client
        this.#deps.events.emit('ownCancelFailed', { clientRef, error })
        part.left.set(exchange, this.#notTried(exchange, run, part))
      }),
    )
    await Promise.all(cancels)
    part.isOver = true
    this.#endIfOver(run)
  }

  async #cancelAt(exchange: ExchangeCode, run: OwnCancelRun, part: Part): Promise<void> {
    const { client, filter } = run
    const only: OnlyOrders = {
      has(order) {
        const isMember = isMeant(filter, order.key) && isOf(part, order)
        if (isMember) run.orders.set(order.id, order)
        return isMember
      },
      requests: part.requests,
    }
    const onLeft = (left: LeftOrder[]) => void part.left.set(exchange, left)
    const left = await this.#deps.canceller.cancelAll(
      { ...client, exchange, only },
      {
        ...{ reason: REASON, signal: this.#abort.signal, onLeft },
        onCancelled: (orders) => {
          markCancelled(run, exchange, orders)
          if (run.isKept) void this.#store()
        },
      },
    )
    onLeft(left)
  }

  #notTried(exchange: ExchangeCode, { client }: OwnCancelRun, part: Part): LeftOrder[] {
    return this.#deps.workingOrders
      .list(client.clientRef, exchange)
      .filter((order) => isOf(part, order))
      .map(({ key: { symbol = null }, orderId, clientOrderId }) => ({
        failed: {
          ...{ clientId: client.clientId, exchange, symbol, orderId, clientOrderId },
          message: 'The gateway failed at it; cancel once more',
        },
        isElsewhere: false,
      }))
  }

  #endIfOver(run: OwnCancelRun): void {
    if (run.parts.some(({ isOver }) => !isOver)) return
    // What the end of the process ended is continued by the next one.
    if (!this.#abort.signal.aborted) {
      run.completedAtMs ??= this.#deps.nowMs()
      if (run.isKept) void this.#store()
    }
    run.end()
  }
}

/** Working orders of a symbol, or of all, at an exchange or at both. */
export function ownOrdersOf(symbol?: string, exchange?: ExchangeCode): CancelFilter {
  const name = `${exchange} ${bareSymbol(symbol)}`
  return { name, symbol: symbol ?? null, exchange: exchange ?? null }
}

function isMeant({ symbol, scope }: CancelFilter, order: OrderKey): boolean {
  if (scope !== undefined) return isReached(order, scope)
  return symbol === null || bareSymbol(order.symbol) === bareSymbol(symbol)
}

/** A symbol as it is compared across markets: `BTC_USDT` is `BTCUSDT`. */
export function bareSymbol(symbol: string | undefined): string | undefined {
  return upperAscii(symbol)?.replaceAll('_', '')
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

function toStored({ id, client, filter, startedAtMs, ...run }: OwnCancelRun): StoredRun {
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

function exchangesOf({ filter: { exchange } }: OwnCancelRun): readonly ExchangeCode[] {
  return exchange === null ? EXCHANGES : [exchange]
}

function isRunning({ completedAtMs }: OwnCancelRun): boolean {
  return completedAtMs === null
}

function isOf({ orderIds, requests }: Part, { id, journalId }: WorkingOrder): boolean {
  return orderIds.has(id) || (journalId !== null && requests.has(journalId))
}

/** Marks those that a response or a look-up named, each once. */
function markCancelled(
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
