import type { ExchangeCode } from 'schema'
import type { UpstreamCall, UpstreamResponse } from '../exchanges/exchange.ts'
import { type OrderCall, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import { findable } from '../exchanges/order-lookups.ts'
import { closingKeyOf } from '../exchanges/order-results.ts'
import { rejectionError } from '../exchanges/protocol/rejection.ts'
import { isNotSent, notSent } from '../lane/errors.ts'
import type { Slot } from '../lane/job.ts'
import type { Limits } from '../limits/limits.ts'
import type { OrderLife } from '../store/life-event.ts'
import { AccountSharedError } from '../upstream/errors.ts'
import { Turns } from '../upstream/in-turn.ts'
import type { PositionModes } from '../upstream/position-modes.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import type { StoredResponse } from '../upstream/responses.ts'
import { isTurnedAway, type JudgedResponse } from '../upstream/sign-and-send.ts'
import { mayHaveBeenSent, type Upstream } from '../upstream/upstream.ts'
import { OrderBuilder } from './build-order.ts'
import { OutcomeUnknownError } from './errors.ts'
import { FailedOrders } from './failed-orders.ts'
import type { LostOrders, LostOrdersFound } from './lost-orders.ts'
import type { OrderOwners } from './order-owners.ts'
import type { OrderRequest, OrderSteps, ToErrorResponse } from './order-request.ts'
import {
  changeState,
  keepKey,
  keyIn,
  type OrderChange,
  type OrderProgress,
  type OrderStateDeps,
} from './order-state.ts'
import type { PendingOutcomes } from './pending-outcomes.ts'
import type { Reconciler } from './reconcile.ts'
import {
  type Done,
  doneBy,
  endingOf,
  isMomentary,
  isOfOtherKind,
  messageOf,
  type Outcome,
  understand,
} from './understand.ts'
import type { UnknownCancels } from './unknown-cancels.ts'
import type { WholeCloses } from './whole-closes.ts'

/** What the second half of an order's path needs, in all its steps. */
export interface RunOrderDeps extends OrderStateDeps {
  readonly lostOrders: Pick<LostOrders, 'find'>
  readonly limits: Pick<Limits, 'admit' | 'inMode' | 'recheck' | 'sending'>
  readonly owners: Pick<OrderOwners, 'refusalOf'>
  readonly pendingOutcomes: Pick<PendingOutcomes, 'errorFor' | 'unknown'>
  readonly wholeCloses: Pick<WholeCloses, 'refusalOf'>
  readonly positionModes: Pick<PositionModes, 'positionOf'>
  readonly reconciler: Pick<Reconciler, 'findOut' | 'watch' | 'replace'>
  readonly unknownCancels: Pick<UnknownCancels, 'begin' | 'add'>
  readonly upstreams: OrderStateDeps['upstreams'] &
    Readonly<
      Record<
        ExchangeCode,
        Pick<Upstream, 'name' | 'send' | 'openKeys' | 'signAndSend' | 'waitForTurn'>
      >
    >
  /** The journal gets no end of this request from this process. */
  readonly forget: (id: string) => void
  /**
   * Carries out a cancel of everything where the exchange must not: other clients have the key.
   * @returns the exchange's response; undefined when the call is no such cancel
   * @throws CancelIncompleteError
   */
  readonly cancelInstead: (
    request: OrderRequest,
    call: UpstreamCall,
    signal: AbortSignal | undefined,
  ) => Promise<UpstreamResponse | undefined>
  /**
   * The number with which this node is the owner of the exchanges; undefined without a group.
   * @throws NotOwnerError when another node is the owner
   */
  readonly fence: () => number | undefined
  readonly toErrorResponse: ToErrorResponse
}

/**
 * The second half of an order's path, once it is admitted: build, wait for the slot, sign, send,
 * understand, look up, settle. The journal has the order before it is sent, and its response before
 * the caller gets it.
 */
export class OrderRunner {
  readonly #deps: RunOrderDeps
  readonly #turns = new Turns()
  readonly #builder: OrderBuilder
  readonly #failed: FailedOrders

  constructor(deps: RunOrderDeps) {
    this.#deps = deps
    this.#builder = new OrderBuilder(deps)
    this.#failed = new FailedOrders(deps)
  }

  /** @throws the caller's error, after the journal has it */
  async run<Result>(
    order: OrderProgress,
    context: RequestContext,
    steps: OrderSteps<Result>,
  ): Promise<StoredResponse> {
    try {
      const orderCall = await this.#builder.build(order, context, steps)
      if ('ends' in orderCall) {
        const placedBefore = await this.#adopt(order, orderCall, steps)
        return await this.#settleDone(order, context, placedBefore, steps)
      }
      const endTurn = await this.#waitForTurn(order, context, steps.turn)
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
      throw await this.#failed.settle(order, context, error)
    }
  }

  async #waitForTurn(
    order: OrderProgress,
    context: RequestContext,
    turn: string | undefined,
  ): Promise<() => void> {
    if (turn === undefined) return () => {}
    void keepKey(this.#deps, order, context)
    const { exchange } = order.request
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
    await this.#prepare(order, context, orderCall, steps)
    const sent = await this.#send(order, context, orderCall, steps)
    if (steps.isByAccountKind !== true || !isOfOtherKind(sent)) return sent
    const inOtherForm = await this.#builder.build(order, context, steps, { isAgain: true })
    if ('ends' in inOtherForm) return this.#adopt(order, inOtherForm, steps)
    await this.#prepare(order, context, inOtherForm, steps)
    return this.#send(order, context, inOtherForm, steps)
  }

  /** @throws LimitError */
  async #prepare<Result>(
    order: OrderProgress,
    context: RequestContext,
    orderCall: OrderCall,
    steps: OrderSteps<Result>,
  ): Promise<void> {
    if (steps.prepare === undefined) return
    void keepKey(this.#deps, order, context)
    await this.#builder.checkBeforePreparing(order, orderCall, steps)
    await steps.prepare(context)
  }

  /** Waits for the slot, sends the call there, and says what the response means. */
  async #send<Result>(
    order: OrderProgress,
    context: RequestContext,
    orderCall: OrderCall,
    steps: OrderSteps<Result>,
  ): Promise<Outcome<Result>> {
    const { exchange, jobClass } = order.request
    // Ids are read from the response to orders that the call names, and may be long numbers.
    const raw = steps.raw && orderCall.order === undefined
    const [named] = orderCall.order === undefined ? [] : ordersOf(orderCall.order)
    try {
      const judged = await this.#deps.upstreams[exchange].send(context, orderCall.call, {
        jobClass,
        raw,
        ...(named === undefined ? {} : { order: named }),
        lateCheckError: (now) => this.#builder.lateCheckError(order, orderCall, steps, now),
        onQueued: (place, waits) => {
          order.life.note({ type: 'queued', ...place })
          if (waits) void keepKey(this.#deps, order, context)
        },
        inSlot: (slot, now) => this.#inSlot(order, now, orderCall, { slot, raw }),
      })
      return understand(judged, order, orderCall, steps)
    } catch (cause) {
      if (cause instanceof AccountSharedError)
        return this.#cancelOwn(order, context, orderCall, steps, cause)
      if (!mayHaveBeenSent(cause)) throw cause
      return { kind: 'unknown', why: messageOf(cause), cause }
    }
  }

  /** @throws AccountSharedError when the call cannot be made for one client alone */
  async #cancelOwn<Result>(
    { request }: OrderProgress,
    { signal }: RequestContext,
    { call }: OrderCall,
    steps: OrderSteps<Result>,
    refusal: AccountSharedError,
  ): Promise<Outcome<Result>> {
    const response = await this.#deps.cancelInstead(request, call, signal)
    if (response === undefined) throw refusal
    return { kind: 'done', result: steps.read(undefined, response), results: [], wasFound: false }
  }

  /**
   * Opens the keys, sets the journal to `sent`, and signs and sends the call, once. When the keys
   * or the journal fail, nothing is sent. In a group the signature has the time before the journal
   * was written, so that what a stall delays is too old for the exchange (docs/decisions/0009).
   * When that took too long, nothing is signed: the lane gives it another slot, with a new time.
   */
  async #inSlot(
    order: OrderProgress,
    context: RequestContext,
    orderCall: OrderCall,
    { slot, raw }: { readonly slot: Slot; readonly raw: boolean },
  ): Promise<JudgedResponse> {
    const { call, order: named } = orderCall
    const upstream = this.#deps.upstreams[order.request.exchange]
    const { life } = order
    life.note({ type: 'slot', waitedMs: slot.queueWaitMs })
    const keys = await upstream.openKeys(context, call)
    const sentAtMs = this.#deps.exchangeNowMs(order.request.exchange)
    const fence = this.#deps.fence()
    const key = findable(named)
    const keysId = keys?.accountRef ?? null
    const closing = key === undefined ? closingKeyOf(orderCall) : undefined
    await this.#change(order, {
      ...{ to: 'sent', key, named, closing, keysId, sentAtMs, fence },
      valueMicros: this.#deps.limits.sending(order.request.id),
    })
    const sending = upstream.signAndSend(context, call, keys, withLifeEvents(slot, life), {
      raw,
      ...(fence === undefined ? {} : { exchangeTimeMs: sentAtMs }),
      onSigned: (time) => life.note({ type: 'signed', time }),
    })
    const judged = await sending.catch(async (error: unknown) => {
      if (isNotSent(error)) await this.#change(order, { to: 'unsent' })
      throw error
    })
    const { status, upstreamMs } = judged.response
    life.note({ type: 'answered', status, tookMs: Math.round(upstreamMs) })
    if (!isTurnedAway(judged)) return judged
    life.note({ type: 'turned-away' })
    await this.#change(order, { to: 'queued' })
    return judged
  }

  /**
   * Looks the order up a few times while the caller waits.
   * @throws OutcomeUnknownError when the outcome is still unknown
   */
  async #lookUp<Result>(
    order: OrderProgress,
    { why, cause }: Extract<Outcome<Result>, { kind: 'unknown' }>,
    steps: OrderSteps<Result>,
  ): Promise<Done<Result>> {
    const { reconciler, unknownCancels, upstreams } = this.#deps
    const { id, exchange } = order.request
    order.life.note({ type: 'unknown', why })
    unknownCancels.begin(order.request, order.named)
    await this.#change(order, { to: 'unknown' })
    const key = keyIn(order.state)
    // Without a key there is nothing to look up and nothing to wait for.
    const found = key === undefined ? undefined : await reconciler.findOut(id, order.life)
    if (found !== undefined) return doneBy(found, steps)
    throw new OutcomeUnknownError(upstreams[exchange].name, why, key, cause)
  }

  /**
   * Enters orders that were placed before a restore into the journal, as orders that were sent and
   * then looked up. A crash after the first of the two commits leaves an order to be looked up.
   */
  async #adopt<Result>(
    order: OrderProgress,
    found: LostOrdersFound,
    steps: OrderSteps<Result>,
  ): Promise<Done<Result>> {
    const { key, keysId, sinceMs } = found
    order.firstSentAtMs = sinceMs
    const sentAtMs = this.#deps.exchangeNowMs(order.request.exchange)
    const fence = this.#deps.fence()
    const sent = { key: findable(key), named: key, keysId, sentAtMs, fence, valueMicros: null }
    await this.#change(order, { to: 'sent', ...sent })
    return doneBy(found, steps)
  }

  async #settleDone<Result>(
    order: OrderProgress,
    context: RequestContext,
    { result, results, wasFound }: Done<Result>,
    steps: OrderSteps<Result>,
  ): Promise<StoredResponse> {
    const finished = steps.finish === undefined ? result : await steps.finish(context, result)
    const response = steps.respond(finished)
    const end = { state: wasFound ? 'resolved' : 'answered', releasesKey: false } as const
    await this.#change(order, { to: 'settled', end, response, results })
    return response
  }

  /** @throws the rejection as an error, unless the exchange's own response is passed on */
  async #settleRejected<Result>(
    order: OrderProgress,
    { rejection, response }: Extract<Outcome<Result>, { kind: 'rejected' }>,
    steps: OrderSteps<Result>,
  ): Promise<StoredResponse> {
    const { upstreams, toErrorResponse } = this.#deps
    const { exchange } = order.request
    const end = endingOf(rejection)
    if (steps.raw) {
      const passed = steps.respond(steps.read(undefined, response))
      await this.#change(order, { to: 'settled', end, response: passed })
      return passed
    }
    const error = rejectionError(upstreams[exchange].name, rejection)
    if (isMomentary(rejection)) notSent(error)
    await this.#change(order, {
      to: 'settled',
      end,
      response: toErrorResponse(error, order.request),
    })
    throw error
  }

  #change(order: OrderProgress, change: OrderChange): Promise<void> {
    return changeState(this.#deps, order, change)
  }
}

/** The slot; in the order's life it is noted when the bytes are on the socket. */
function withLifeEvents(slot: Slot, life: OrderLife): Slot {
  return {
    ...slot,
    onSent() {
      life.note({ type: 'sent' })
      slot.onSent()
    },
  }
}
