import { isNotSent, notSent } from '../lane/errors.ts'
import { isCommitUnknown, NotOwnerError } from '../store/errors.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import {
  asHandedOver,
  CancelIncompleteError,
  OrderNotPreparedError,
  OutcomeUnknownError,
  OwnerLostError,
  RequestWithdrawnError,
} from './errors.ts'
import { changeState, keyIn, type OrderProgress } from './order-state.ts'
import type { RunOrderDeps } from './run-order.ts'

/** What becomes of an order whose path ended with an error. */
export class FailedOrders {
  readonly #deps: RunOrderDeps

  constructor(deps: RunOrderDeps) {
    this.#deps = deps
  }

  /** Returns the caller's response for an error, after the journal has it. */
  async settle(order: OrderProgress, context: RequestContext, error: unknown): Promise<unknown> {
    if (order.state.name === 'settled') return error
    const refusal = await order.admitted.then(
      (first) => first && error,
      (cause: unknown) => cause,
    )
    if (refusal !== undefined) {
      this.#deps.forget(order.request.id)
      // Otherwise the journal has no row, so nothing was sent, and there is no state to write.
      return isCommitUnknown(refusal) ? this.#drop(order, refusal, true) : error
    }
    const { events, reconciler, unknownCancels, upstreams } = this.#deps
    const { id, exchange } = order.request
    const callerError = toCallerError(error, order, upstreams[exchange].name, context.signal)
    if (callerError instanceof OutcomeUnknownError) {
      if (callerError !== error) order.life.note({ type: 'unknown', why: callerError.message })
      const unknown = unknownCancels.add(order.request, order.named)
      await changeState(this.#deps, order, { to: 'unknown' })
      const isLookedUp = keyIn(order.state) !== undefined
      events.emit('orderUnknown', { ...unknown, isRecovered: false, isLookedUp })
      reconciler.watch(id, order.life)
      await reconciler.replace(unknown.repeats, id)
    } else if (callerError instanceof NotOwnerError) {
      return this.#handOver(order, callerError)
    } else await this.#drop(order, callerError)
    return callerError
  }

  /** Ends an order that was not sent. @returns what the caller gets */
  async #drop(order: OrderProgress, error: unknown, isEntryInDoubt = false): Promise<unknown> {
    // Some of the orders may be cancelled by then, and the same key cancels the others.
    const state = error instanceof CancelIncompleteError ? 'answered' : 'dropped'
    const end = { state, releasesKey: true } as const
    const response = this.#deps.toErrorResponse(error, order.request)
    await changeState(this.#deps, order, { to: 'settled', end, response, isEntryInDoubt })
    return error
  }

  /**
   * Ends an order that this node may no longer send.
   * @returns an error with which the request is passed to the next owner, and otherwise what the
   * caller gets
   */
  async #handOver(order: OrderProgress, error: Error): Promise<unknown> {
    const { id } = order.request
    try {
      await changeState(this.#deps, order, { to: 'handed-over' })
      this.#deps.forget(id)
      return asHandedOver(error, id)
    } catch (cause) {
      return this.#drop(order, new OwnerLostError({ cause }))
    }
  }
}

/** Maps an error to what the caller sees. It always states whether the order may exist. */
export function toCallerError(
  error: unknown,
  { state }: OrderProgress,
  exchangeName: string,
  signal: AbortSignal | undefined,
): unknown {
  if (error instanceof OutcomeUnknownError || error instanceof CancelIncompleteError) return error
  if (state.name === 'queued' || state.name === 'unsent') {
    if (signal?.reason instanceof RequestWithdrawnError) return signal.reason
    if (!(error instanceof Error) || isNotSent(error)) return error
    // A step before the order may have an unknown outcome; the order itself was not sent.
    return 'sent' in error
      ? new OrderNotPreparedError(error.message, { cause: error })
      : notSent(error)
  }
  const why = error instanceof Error && 'statusCode' in error ? error.message : NOT_UNDERSTOOD
  return new OutcomeUnknownError(exchangeName, why, keyIn(state), error)
}

const NOT_UNDERSTOOD = 'its response could not be understood'
