import type { ExchangeCode } from 'schema'
import type { OrderCall, OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { canBeLookedUp } from '../exchanges/order-lookups.ts'
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
  /**
   * Ensures that the request log can be written: otherwise no new order is sent.
   * @throws StoreUnwritableError
   */
  readonly requireLog: () => Promise<void>
  /** An error as the caller sees it. */
  readonly toErrorResponse: (error: unknown, requestId: string) => StoredResponse
  readonly events: Pick<Events, 'emit'>
  readonly nowMs: () => number
  /** The exchange's time, whole Unix ms. */
  readonly exchangeNowMs: (exchange: ExchangeCode) => number
}

export interface Placed {
  /**
   * The request that carries the order out: this one, or the first with the same idempotency key.
   */
  readonly id: string
  /** Whether the response belongs to an earlier request with the same key. */
  readonly isReplay: boolean
  /** Rejects with CallerGoneError, or with the order's own error. */
  readonly response: Promise<StoredResponse>
  /** Resolves when the journal has the end; the response must not be sent before. Never rejects. */
  readonly ended: Promise<void>
}

/**
 * The path of an order, from top to bottom: admit, journal, build, wait for the slot, sign, send,
 * understand, look up, settle, respond. The journal has the order before it is sent, and its
 * response before the caller gets it. A request with the same idempotency key gets the first one's
 * response.
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
   * Resolves when the journal has the order, either newly or from an earlier request.
   * @param hangUp absent: the caller does not wait, so that nothing cancels the order
   * @throws IdempotencyKeyReusedError, StoreUnwritableError: nothing was sent
   */
  async place<Result>(
    request: OrderRequest,
    context: RequestContext,
    steps: OrderSteps<Result>,
    hangUp?: AbortSignal,
  ): Promise<Placed> {
    const holder = await this.#running.holderOfKey(request)
    if (holder !== undefined) return this.#join(holder, request, true, hangUp)
    const first = await this.#findFirst(request)
    // The first order may have started while the journal was read.
    const running = this.#running.byKey(request) ?? this.#running.byId(first?.id)
    if (running !== undefined) return this.#join(running, request, true, hangUp)
    return first === undefined
      ? this.#start(request, context, steps, hangUp)
      : this.#replay(first, request)
  }

  /**
   * The order that already has the idempotency key. Its response is returned even while nothing can
   * be written; a new order needs the request log.
   */
  async #findFirst(request: OrderRequest): Promise<JournalRow | undefined> {
    const { journal, requireLog } = this.#deps
    const { clientRef, idempotencyKey } = request
    const first =
      idempotencyKey === null ? undefined : await journal.findByKey(clientRef, idempotencyKey)
    if (first === undefined) await requireLog().catch(throwNotSent)
    if (first === undefined || this.#settlements.pending(first.id) === undefined) return first
    // The first order has ended, but the journal could not be written yet.
    const pending = await this.#settlements.retry(first.id)
    return pending === undefined ? this.#findFirst(request) : { ...first, ...pending }
  }

  /**
   * Inserts the order into the journal and starts it at once: when no slot has to be waited for,
   * its insertion and its change to `sent` share a commit. What is not in the journal cannot become
   * `sent`.
   */
  async #start<Result>(
    request: OrderRequest,
    context: RequestContext,
    steps: OrderSteps<Result>,
    hangUp: AbortSignal | undefined,
  ): Promise<Placed> {
    const { journal, nowMs } = this.#deps
    const { jobClass: _, ...row } = request
    const admitted = journal.admit({ ...row, createdAtMs: nowMs() }).catch(throwNotSent)
    const order = startProgress(request, admitted)
    const started = this.#running.start(order, (signal) =>
      this.#carryOut(order, { ...context, signal }, steps),
    )
    admitted.then(
      (first) => first !== undefined && started.abandon.abort(new RequestWithdrawnError()),
      (error) => started.abandon.abort(error),
    )
    return this.#join(started, request, false, hangUp)
  }

  /** Waits until the journal has a running order, and joins its callers. */
  async #join(
    running: RunningOrder,
    request: OrderRequest,
    isReplay: boolean,
    hangUp: AbortSignal | undefined,
  ): Promise<Placed> {
    const { order, ended } = running
    checkSamePayload(order.request, request)
    const first = await order.admitted
    if (first !== undefined) return this.#replay(first, request)
    return { id: order.request.id, isReplay, response: join(running, hangUp), ended }
  }

  #replay(first: JournalRow, request: OrderRequest): Placed {
    checkSamePayload(first, request)
    const response = Promise.resolve(replayOf(first, this.#deps.toErrorResponse))
    return { id: first.id, isReplay: true, response, ended: Promise.resolve() }
  }

  /** @throws the caller's error, after the journal has it */
  async #carryOut<Result>(
    order: OrderProgress,
    context: RequestContext,
    steps: OrderSteps<Result>,
  ): Promise<StoredResponse> {
    try {
      const orderCall = await steps.build(context)
      const endTurn = await this.#waitForTurn(context, order.request.exchange, steps.turn)
      try {
        const sent = await this.#sendInKind(order, context, orderCall, steps)
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

  /**
   * Prepares and sends the order, and once more in the other form when the exchange rejected it
   * because the account is of the other kind: then it did nothing. It is prepared again too: what
   * becomes of a leverage when an account changes its kind is not documented.
   */
  async #sendInKind<Result>(
    order: OrderProgress,
    context: RequestContext,
    orderCall: OrderCall,
    steps: OrderSteps<Result>,
  ): Promise<Outcome<Result>> {
    await steps.prepare?.(context)
    const sent = await this.#send(order, context, orderCall, steps)
    if (steps.isByAccountKind !== true || !isOfOtherKind(sent)) return sent
    const inOtherForm = await steps.build(context)
    await steps.prepare?.(context)
    return this.#send(order, context, inOtherForm, steps)
  }

  /**
   * Waits for the slot. In the slot, the keys are opened, the journal is set to `sent`, and the
   * call is signed and sent, once.
   */
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

  /**
   * Looks the order up a few times while the caller waits.
   * @throws OutcomeUnknownError when the outcome is still unknown
   */
  async #lookUp<Result>(
    order: OrderProgress,
    { why, cause }: Extract<Outcome<Result>, { kind: 'unknown' }>,
    steps: OrderSteps<Result>,
  ): Promise<Extract<Outcome<Result>, { kind: 'done' }>> {
    const { reconciler, upstreams } = this.#deps
    const { id, exchange } = order.request
    await this.#change(order, { to: 'unknown' })
    const key = keyIn(order.state)
    // Without a key there is nothing to look up and nothing to wait for.
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

  /** @throws the rejection as an error, unless the exchange's own response is passed on */
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

  /** Returns the caller's response for an error, after the journal has it. */
  async #settleError(
    order: OrderProgress,
    context: RequestContext,
    error: unknown,
  ): Promise<unknown> {
    if (order.state.name === 'settled') return error
    const isAdmitted = await order.admitted.then(
      (first) => first === undefined,
      () => false,
    )
    // The journal has no row, so nothing was sent, and there is no state to write.
    if (!isAdmitted) return error
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

  /**
   * Cancels an order that is still queued.
   * @returns false when it was already sent or has ended
   */
  async withdraw(id: string): Promise<boolean> {
    const running = this.#running.byId(id)
    if (running === undefined || isSent(running.order)) return false
    // One that has ended and is being written down is waited for: it may be an earlier withdrawal
    // that ended it.
    running.abandon.abort(new RequestWithdrawnError())
    const end = await running.response.catch((error: unknown) => error)
    await running.ended
    return end instanceof RequestWithdrawnError
  }

  /**
   * Resolves when every running order has ended and the journal has its state, as far as the disk
   * allows.
   */
  async idle(): Promise<void> {
    await this.#running.idle()
    await this.#settlements.close()
  }
}

/**
 * The key if everything in it can be looked up; undefined also when only one of several orders
 * cannot.
 */
function findable(key: OrderKey | undefined): OrderKey | undefined {
  return key !== undefined && canBeLookedUp(key) ? key : undefined
}

function isOfOtherKind<Result>(outcome: Outcome<Result>): boolean {
  return outcome.kind === 'rejected' && outcome.rejection.class === 'account-kind'
}

function isSent({ state }: OrderProgress): boolean {
  return state.name === 'sent' || state.name === 'unknown'
}

function throwNotSent(cause: unknown): never {
  throw cause instanceof Error ? notSent(cause) : cause
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'no response came'
}
