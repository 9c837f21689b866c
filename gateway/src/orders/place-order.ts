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
    if (holder !== undefined) return joinFirst(holder, request, hangUp)
    const first = await this.#admit(request)
    if (first === undefined) {
      const order = startProgress(request)
      const started = this.#running.start(order, (signal) =>
        this.#carryOut(order, { ...context, signal }, steps),
      )
      return { id: request.id, isReplay: false, response: join(started, hangUp) }
    }
    // The first order may have started after the running orders were checked and before the journal
    // was read.
    const started = this.#running.byId(first.id)
    if (started !== undefined) return joinFirst(started, request, hangUp)
    checkSamePayload(first, request)
    const response = replayOf(first, this.#deps.toErrorResponse)
    return { id: first.id, isReplay: true, response: Promise.resolve(response) }
  }

  /**
   * Inserts the order into the journal.
   * @returns the order that already has its idempotency key, if there is one
   */
  async #admit(request: OrderRequest): Promise<JournalRow | undefined> {
    const first = await this.#enter(request)
    if (first === undefined || this.#settlements.pending(first.id) === undefined) return first
    // The first order has ended, but the journal could not be written yet.
    const pending = await this.#settlements.retry(first.id)
    return pending === undefined ? this.#enter(request) : { ...first, ...pending }
  }

  async #enter(request: OrderRequest): Promise<JournalRow | undefined> {
    const { journal, requireLog, nowMs } = this.#deps
    const { jobClass: _, ...row } = request
    const { clientRef, idempotencyKey } = request
    // The first order's response is returned even while nothing can be written.
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
