import { cancelOwnOrders, type ExchangeCode } from 'schema'
import { namedByIds } from '../exchanges/cancel-calls.ts'
import { type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import type { OrderFacts, UnknownOrder } from '../upstream/events.ts'
import { STOP_ENDPOINT } from './send-cancel.ts'
import type { WorkingOrder } from './working-order.ts'

/** A cancel that the gateway makes, and that it tries again. */
interface Unknown {
  /** The orders that it names. */
  readonly orders: readonly string[]
  /** How often it was sent to them with an unknown outcome, by this process. */
  readonly tries: number
  readonly clientRef: number
}

/** The request of a cancel. */
export interface CancelRequest extends OrderFacts {
  readonly clientRef: number
  readonly method: string
}

/**
 * The cancels of stops, and of clients' own orders, whose outcome is unknown. The gateway sends
 * them again, and all tries for the same orders are one: the last.
 */
export class UnknownCancels {
  readonly #byId = new Map<string, Unknown>()

  /**
   * The outcome of a request is unknown.
   * @param order what it names
   */
  add(
    request: CancelRequest,
    order: OrderKey | undefined,
  ): Omit<UnknownOrder, 'isRecovered' | 'isLookedUp'> {
    if (order === undefined || !isOfGateway(request))
      return { order: request, kind: 'order', orders: 1, repeats: [] }
    const orders = ordersOf(order).map((key) => nameOf(request, key))
    const names = new Set(orders)
    const earlier = [...this.#byId].filter(([id, other]) => id !== request.id && isIn(other, names))
    for (const [id] of earlier) this.#byId.delete(id)
    const tries = 1 + Math.max(0, ...earlier.map(([, each]) => each.tries))
    this.#byId.set(request.id, { orders, tries, clientRef: request.clientRef })
    const repeats = earlier.map(([id]) => id)
    return { order: request, kind: 'cancel', orders: names.size, repeats }
  }

  /** Another process may have ended them. */
  clear(): void {
    this.#byId.clear()
  }

  /** Its outcome is known. */
  forget(id: string): void {
    this.#byId.delete(id)
  }

  /** The client was deleted. */
  forgetClient(clientRef: number): void {
    for (const [id, cancel] of this.#byId) if (cancel.clientRef === clientRef) this.forget(id)
  }

  /** Those of a client's orders that one of them names. */
  namedOf(orders: readonly WorkingOrder[]): WorkingOrder[] {
    const names = new Set([...this.#byId.values()].flatMap((each) => each.orders))
    return orders.filter((order) => names.has(nameOf(order, namedByIds(order))))
  }

  /** Undefined: it is no such cancel. */
  triesOf(id: string): number | undefined {
    return this.#byId.get(id)?.tries
  }

  get size(): number {
    return this.#byId.size
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
