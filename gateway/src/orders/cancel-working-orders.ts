import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXCHANGE_NAMES, type ExchangeCode, type Stop } from 'schema'
import { type CancelCall, cancelCallsOf } from '../exchanges/cancel-calls.ts'
import type { OrderCall, OrderEnd } from '../exchanges/order-lookup/order-key.ts'
import { resultsOf } from '../exchanges/order-results.ts'
import { isRejectedAs } from '../exchanges/protocol/rejection.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import { type StoredResponse, toStoredResponse } from '../upstream/stored-response.ts'
import { createTimings } from '../upstream/timings.ts'
import { foundRawResponse } from './found-response.ts'
import type { OrderRequest, OrderSteps } from './order-request.ts'
import type { PlaceOrder } from './place-order.ts'
import type { SyncDeps, WorkingOrderSync } from './sync-working-orders.ts'
import type { WorkingOrder } from './working-orders.ts'

/** The endpoint of a stop's cancels in the journal. */
const STOP_ENDPOINT = '/api/admin/stop'
/** The pause before each round of cancels. What is left after the last one has failed. */
const PAUSES_MS = [0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000] as const
/** Calls of one client that wait in the queue at the same time. */
const AT_ONCE = 20

export interface CancelDeps extends Pick<SyncDeps, 'workingOrders' | 'upstreams'> {
  readonly sync: Pick<WorkingOrderSync, 'sync' | 'removeIfEnded'>
  readonly placeOrder: Pick<PlaceOrder, 'place'>
  /** Shorter pauses, for tests. */
  readonly pausesMs?: readonly number[] | undefined
}

/** The orders of one client at one exchange. */
export interface ClientOrders {
  readonly clientRef: number
  readonly clientId: string
  readonly exchange: ExchangeCode
}

export interface CancelProgress {
  readonly onCancelled: (count: number) => void
  /** Aborted when nothing more is to be cancelled. */
  readonly signal: AbortSignal
}

type Failed = Stop['failed'][number]

/** Cancels the working orders of a client, each by its id, and waits for what is on its way. */
export class OrderCanceller {
  readonly #deps: CancelDeps

  constructor(deps: CancelDeps) {
    this.#deps = deps
  }

  /** @returns the orders that may still be open */
  async cancelAll(of: ClientOrders, progress: CancelProgress): Promise<Failed[]> {
    const { workingOrders, pausesMs = PAUSES_MS } = this.#deps
    const messages = new Map<number, string>()
    for (const pauseMs of pausesMs) {
      await pause(pauseMs, progress.signal)
      if (progress.signal.aborted) break
      await this.#cancelOnce(of, progress, messages)
      if (workingOrders.sentOf(of.clientRef, of.exchange) === 0 && this.#isHopeless(of, messages))
        break
      await workingOrders.oneEnded(of, pauseMs, progress.signal)
    }
    return this.#leftOf(of, messages)
  }

  /** Nothing is left that another round could cancel. */
  #isHopeless({ clientRef, exchange }: ClientOrders, messages: ReadonlyMap<number, string>) {
    return this.#deps.workingOrders
      .list(clientRef, exchange)
      .every(({ id }) => FINAL_MESSAGES.has(messages.get(id) ?? ''))
  }

  async #cancelOnce(
    of: ClientOrders,
    progress: CancelProgress,
    messages: Map<number, string>,
  ): Promise<void> {
    const { workingOrders, upstreams } = this.#deps
    const { clientRef, exchange } = of
    if (workingOrders.list(clientRef, exchange).length === 0) return
    const context = contextOf(of)
    try {
      // A cancel of what has ended would cost a slot. Without this, it only takes longer.
      await this.#deps.sync.sync(context, exchange, 'lookup').catch(() => undefined)
      const keysId = await upstreams[exchange].keysIdOf(context)
      const kind = await upstreams[exchange].accountKindOf(context)
      const listed = workingOrders.list(clientRef, exchange)
      const own = listed.filter(({ keysRef }) => keysRef === null || keysRef === keysId)
      for (const order of listed) messages.set(order.id, own.includes(order) ? NO_CALL : OTHER_KEYS)
      const calls = cancelCallsOf(own, kind)
      for (let at = 0; at < calls.length && !progress.signal.aborted; at += AT_ONCE)
        await Promise.all(
          calls.slice(at, at + AT_ONCE).map((call) => this.#cancel(of, call, progress, messages)),
        )
    } catch (error) {
      for (const { id } of workingOrders.list(clientRef, exchange)) messages.set(id, wordsOf(error))
    }
  }

  async #cancel(
    of: ClientOrders,
    { orders, orderCall }: CancelCall<WorkingOrder>,
    { onCancelled }: CancelProgress,
    messages: Map<number, string>,
  ): Promise<void> {
    const { placeOrder } = this.#deps
    const context = contextOf(of)
    const steps: OrderSteps<StoredResponse> = {
      raw: false,
      build: () => orderCall,
      read(data, response) {
        onCancelled(cancelledIn(orderCall, data))
        return toStoredResponse(response)
      },
      fromFound(key, ends, nowMs) {
        onCancelled(ends.filter(isCancelled).length)
        return foundRawResponse(key, ends, nowMs)
      },
      respond: (response) => response,
    }
    let message = `${EXCHANGE_NAMES[of.exchange]} did not cancel it`
    let isGone = false
    try {
      const { body } = orderCall.call
      const placed = await placeOrder.place(requestOf(of, context, body), context, steps)
      await placed.response
      await placed.ended
    } catch (error) {
      message = wordsOf(error)
      isGone = orders.length === 1 && isRejectedAs(error, 'order-not-found')
    }
    const left = this.#stillListed(of, orders)
    for (const order of left) {
      messages.set(order.id, message)
      // It may have been filled before. A look-up that fails is made again in the next round.
      const { sync } = this.#deps
      const found = sync.removeIfEnded(context, of.exchange, order, isGone)
      if (await found.catch(() => false)) onCancelled(1)
    }
  }

  #stillListed({ clientRef, exchange }: ClientOrders, orders: readonly WorkingOrder[]) {
    const listed = new Set(this.#deps.workingOrders.list(clientRef, exchange).map(({ id }) => id))
    return orders.filter(({ id }) => listed.has(id))
  }

  #leftOf(of: ClientOrders, messages: ReadonlyMap<number, string>): Failed[] {
    const { clientRef, clientId, exchange } = of
    const { workingOrders } = this.#deps
    const left = workingOrders.list(clientRef, exchange).map((order) => ({
      ...{ clientId, exchange, symbol: order.key.symbol ?? null },
      ...{ orderId: order.orderId, clientOrderId: order.clientOrderId },
      message: messages.get(order.id) ?? 'The stop ended before it was cancelled',
    }))
    const sent = workingOrders.sentOf(clientRef, exchange)
    if (sent === 0) return left
    const message = `The outcome of ${sent} order(s) is still unknown; the gateway looks them up`
    return [
      ...left,
      { clientId, exchange, symbol: null, orderId: null, clientOrderId: null, message },
    ]
  }
}

function cancelledIn({ order }: OrderCall, data: unknown): number {
  const results = order === undefined ? [] : resultsOf(order, data)
  return results.filter(({ became }) => became === 'ended').length
}

/** It may have been filled instead. */
function isCancelled(end: OrderEnd): boolean {
  return end !== 'absent' && end.state === 'cancelled'
}

const NO_CALL = 'It has no id or type that a cancel of it must name; cancel it at the exchange'
const OTHER_KEYS =
  'The keys that it was placed with are no longer stored; cancel it at the exchange'
/** Another round would have the same result. */
const FINAL_MESSAGES = new Set([NO_CALL, OTHER_KEYS])

function contextOf({ clientRef, clientId }: ClientOrders): RequestContext {
  return {
    ...{ requestId: randomUUID(), method: 'POST', endpoint: STOP_ENDPOINT },
    ...{ clientRef, clientId, byAdmin: true, endsOrders: true },
    timings: createTimings(),
  }
}

function requestOf(
  { clientRef, clientId, exchange }: ClientOrders,
  { requestId, method, endpoint }: RequestContext,
  body: string | null,
): OrderRequest {
  const fingerprint = createHash('sha256').update(`${requestId} ${body}`).digest('hex')
  return {
    ...{ id: requestId, clientRef, clientId, exchange, method, endpoint, fingerprint },
    idempotencyKey: null,
    jobClass: 'cancel',
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : 'It could not be cancelled'
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // Rejects only when it is ended, which the caller checks.
  if (ms > 0) await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)
}
