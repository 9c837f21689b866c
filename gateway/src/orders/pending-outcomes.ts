import { EXCHANGE_NAMES } from 'schema'
import { isOwnId, type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import { upperAscii } from '../exchanges/protocol/untrusted.ts'
import type { ClientStore } from '../store/client-store.ts'
import { limitsOf } from '../store/client-store.ts'
import type { Events } from '../upstream/events.ts'
import type { RequestContext } from '../upstream/request-context.ts'
import { OutcomePendingError } from './errors.ts'
import type { OrderRequest, OrderSteps } from './order-request.ts'
import type { OrderProgress } from './order-state.ts'
import { clientOrderIdOf } from './retries.ts'

/**
 * For how long the same order is refused. Of some orders the outcome never becomes known: they
 * cannot be looked up. One that the account of other keys does not show is refused too: it may be
 * open in the account that it was sent to, and the keys of that account may be saved again.
 */
const PENDING_FOR_MS = 24 * 3_600_000

type Request = Pick<OrderRequest, 'id' | 'clientRef' | 'exchange' | 'fingerprint'>

interface Pending {
  readonly request: Request
  /** What it is about; undefined while it is not read, or where it names no orders. */
  readonly order: () => OrderKey | undefined
  readonly isUnknown: boolean
  readonly isFindable: boolean
  readonly untilMs: number
}

interface PendingOutcomesDeps {
  readonly clients: Pick<ClientStore, 'find'>
  readonly events: Pick<Events, 'on'>
  readonly nowMs: () => number
}

/**
 * The orders whose outcome is unknown, and those that still run although their callers have gone:
 * a bot may send them again by accident. In memory; a start reads the unknown ones of the journal.
 */
export class PendingOutcomes {
  readonly #deps: PendingOutcomesDeps
  readonly #pending = new Map<string, Pending>()

  constructor(deps: PendingOutcomesDeps) {
    this.#deps = deps
    deps.events.on('orderSettled', ({ order }) => this.forget(order.id))
    deps.events.on('orderResolved', ({ order }) => this.forget(order.id))
  }

  /**
   * The outcome of an order is unknown.
   * @param isFindable its outcome can be looked up
   */
  unknown(request: Request, order: OrderKey | undefined, isFindable: boolean, sinceMs: number) {
    const untilMs = sinceMs + PENDING_FOR_MS
    if (untilMs <= this.#deps.nowMs()) return
    const pending = { request, order: () => order, isUnknown: true, isFindable, untilMs }
    this.#pending.set(request.id, pending)
  }

  /** The last caller of a running order has gone. */
  callersGone(order: OrderProgress): void {
    const { request } = order
    if (this.#pending.has(request.id) || order.state.name === 'settled') return
    this.#pending.set(request.id, {
      ...{ request, order: () => order.named, isUnknown: false, isFindable: true },
      untilMs: Number.POSITIVE_INFINITY,
    })
  }

  /** The outcome is known, or the request is in no journal. */
  forget(id: string): void {
    this.#pending.delete(id)
  }

  /**
   * Why a request must not be sent: it repeats an order of this client that is pending. One that
   * has an idempotency key, or whose order has a client order id from the bot, is a new order.
   */
  async errorFor(
    order: Pick<OrderProgress, 'request' | 'named'>,
    steps: Pick<OrderSteps<unknown>, 'isRepeatable'>,
    { readSinceMs }: Pick<RequestContext, 'readSinceMs'>,
  ): Promise<OutcomePendingError | undefined> {
    const pending = this.#pending.size === 0 ? undefined : this.#find(order, steps)
    if (pending === undefined) return undefined
    const { request, isUnknown, isFindable } = pending
    const client = await this.#deps.clients.find(request.clientRef, readSinceMs)
    if (client === undefined || limitsOf(client).repeatGuard === 'off') return undefined
    return new OutcomePendingError(EXCHANGE_NAMES[request.exchange], request.id, {
      ...{ isUnknown, isFindable, clientOrderId: pending.order()?.clientOrderId },
    })
  }

  #find(
    { request, named }: Pick<OrderProgress, 'request' | 'named'>,
    { isRepeatable }: Pick<OrderSteps<unknown>, 'isRepeatable'>,
  ): Pending | undefined {
    if (request.idempotencyKey !== null || request.jobClass === 'cancel') return undefined
    const unnamed = named === undefined ? [] : ordersOf(named).filter(isPlacedBy(request))
    if (named === undefined ? isRepeatable === true : unnamed.length === 0) return undefined
    const identities = new Set(unnamed.map(identityOf))
    identities.delete(undefined)
    for (const pending of this.#pending.values()) {
      const { id, clientRef, exchange, fingerprint } = pending.request
      if (clientRef !== request.clientRef || exchange !== request.exchange || id === request.id)
        continue
      if (pending.untilMs <= this.#deps.nowMs()) this.#pending.delete(id)
      else if (fingerprint === request.fingerprint || hasOneOf(pending, identities)) return pending
    }
    return undefined
  }
}

/** Whether a request places an order without a client order id from the bot. */
function isPlacedBy(request: OrderRequest): (order: OrderKey) => boolean {
  const ownId = clientOrderIdOf(request)
  return ({ action, clientOrderId }) =>
    action === 'place' && (clientOrderId === undefined || isOwnId(clientOrderId, ownId))
}

function hasOneOf({ order }: Pending, identities: ReadonlySet<string | undefined>): boolean {
  if (identities.size === 0) return false
  const key = order()
  return key !== undefined && ordersOf(key).some((each) => identities.has(identityOf(each)))
}

/** The keys of these do not say what they wait for: of one size there may be several. */
const WITHOUT_PRICES: ReadonlySet<string | undefined> = new Set(['stoporder', 'strategy'])

/**
 * What makes two orders the same; undefined where the call does not say how much it is, or of what:
 * then only the whole request tells.
 */
function identityOf(order: OrderKey): string | undefined {
  const { action, market, symbol, demo = false, plan, planType, leg, terms = {} } = order
  const { side, position, kind, price, trigger, size, asked, spends } = terms
  if (WITHOUT_PRICES.has(plan)) return undefined
  if (action !== 'place' || symbol === undefined || (size ?? asked ?? spends) === undefined)
    return undefined
  return JSON.stringify([
    ...[market, upperAscii(symbol), demo, plan, planType, leg],
    ...[side, position, kind, price, trigger, size, asked, spends],
  ])
}
