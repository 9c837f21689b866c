import type { ExchangeCode } from 'schema'
import { canBeLookedUp } from '../exchanges/order-lookup/lookups.ts'
import type { OrderCall, OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { rejectionError } from '../exchanges/protocol/rejection.ts'
import { notSent } from '../lane/errors.ts'
import type { JournalRow, JournalStore, Settlement } from '../store/journal-store.ts'
import type { Events } from '../upstream/events.ts'
import { Turns } from '../upstream/in-turn.ts'
import { isTurnedAway } from '../upstream/judged-response.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import type { StoredResponse } from '../upstream/stored-response.ts'
import { mayHaveBeenSent, type Upstream } from '../upstream/upstream.ts'
import { OutcomeUnknownError, RequestWithdrawnError } from './errors.ts'
import { checkSamePayload, replayOf } from './idempotency-key.ts'
import type { OrderRequest, OrderSteps } from './order-request.ts'
import {
  changeState,
  keyIn,
  type OrderChange,
  type OrderProgress,
  type OrderStateDeps,
  startProgress,
} from './order-state.ts'
import type { Reconciler } from './reconcile.ts'
import { RetryingWriter } from './retrying-writer.ts'
import { join, type RunningOrder, RunningOrders } from './running-orders.ts'
import { toCallerError } from './to-caller-error.ts'
import { endingOf, isMomentary, type Outcome, understand } from './understand.ts'

export interface PlaceOrderDeps {
  readonly journal: JournalStore
  readonly reconciler: Pick<Reconciler, 'findOut' | 'watch'>
  readonly upstreams: Readonly<
    Record<
      ExchangeCode,
      Pick<Upstream, 'name' | 'send' | 'openKeys' | 'signAndSend' | 'waitForTurn'>
    >
  >
  /** Nothing new is sent while its log row could not be kept. @throws StoreUnwritableError */
  readonly requireLog: () => Promise<void>
  /** An error as the caller sees it. */
  readonly toErrorResponse: (error: unknown, requestId: string) => StoredResponse
  readonly events: Pick<Events, 'emit'>
  readonly nowMs: () => number
  /** The exchange's time, whole Unix ms. */
  readonly exchangeNowMs: (exchange: ExchangeCode) => number
}

export interface Placed {
  /** The request that carries the order out: this one, or the first with the same key. */
  readonly id: string
  /** The response is that of an earlier request with the same key. */
  readonly isReplay: boolean
  /** Rejects with CallerGoneError, and with the order's own error. */
  readonly response: Promise<StoredResponse>
}

/**
 * The road of an order, from top to bottom: admit, journal, build, wait for the slot, sign, send, understand, look up,
 * settle, respond. An order is in the journal before it is sent, and its response before its caller gets it. A request
 * with the same idempotency key gets the first one's response.
 */
export class PlaceOrder {
  readonly #deps: PlaceOrderDeps
  readonly #stateDeps: OrderStateDeps
  readonly #settlements: RetryingWriter<Settlement>
  readonly #running = new RunningOrders()
  readonly #turns = new Turns()

  constructor(deps: PlaceOrderDeps) {
    const { journal, events, nowMs, exchangeNowMs } = deps
    this.#deps = deps
    this.#settlements = new RetryingWriter({ write: (id, value) => journal.settle(id, value) })
    this.#stateDeps = { journal, settlements: this.#settlements, events, nowMs, exchangeNowMs }
  }

  /**
   * Resolves when the order is in the journal, or found there.
   * @param hangUp absent: the caller does not wait, so that nothing calls the order off
   * @throws IdempotencyKeyReusedError, StoreUnwritableError: nothing was sent
   */
  async place<Result>(
    request: OrderRequest,
    context: RequestContext,
    steps: OrderSteps<Result>,
    hangUp?: AbortSignal,
  ): Promise<Placed> {
    const holder = await this.#running.holderOfKey(request)
    if (holder !== undefined) return joinFirst(holder, request, hangUp)
    const first = await this.#admit(request)
    if (first === undefined) {
      const order = startProgress(request)
      const started = this.#running.start(order, (signal) =>
        this.#carryOut(order, { ...context, signal }, steps),
      )
      return { id: request.id, isReplay: false, response: join(started, hangUp) }
    }
    // It may have started between the look at the running orders and the look at the journal.
    const started = this.#running.byId(first.id)
    if (started !== undefined) return joinFirst(started, request, hangUp)
    checkSamePayload(first, request)
    const response = replayOf(first, this.#deps.toErrorResponse)
    return { id: first.id, isReplay: true, response: Promise.resolve(response) }
  }

  /** Enters the order in the journal. Returns the order that holds its key already, if there is one. */
  async #admit(request: OrderRequest): Promise<JournalRow | undefined> {
    const first = await this.#enter(request)
    if (first === undefined || this.#settlements.pending(first.id) === undefined) return first
    // The first one has ended, which could not be written down yet.
    const pending = await this.#settlements.retry(first.id)
    return pending === undefined ? this.#enter(request) : { ...first, ...pending }
  }

  async #enter(request: OrderRequest): Promise<JournalRow | undefined> {
    const { journal, requireLog, nowMs } = this.#deps
    const { jobClass: _, ...row } = request
    const { clientRef, idempotencyKey } = request
    // What is known of the first one is given also while nothing can be written.
    const first =
      idempotencyKey === null ? undefined : await journal.findByKey(clientRef, idempotencyKey)
    if (first !== undefined) return first
    try {
      await requireLog()
      return await journal.admit({ ...row, createdAtMs: nowMs() })
    } catch (cause) {
      throw cause instanceof Error ? notSent(cause) : cause
    }
  }

  /** @throws what the caller gets, after it was written down */
  async #carryOut<Result>(
    order: OrderProgress,
    context: RequestContext,
    steps: OrderSteps<Result>,
  ): Promise<StoredResponse> {
    try {
      const orderCall = await steps.build()
      const endTurn = await this.#waitForTurn(context, order.request.exchange, steps.turn)
      try {
        await steps.prepare?.(context)
        const sent = await this.#send(order, context, orderCall, steps)
        const outcome = sent.kind === 'unknown' ? await this.#lookUp(order, sent, steps) : sent
        return outcome.kind === 'rejected'
          ? await this.#settleRejected(order, outcome, steps)
          : await this.#settleDone(order, context, outcome, steps)
      } finally {
        endTurn()
      }
    } catch (error) {
      throw await this.#settleError(order, context, error)
    }
  }

  async #waitForTurn(
    context: RequestContext,
    exchange: ExchangeCode,
    turn: string | undefined,
  ): Promise<() => void> {
    if (turn === undefined) return () => {}
    const upstream = this.#deps.upstreams[exchange]
    return this.#turns.take(`${exchange} ${context.clientRef} ${turn}`, (before) =>
      upstream.waitForTurn(context, before),
    )
  }

  /** Waits for the slot. There, what is needed is opened, the journal says "sent", and the call is signed and sent, once. */
  async #send<Result>(
    order: OrderProgress,
    context: RequestContext,
    { call, order: key }: OrderCall,
    steps: OrderSteps<Result>,
  ): Promise<Outcome<Result>> {
    const { exchange, jobClass } = order.request
    const upstream = this.#deps.upstreams[exchange]
    const { raw } = steps
    try {
      const judged = await upstream.send(context, call, {
        jobClass,
        raw,
        inSlot: async (slot) => {
          const keys = await upstream.openKeys(context, call)
          await this.#change(order, { to: 'sent', key: findable(key), keysId: keys?.id ?? null })
          const judged = await upstream.signAndSend(context, call, keys, slot, { raw })
          if (isTurnedAway(judged)) await this.#change(order, { to: 'queued' })
          return judged
        },
      })
      return understand(judged, order, key, steps)
    } catch (cause) {
      if (!mayHaveBeenSent(cause)) throw cause
      return { kind: 'unknown', why: messageOf(cause), cause }
    }
  }

  /** Asks the exchange a few times while the caller waits. @throws OutcomeUnknownError when that did not help */
  async #lookUp<Result>(
    order: OrderProgress,
    { why, cause }: Extract<Outcome<Result>, { kind: 'unknown' }>,
    steps: OrderSteps<Result>,
  ): Promise<Extract<Outcome<Result>, { kind: 'done' }>> {
    const { reconciler, upstreams } = this.#deps
    const { id, exchange } = order.request
    await this.#change(order, { to: 'unknown' })
    const key = keyIn(order.state)
    // What cannot be looked up need not be waited for.
    const found = key === undefined ? undefined : await reconciler.findOut(id)
    if (found === undefined)
      throw new OutcomeUnknownError(upstreams[exchange].name, why, key, cause)
    const result = steps.fromFound(found.key, found.ends, found.exchangeNowMs)
    return { kind: 'done', result, wasFound: true }
  }

  async #settleDone<Result>(
    order: OrderProgress,
    context: RequestContext,
    { result, wasFound }: Extract<Outcome<Result>, { kind: 'done' }>,
    steps: OrderSteps<Result>,
  ): Promise<StoredResponse> {
    const finished = steps.finish === undefined ? result : await steps.finish(context, result)
    const response = steps.respond(finished)
    const end = { state: wasFound ? 'resolved' : 'answered', releasesKey: false } as const
    await this.#change(order, { to: 'settled', end, response })
    return response
  }

  /** @throws the rejection as an error, where the exchange's own response does not pass through */
  async #settleRejected<Result>(
    order: OrderProgress,
    { rejection, response }: Extract<Outcome<Result>, { kind: 'rejected' }>,
    steps: OrderSteps<Result>,
  ): Promise<StoredResponse> {
    const { upstreams, toErrorResponse } = this.#deps
    const { id, exchange } = order.request
    const end = endingOf(rejection)
    if (steps.raw) {
      const passed = steps.respond(steps.read(undefined, response))
      await this.#change(order, { to: 'settled', end, response: passed })
      return passed
    }
    const error = rejectionError(upstreams[exchange].name, rejection)
    if (isMomentary(rejection)) notSent(error)
    await this.#change(order, { to: 'settled', end, response: toErrorResponse(error, id) })
    throw error
  }

  /** Returns what the caller gets for an error, after the journal has it. */
  async #settleError(
    order: OrderProgress,
    context: RequestContext,
    error: unknown,
  ): Promise<unknown> {
    if (order.state.name === 'settled') return error
    const { events, reconciler, toErrorResponse, upstreams } = this.#deps
    const { id, exchange } = order.request
    const callerError = toCallerError(error, order, upstreams[exchange].name, context.signal)
    if (callerError instanceof OutcomeUnknownError) {
      await this.#change(order, { to: 'unknown' })
      events.emit('orderUnknown', { order: order.request, isRecovered: false })
      reconciler.watch(id)
    } else {
      const end = { state: 'dropped', releasesKey: true } as const
      const response = toErrorResponse(callerError, id)
      await this.#change(order, { to: 'settled', end, response })
    }
    return callerError
  }

  #change(order: OrderProgress, change: OrderChange): Promise<void> {
    return changeState(this.#stateDeps, order, change)
  }

  /** Calls off an order that was not sent. False when it was sent, or has ended. */
  async withdraw(id: string): Promise<boolean> {
    const running = this.#running.byId(id)
    if (running?.order.state.name !== 'queued') return false
    running.abandon.abort(new RequestWithdrawnError())
    const end = await running.response.catch((error: unknown) => error)
    return end instanceof RequestWithdrawnError
  }

  /** Resolves when every order that runs has ended and is written down, as far as the disk allows. */
  async idle(): Promise<void> {
    await this.#running.idle()
    await this.#settlements.close()
  }
}

/** What can be looked up; undefined also when one of several orders cannot. */
function findable(key: OrderKey | undefined): OrderKey | undefined {
  return key !== undefined && canBeLookedUp(key) ? key : undefined
}

function joinFirst(
  running: RunningOrder,
  request: OrderRequest,
  hangUp: AbortSignal | undefined,
): Placed {
  const first = running.order.request
  checkSamePayload(first, request)
  return { id: first.id, isReplay: true, response: join(running, hangUp) }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'no response came'
}
