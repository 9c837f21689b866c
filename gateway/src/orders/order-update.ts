import type { AccountEvent } from '../exchanges/feed.ts'
import {
  compareTerms,
  type FoundOrder,
  type OrderKey,
} from '../exchanges/order-lookup/order-key.ts'
import { CLOCK_ERROR_MS } from '../exchanges/order-lookup/search.ts'
import { positiveOf } from '../exchanges/protocol/untrusted.ts'
import { isSame } from './working-order.ts'

/** The state of an order, as the feed of its account gave it. */
export type OrderUpdate = Extract<AccountEvent, { readonly type: 'order' }>

type Status = OrderUpdate['data']['status']

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
export function foundIn({ data }: OrderUpdate): FoundOrder | undefined {
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
export function namedIn({ key, data }: OrderUpdate): OrderKey {
  return { ...key, orderId: data.orderId, clientOrderId: data.clientOrderId ?? undefined }
}

/**
 * Whether an order is the one that a call was to make, by its client order id. Another one may have
 * the same: it is compared as a look-up compares what it finds.
 */
export function wasMadeBy(sent: OrderKey, event: OrderUpdate): boolean {
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

/** What the feed pushed about the orders of one request. */
interface Pushed {
  /** By the place of each order in the call. */
  readonly orders: Map<number, FoundOrder>
  /** Aborted when all orders are known, and the next round has something new to read. */
  next: AbortController
}

/** What feeds pushed about requests that have no outcome yet. It replaces a look-up. */
export class PushedOutcomes {
  readonly #byRequest = new Map<string, Pushed>()

  /**
   * @param at the place of the order in the call
   * @param count orders of the call. The pause ends when all are known: a round for the others
   * would ask the exchange
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

  /** A round begins. It reads what `of` returns. */
  taken(id: string): void {
    const pushed = this.#get(id)
    if (pushed.next.signal.aborted) pushed.next = new AbortController()
  }

  forget(id: string): void {
    this.#byRequest.delete(id)
  }

  #get(id: string): Pushed {
    const pushed = this.#byRequest.get(id) ?? { orders: new Map(), next: new AbortController() }
    this.#byRequest.set(id, pushed)
    return pushed
  }
}
