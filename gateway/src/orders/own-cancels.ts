import { randomUUID } from 'node:crypto'
import { EXCHANGES, type ExchangeCode, getOwnCancel, type OwnCancel, urlOf } from 'schema'
import { upperAscii } from '../exchanges/effect-fields.ts'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { CallerGoneError } from '../lane/errors.ts'
import type { Time } from '../time.ts'
import type { Events } from '../upstream/events.ts'
import type { Failed, OrderCanceller } from './cancel-working-orders.ts'
import type { CancelledOrder, OnlyOrders } from './send-cancel.ts'
import type { WorkingOrder, WorkingOrders } from './working-orders.ts'

/** How many cancels of a client can be read, besides those that run. */
const KEPT = 20

/** How long a call of an exchange waits for the cancel that is made in its place. */
const ANSWER_AFTER_MS = 20_000

const REASON = 'The client cancels its own orders'

export interface OwnCancelsDeps {
  readonly workingOrders: Pick<WorkingOrders, 'list' | 'requestsSent'>
  readonly canceller: Pick<OrderCanceller, 'cancelAll'>
  readonly events: Pick<Events, 'emit'>
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
  readonly has: (order: OrderKey) => boolean
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
  readonly left: Map<ExchangeCode, readonly Failed[]>
  isOver: boolean
}

/**
 * Cancels working orders of clients for themselves, each order by its id: a client with the same
 * exchange key as others cannot use the exchange's own calls for that. Unlike a stop it refuses no
 * new orders, and a restart ends it.
 */
export class OwnCancels {
  readonly #deps: OwnCancelsDeps
  /** By client, the oldest first. */
  readonly #runs = new Map<number, OwnCancelRun[]>()
  readonly #abort = new AbortController()

  constructor(deps: OwnCancelsDeps) {
    this.#deps = deps
  }

  /** Begins a cancel of what is working now, or adds that to the one of the same name that runs. */
  start(client: Canceller, filter: CancelFilter): OwnCancelRun {
    const runs = this.#runs.get(client.clientRef) ?? []
    const running = runs.find((each) => each.filter.name === filter.name && isRunning(each))
    const run = running ?? this.#begin(client, filter)
    if (running === undefined) {
      const ended = runs.filter((each) => !isRunning(each)).slice(1 - KEPT)
      this.#runs.set(client.clientRef, [...ended, ...runs.filter(isRunning), run])
    }
    const part = this.#newPart(run)
    if (part !== undefined) void this.#cancel(run, part)
    else this.#endIfOver(run)
    return run
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

  /** Ends the work. */
  async close(): Promise<void> {
    this.#abort.abort()
    await Promise.all([...this.#runs.values()].flat().map(({ done }) => done))
  }

  #begin(client: Canceller, filter: CancelFilter): OwnCancelRun {
    const { promise: done, resolve: end } = Promise.withResolvers<void>()
    return {
      ...{ id: randomUUID(), client, filter, done, end },
      ...{ startedAtMs: this.#deps.nowMs(), completedAtMs: null },
      ...{ orders: new Map(), cancelled: new Set(), parts: [] },
    }
  }

  /** What the run does not have yet; undefined when it has all. */
  #newPart(run: OwnCancelRun): Part | undefined {
    const { workingOrders } = this.#deps
    const { client, filter, parts } = run
    const exchanges = exchangesOf(run)
    const orders = workingOrders
      .list(client.clientRef)
      .filter(({ exchange, key }) => exchanges.includes(exchange) && filter.has(key))
      .filter((order) => !parts.some((part) => isOf(part, order)))
    const requests = exchanges
      .flatMap((each) => workingOrders.requestsSent(client.clientRef, each, filter.has))
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
        this.#deps.events.emit('stopFailed', { scope: `own orders of ${clientRef}`, error })
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
        const isMember = filter.has(order.key) && isOf(part, order)
        if (isMember) run.orders.set(order.id, order)
        return isMember
      },
      requests: part.requests,
    }
    const onLeft = (left: Failed[]) => void part.left.set(exchange, left)
    const left = await this.#deps.canceller.cancelAll(
      { ...client, exchange, only },
      {
        ...{ reason: REASON, signal: this.#abort.signal, onLeft },
        onCancelled: (orders) => markCancelled(run, exchange, orders),
      },
    )
    onLeft(left)
  }

  #notTried(exchange: ExchangeCode, { client }: OwnCancelRun, part: Part): Failed[] {
    return this.#deps.workingOrders
      .list(client.clientRef, exchange)
      .filter((order) => isOf(part, order))
      .map(({ key, orderId, clientOrderId }) => ({
        ...{ clientId: client.clientId, exchange, symbol: key.symbol ?? null },
        ...{ orderId, clientOrderId, message: 'The gateway failed at it; cancel once more' },
      }))
  }

  #endIfOver(run: OwnCancelRun): void {
    if (run.parts.some(({ isOver }) => !isOver)) return
    run.completedAtMs ??= this.#deps.nowMs()
    run.end()
  }
}

/** Working orders of a symbol, or of all, at an exchange or at both. */
export function ownOrdersOf(symbol?: string, exchange?: ExchangeCode): CancelFilter {
  const wanted = symbol === undefined ? undefined : bareSymbol(symbol)
  return {
    name: `${exchange} ${wanted}`,
    symbol: symbol ?? null,
    exchange: exchange ?? null,
    has: (order) => wanted === undefined || bareSymbol(order.symbol) === wanted,
  }
}

/** A symbol as it is compared across markets: `BTC_USDT` is `BTCUSDT`. */
export function bareSymbol(symbol: string | undefined): string | undefined {
  return upperAscii(symbol)?.replaceAll('_', '')
}

/** What may still be open of a run, as far as it has come. */
export function leftOf({ parts }: OwnCancelRun): Failed[] {
  return parts.flatMap(({ left }) => [...left.values()].flat())
}

/** A run as its client reads it. */
export function toOwnCancel(run: OwnCancelRun): OwnCancel {
  const { id, filter, startedAtMs, completedAtMs, orders, cancelled } = run
  return {
    ...{ id, location: urlOf(getOwnCancel, { params: { id } }) },
    state: completedAtMs === null ? 'running' : 'done',
    ...{ symbol: filter.symbol, exchange: filter.exchange },
    startedAt: new Date(startedAtMs).toISOString(),
    completedAt: completedAtMs === null ? null : new Date(completedAtMs).toISOString(),
    ...{ orders: orders.size, cancelled: cancelled.size },
    failed: leftOf(run).map(({ clientId: _, ...failed }) => failed),
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
