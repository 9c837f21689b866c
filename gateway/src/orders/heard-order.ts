import type { AccountEvent } from '../exchanges/feed.ts'
import {
  compareTerms,
  type FoundOrder,
  type OrderKey,
} from '../exchanges/order-lookup/order-key.ts'
import { CLOCK_ERROR_MS } from '../exchanges/order-lookup/search.ts'
import { positiveOf } from '../exchanges/protocol/untrusted.ts'
import { isSame } from './working-order.ts'

/** An order, as the feed of its account says it. */
export type HeardOrder = Extract<AccountEvent, { readonly type: 'order' }>

type Status = HeardOrder['data']['status']

const STATES: Readonly<Record<Exclude<Status, 'pending'>, FoundOrder['state']>> = {
  open: 'open',
  partiallyFilled: 'partially-filled',
  filled: 'filled',
  canceled: 'cancelled',
  rejected: 'rejected',
}

/**
 * The order as a look-up would have found it; undefined while the exchange may still reject it.
 */
export function foundIn({ data }: HeardOrder): FoundOrder | undefined {
  if (data.status === 'pending') return undefined
  return {
    orderId: data.orderId,
    clientOrderId: data.clientOrderId ?? undefined,
    state: STATES[data.status],
    filledSize: data.filledQuantity ?? undefined,
    averagePrice: positiveOf(data.averagePrice),
  }
}

export function hasEnded({ state }: Pick<FoundOrder, 'state'>): boolean {
  return state !== 'open' && state !== 'partially-filled'
}

/** The key of an order with all its ids. */
export function namedIn({ key, data }: HeardOrder): OrderKey {
  return { ...key, orderId: data.orderId, clientOrderId: data.clientOrderId ?? undefined }
}

/**
 * Whether an order is the one that a call was to make, by its client order id. Another one may have
 * the same: it is compared as a look-up compares what it finds.
 */
export function wasMadeBy(sent: OrderKey, event: HeardOrder): boolean {
  const { action, clientOrderId, isInPlace } = sent
  const { data, timeMs } = event
  if (action === 'cancel' || isInPlace === true) return false
  if (clientOrderId === undefined || clientOrderId !== data.clientOrderId) return false
  const ids = { orderId: null, clientOrderId }
  if (!isSame({ key: sent, ...ids }, { ...namedIn(event), orderId: undefined })) return false
  const sinceMs = sent.notBeforeMs ?? sent.firstSentAtMs
  if (timeMs !== null && sinceMs !== undefined && timeMs < sinceMs - CLOCK_ERROR_MS) return false
  const { terms = {} } = event.key
  return sent.terms === undefined || compareTerms(sent.terms, terms) === 'same'
}

/** What was heard of the orders of a request that has no outcome yet. */
interface Heard {
  /** By the places of the orders in the call. */
  readonly orders: Map<number, FoundOrder>
  /** Aborted when something of all of them is known that no round has taken yet. */
  next: AbortController
}

/** What was heard of requests that have no outcome yet: it takes the place of a look-up. */
export class HeardOutcomes {
  readonly #byRequest = new Map<string, Heard>()

  /**
   * @param at the place of the order in the call
   * @param count how many orders the call is about: a round for some of them would ask the exchange
   */
  add(id: string, at: number, found: FoundOrder, count: number): void {
    const { orders, next } = this.#get(id)
    const before = orders.get(at)
    if (before !== undefined && hasEnded(before)) return
    orders.set(at, found)
    if (orders.size === count && before?.state !== found.state) next.abort()
  }

  of(id: string): ReadonlyMap<number, FoundOrder> | undefined {
    return this.#byRequest.get(id)?.orders
  }

  /** Ends the pause before the next round. */
  nextOf(id: string): AbortSignal {
    return this.#get(id).next.signal
  }

  /** A round begins, which takes what was heard. */
  taken(id: string): void {
    const heard = this.#get(id)
    if (heard.next.signal.aborted) heard.next = new AbortController()
  }

  forget(id: string): void {
    this.#byRequest.delete(id)
  }

  #get(id: string): Heard {
    const heard = this.#byRequest.get(id) ?? { orders: new Map(), next: new AbortController() }
    this.#byRequest.set(id, heard)
    return heard
  }
}
