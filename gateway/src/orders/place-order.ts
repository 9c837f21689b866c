import { notSent } from '../lane/errors.ts'
import type { JournalRow, JournalStore, Settlement } from '../store/journal-store.ts'
import type { LifeEvent } from '../store/life-event.ts'
import type { Time } from '../time.ts'
import { Turns } from '../upstream/in-turn.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import type { StoredResponse } from '../upstream/stored-response.ts'
import { RequestWithdrawnError } from './errors.ts'
import type { HandedOverOrders } from './handed-over.ts'
import { checkSamePayload, replayOf } from './idempotency-key.ts'
import { OrderLife } from './order-life.ts'
import type { OrderRequest, OrderSteps } from './order-request.ts'
import { type OrderProgress, type OrderStateDeps, startProgress } from './order-state.ts'
import { RetryingWriter } from './retrying-writer.ts'
import { OrderRunner, type RunOrderDeps } from './run-order.ts'
import { join, type RunningOrder, RunningOrders } from './running-orders.ts'

export interface PlaceOrderDeps extends RunOrderDeps, Pick<OrderStateDeps, 'workingOrders'> {
  readonly journal: JournalStore
  /**
   * Ensures that the request log can be written: otherwise no new order is sent.
   * @throws StoreUnwritableError
   */
  readonly requireLog: () => Promise<void>
  /**
   * Ensures that the disk has room for new orders. Cancels are still sent: they end orders.
   * @throws DiskFullError
   */
  readonly requireRoom: () => void
  readonly handedOver: Pick<HandedOverOrders, 'end'>
  readonly nowMs: () => number
  readonly time: Pick<Time, 'setTimeout'>
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
 * The first half of an order's path: admits it, enters it into the journal, and starts it. The
 * second half is in `run-order.ts`. A request with the same idempotency key gets the first one's
 * response.
 */
export class PlaceOrder {
  readonly #deps: PlaceOrderDeps
  readonly #settlements: RetryingWriter<Settlement>
  readonly #running = new RunningOrders()
  readonly #turns = new Turns()
  readonly #runner: OrderRunner

  constructor(deps: PlaceOrderDeps) {
    this.#deps = deps
    const settlements = new RetryingWriter<Settlement>({
      write: (id, value) => deps.journal.settle(id, value),
      time: deps.time,
    })
    this.#settlements = settlements
    this.#runner = new OrderRunner(deps, { ...deps, settlements })
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
    if (first === undefined) return this.#start(request, context, steps, hangUp)
    const isHandedOver = first.state === 'queued' && first.handedOverAtMs !== null
    return isHandedOver
      ? this.#take(first, request, context, steps, hangUp)
      : this.#replay(first, request)
  }

  /**
   * Carries out an order that the last owner handed over, under its id. The request with which it
   * came may be on its way here, and joins it.
   */
  async #take<Result>(
    first: JournalRow,
    request: OrderRequest,
    context: RequestContext,
    steps: OrderSteps<Result>,
    hangUp: AbortSignal | undefined,
  ): Promise<Placed> {
    checkSamePayload(first, request)
    await this.#requireStore(request).catch(throwNotSent)
    // That request may have come meanwhile.
    const running = this.#running.byId(first.id)
    const { id } = first
    if (running !== undefined) return this.#join(running, request, request.id !== id, hangUp)
    const same = { ...context, requestId: id }
    const placed = await this.#start({ ...request, id }, same, steps, hangUp)
    return { ...placed, isReplay: placed.isReplay || request.id !== id }
  }

  /**
   * The order that already has the idempotency key. Its response is returned even while nothing can
   * be written; a new order needs the request log.
   */
  async #findFirst(request: OrderRequest): Promise<JournalRow | undefined> {
    const first = await this.#findByKey(request)
    if (first === undefined) await this.#requireStore(request).catch(throwNotSent)
    if (first === undefined || this.#settlements.pending(first.id) === undefined) return first
    // The first order has ended, but the journal could not be written yet.
    const pending = await this.#settlements.retry(first.id)
    return pending === undefined ? this.#findFirst(request) : { ...first, ...pending }
  }

  /**
   * The reads of a client's requests may end in any order: each request continues after the earlier
   * ones of its class, and so they are queued in the order in which they came.
   */
  async #findByKey(request: OrderRequest): Promise<JournalRow | undefined> {
    const { clientRef, idempotencyKey, jobClass } = request
    const read =
      idempotencyKey === null
        ? Promise.resolve(undefined)
        : this.#deps.journal.findByKey(clientRef, idempotencyKey)
    const endTurn = await this.#turns.take(`${clientRef} ${jobClass}`, (before) =>
      Promise.all([before, read]),
    )
    endTurn()
    return read
  }

  async #requireStore({ jobClass }: OrderRequest): Promise<void> {
    if (jobClass === 'order') this.#deps.requireRoom()
    await this.#deps.requireLog()
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
    const fence = this.#deps.fence()
    const { jobClass: _, stopReason, ...row } = request
    const createdAtMs = nowMs()
    const onTaken = (sentAtMs: number) => {
      order.timesSent += 1
      order.firstSentAtMs = Math.min(order.firstSentAtMs ?? sentAtMs, sentAtMs)
    }
    const entry = { ...row, createdAtMs, fence }
    const admitted = journal.admit(entry, onTaken).catch(throwNotSent)
    const life = new OrderLife(createdAtMs, nowMs)
    if (stopReason !== undefined) life.note({ type: 'stop', reason: stopReason })
    const order = startProgress(request, admitted, life, entry)
    const started = this.#running.start(order, (signal) =>
      this.#runner.run(order, { ...context, signal }, steps),
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

  /** What happened to a running order and is in no commit yet; undefined when it does not run. */
  unwrittenEventsOf(id: string): readonly LifeEvent[] | undefined {
    return this.#running.byId(id)?.order.life.unwritten
  }

  /**
   * Cancels an order that is still queued.
   * @returns false when it was already sent or has ended
   */
  async withdraw(id: string): Promise<boolean> {
    const running = this.#running.byId(id)
    if (running === undefined) return this.#deps.handedOver.end(id, new RequestWithdrawnError())
    if (isSent(running.order)) return false
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

function isSent({ state }: OrderProgress): boolean {
  return state.name === 'sent' || state.name === 'unknown'
}

function throwNotSent(cause: unknown): never {
  throw cause instanceof Error ? notSent(cause) : cause
}
