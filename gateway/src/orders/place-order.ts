import { notSent } from '../lane/errors.ts'
import type { Limits } from '../limits/limits.ts'
import type { JournalRow, JournalStore, Settlement } from '../store/journal-store.ts'
import { type LifeEvent, OrderLife } from '../store/life-event.ts'
import type { Time } from '../time.ts'
import { Turns } from '../upstream/in-turn.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import type { StoredResponse } from '../upstream/responses.ts'
import { RequestWithdrawnError } from './errors.ts'
import type { OrderRequest, OrderSteps } from './order-request.ts'
import { type OrderProgress, startProgress } from './order-state.ts'
import type { PendingOutcomes } from './pending-outcomes.ts'
import type { HandedOverOrders } from './recover.ts'
import {
  type ClientOrderIds,
  checkSamePayload,
  join,
  nameOfKey,
  nameOfRequest,
  type RunningOrder,
  RunningOrders,
  replayOf,
} from './retries.ts'
import { RetryingWriter } from './retrying-writer.ts'
import { OrderRunner, type RunOrderDeps } from './run-order.ts'

export interface PlaceOrderDeps extends Omit<RunOrderDeps, 'forget' | 'settlements'> {
  readonly limits: RunOrderDeps['limits'] & Pick<Limits, 'forget'>
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
  readonly clientOrderIds: Pick<ClientOrderIds, 'firstOf' | 'sending' | 'callersGone' | 'forget'>
  readonly pendingOutcomes: Pick<PendingOutcomes, 'errorFor' | 'unknown' | 'callersGone' | 'forget'>
  readonly time: Pick<Time, 'setTimeout'>
}

interface Placed {
  /**
   * The request that carries the order out: this one, or the first with the same key.
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
 * response, and so does one without a key whose order has the first one's client order id.
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
    const { limits, pendingOutcomes, clientOrderIds } = deps
    const forget = (id: string) => {
      for (const each of [limits, pendingOutcomes, clientOrderIds]) each.forget(id)
    }
    this.#runner = new OrderRunner({ ...deps, forget, settlements })
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
    const names = namesOfRetry(request, steps)
    const holder = await this.#running.holderOfKey(names)
    if (holder !== undefined) return this.#join(holder, request, true, hangUp)
    const first = await this.#findFirst(request, steps)
    // The first order may have started while the journal was read.
    const running = this.#running.byKey(names) ?? this.#running.byId(first?.id)
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
    // That request may have come in between.
    const running = this.#running.byId(first.id)
    const { id } = first
    if (running !== undefined) return this.#join(running, request, request.id !== id, hangUp)
    const same = { ...context, requestId: id }
    const placed = await this.#start({ ...request, id }, same, steps, hangUp)
    return { ...placed, isReplay: placed.isReplay || request.id !== id }
  }

  /**
   * The order that already has the idempotency key, or where there is none the client order id. Its
   * response is returned even while nothing can be written; a new order needs the request log.
   */
  async #findFirst(request: OrderRequest, ids: Ids): Promise<JournalRow | undefined> {
    const first = await this.#findByKey(request, ids)
    if (first === undefined) await this.#requireStore(request).catch(throwNotSent)
    if (first === undefined || this.#settlements.pending(first.id) === undefined) return first
    // The first order has ended, but the journal could not be written yet.
    const pending = await this.#settlements.retry(first.id)
    return pending === undefined ? this.#findFirst(request, ids) : { ...first, ...pending }
  }

  /**
   * The reads of a client's requests may end in any order: each request continues after the earlier
   * ones of its class, and so they are queued in the order in which they came.
   */
  async #findByKey(
    request: OrderRequest,
    { hasOwnId = false }: Ids,
  ): Promise<JournalRow | undefined> {
    const { clientRef, idempotencyKey, jobClass } = request
    const { journal, clientOrderIds } = this.#deps
    const read =
      idempotencyKey === null
        ? clientOrderIds.firstOf(request, hasOwnId)
        : journal.findByKey(clientRef, idempotencyKey)
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
    order.asked = steps.asked
    const { hasOwnId = false } = steps
    this.#deps.clientOrderIds.sending(request, hasOwnId)
    const names = namesOf(request, steps)
    const started = this.#running.start(order, names, (signal) =>
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
    const response = join(running, hangUp, ({ order }) => this.#callersGone(order))
    return { id: order.request.id, isReplay, response, ended }
  }

  #callersGone(order: OrderProgress): void {
    this.#deps.pendingOutcomes.callersGone(order)
    this.#deps.clientOrderIds.callersGone(order.request.id)
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

type Ids = Pick<OrderSteps<unknown>, 'hasOwnId'>

/** The keys under which retries of a request come. */
function namesOf(request: OrderRequest, { hasOwnId = false }: Ids): string[] {
  const key = nameOfKey(request)
  const ids = hasOwnId ? [nameOfRequest(request)] : []
  return key === undefined ? ids : [key, ...ids]
}

/** The keys under which its first attempt is found: an idempotency key alone, where it has one. */
function namesOfRetry(request: OrderRequest, ids: Ids): string[] {
  const [first, ...more] = namesOf(request, ids)
  if (first === undefined) return []
  return request.idempotencyKey === null ? [first, ...more] : [first]
}

function isSent({ state }: OrderProgress): boolean {
  return state.name === 'sent' || state.name === 'unknown'
}

function throwNotSent(cause: unknown): never {
  throw cause instanceof Error ? notSent(cause) : cause
}
