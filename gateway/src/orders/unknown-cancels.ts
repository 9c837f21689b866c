import { cancelOwnOrders, type ExchangeCode } from 'schema'
import { type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import { namedByIds } from '../exchanges/order-lookups.ts'
import type { JournalRow } from '../store/journal-store.ts'
import type { OrderFacts, UnknownOrder } from '../upstream/events.ts'
import { STOP_ENDPOINT } from './order-request.ts'
import type { WorkingOrder } from './working-order.ts'

/** A cancel that the gateway makes, and that it tries again. */
interface Unknown {
  /** The orders that it names. */
  readonly orders: readonly string[]
  /** How often it was sent to them with an unknown outcome, by this process. */
  readonly tries: number
  /** Whether it is reported; before, it is looked up for its caller. */
  readonly isReported: boolean
  readonly clientRef: number
}

/** The request of a cancel. */
interface CancelRequest extends OrderFacts {
  readonly clientRef: number
  readonly method: string
}

/**
 * The cancels of stops, and of clients' own orders, whose outcome is unknown. The gateway sends
 * them again, and all tries for the same orders are one: the last. A cancel is here from before the
 * journal says `unknown` until it says something else.
 */
export class UnknownCancels {
  readonly #byId = new Map<string, Unknown>()

  /** A request is looked up for its caller. @param order what it names */
  begin(request: CancelRequest, order: OrderKey | undefined): void {
    if (isOfGateway(request)) this.#put(request, order, false)
  }

  /**
   * The outcome of a request is unknown.
   * @param order what it names
   */
  add(
    request: CancelRequest,
    order: OrderKey | undefined,
  ): Omit<UnknownOrder, 'isRecovered' | 'isLookedUp'> {
    if (!isOfGateway(request)) return { order: request, kind: 'order', orders: 1, repeats: [] }
    return { order: request, kind: 'cancel', ...this.#put(request, order, true) }
  }

  #put(request: CancelRequest, order: OrderKey | undefined, isReported: boolean) {
    const { id } = request
    const names = new Set(
      order === undefined ? [id] : ordersOf(order).map((key) => nameOf(request, key)),
    )
    const earlier = [...this.#byId].filter(
      ([other, each]) => other !== id && each.isReported && isIn(each, names),
    )
    const tries = 1 + Math.max(0, ...earlier.map(([, each]) => each.tries))
    const { clientRef } = request
    this.#byId.set(id, { orders: [...names], tries, isReported, clientRef })
    return { orders: names.size, repeats: earlier.map(([other]) => other) }
  }

  /** Another process may have ended them. */
  clear(): void {
    this.#byId.clear()
  }

  /** The journal has the end of the cancel. */
  forget(id: string): void {
    this.#byId.delete(id)
  }

  /** The client was deleted. */
  forgetClient(clientRef: number): void {
    for (const [id, cancel] of this.#byId) if (cancel.clientRef === clientRef) this.forget(id)
  }

  /** Those of a client's orders that one of them names. */
  namedOf(orders: readonly WorkingOrder[]): WorkingOrder[] {
    const reported = [...this.#byId.values()].filter(({ isReported }) => isReported)
    const names = new Set(reported.flatMap((each) => each.orders))
    return orders.filter((order) => names.has(nameOf(order, namedByIds(order))))
  }

  /** Null for what is no cancel of the gateway, or whose outcome is known. */
  triesOf(row: Pick<JournalRow, 'id' | 'state' | 'endpoint' | 'method'>): number | null {
    if (row.state !== 'unknown' || !isOfGateway(row)) return null
    return this.#byId.get(row.id)?.tries ?? 1
  }

  /** How many orders it names; undefined: it is none of them. */
  ordersOf(id: string): number | undefined {
    return this.#byId.get(id)?.orders.length
  }

  /** Whether later ones name all of its orders. */
  isRepeated(id: string): boolean {
    return this.#byId.has(id) && !this.#last().includes(id)
  }

  get size(): number {
    return this.#last().length
  }

  /** Those that name an order that no later one names. */
  #last(): string[] {
    const named = new Set<string>()
    const last = [...this.#byId].reverse().filter(([, { orders }]) => {
      const isLast = orders.some((name) => !named.has(name))
      for (const name of orders) named.add(name)
      return isLast
    })
    return last.map(([id]) => id)
  }
}

/** Whether the gateway makes a cancel itself, and tries it again. */
export function isOfGateway({
  endpoint,
  method,
}: Pick<CancelRequest, 'endpoint' | 'method'>): boolean {
  return (
    endpoint === STOP_ENDPOINT ||
    (endpoint === cancelOwnOrders.path && method === cancelOwnOrders.method)
  )
}

const isIn = ({ orders }: Unknown, names: ReadonlySet<string>) =>
  orders.every((name) => names.has(name))

function nameOf(
  { clientRef, exchange }: { readonly clientRef: number; readonly exchange: ExchangeCode },
  { family, market, plan, orderId, clientOrderId }: OrderKey,
): string {
  return JSON.stringify([clientRef, exchange, family, market, plan, orderId ?? clientOrderId])
}
