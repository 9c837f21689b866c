import type { ExchangeCode } from 'schema'
import type { OrderCall } from '../exchanges/order-lookup/order-key.ts'
import type { Terms } from '../limits/check-limits.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import type { LostOrdersFound } from './lost-orders.ts'
import type { OrderSteps } from './order-request.ts'
import type { OrderProgress } from './order-state.ts'
import type { RunOrderDeps } from './run-order.ts'

/** Builds the calls of orders, and says whether they may be sent: when built, and in their slot. */
export class OrderBuilder {
  readonly #deps: RunOrderDeps

  constructor(deps: RunOrderDeps) {
    this.#deps = deps
  }

  /**
   * Builds the call, which the client's limits must allow.
   * @param isAgain in the other form: the client's limits have counted its orders
   * @returns after a restore, the orders of the call instead, when they were placed before it
   * @throws the errors of `#refusal` and LostOrders.find, LimitError
   */
  async build<Result>(
    order: OrderProgress,
    context: RequestContext,
    steps: OrderSteps<Result>,
    { isAgain = false } = {},
  ): Promise<OrderCall | LostOrdersFound> {
    const { limits, lostOrders, positionModes } = this.#deps
    const built = await steps.build(context)
    const orderCall = await withPosition(positionModes, context, order.request.exchange, built)
    order.named = orderCall.order
    const { isRepeatable = false } = steps
    const refusal = await this.#refusal(order, orderCall, steps, context, true)
    if (refusal !== undefined) throw refusal
    const lost = await lostOrders.find(order, context, orderCall.order, isRepeatable)
    if (lost !== undefined) return lost
    const terms = { ...termsOf(steps, context), waiting: context, isAgain }
    const shadowed = await limits.admit(order.request, orderCall, terms)
    const note = shadowed === undefined ? undefined : `${shadowed} would have refused this`
    if (note !== undefined) context.timings.note = note
    order.life.note(note === undefined ? { type: 'checked' } : { type: 'checked', note })
    const inMode = limits.inMode(orderCall)
    order.named = inMode.order
    return inMode
  }

  /** Why a call must not be sent, asked when its slot comes; undefined when it may. */
  async lateCheckError<Result>(
    order: OrderProgress,
    orderCall: OrderCall,
    steps: OrderSteps<Result>,
    context: RequestContext,
  ): Promise<Error | undefined> {
    return (
      (await this.#refusal(order, orderCall, steps, context)) ??
      this.#deps.limits.recheck(order.request, orderCall, termsOf(steps, context))
    )
  }

  /** @throws LimitError: what is prepared, such as a leverage, is under the same limits */
  async checkBeforePreparing<Result>(
    { request }: OrderProgress,
    orderCall: OrderCall,
    { leverage }: OrderSteps<Result>,
  ): Promise<void> {
    const refused = await this.#deps.limits.recheck(request, orderCall, { leverage })
    if (refused !== undefined) throw refused
  }

  /**
   * Why a call may not be sent, whatever the limits: orders and positions of others, a repetition.
   * @param isWaiting false: its slot has come, and the exchange is not asked
   */
  async #refusal<Result>(
    order: OrderProgress,
    orderCall: OrderCall,
    steps: OrderSteps<Result>,
    context: RequestContext,
    isWaiting = false,
  ): Promise<Error | undefined> {
    const { owners, pendingOutcomes, wholeCloses } = this.#deps
    const waiting = isWaiting ? context : undefined
    return (
      (await owners.refusalOf(order.request, orderCall, context.readSinceMs)) ??
      (await wholeCloses.refusalOf(order.request, orderCall, waiting)) ??
      pendingOutcomes.errorFor(order, steps, context)
    )
  }
}

function termsOf<Result>({ leverage }: OrderSteps<Result>, { readSinceMs }: RequestContext): Terms {
  return { leverage, readSinceMs }
}

/**
 * A call with symbol and side of the position that its order names by the id alone, where the
 * exchange says them.
 * @throws NotOwnerError when another node would have to ask
 */
async function withPosition(
  positionModes: RunOrderDeps['positionModes'],
  context: RequestContext,
  exchange: ExchangeCode,
  orderCall: OrderCall,
): Promise<OrderCall> {
  const { order } = orderCall
  const { closes, symbol } = order ?? {}
  const positionId = closes?.positionId
  if (order === undefined || positionId === undefined || symbol !== undefined) return orderCall
  const position = await positionModes.positionOf(context, exchange, positionId)
  if (closes === undefined || position === undefined) return orderCall
  const { side } = position
  const named = { ...closes, inOneWay: side, inHedge: side }
  return { ...orderCall, order: { ...order, symbol: position.symbol, closes: named } }
}
