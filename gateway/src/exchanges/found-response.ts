import {
  type EndedOrder,
  type FoundOrder,
  type OrderEnd,
  type OrderKey,
  ordersOf,
} from './order-lookup/order-key.ts'
import { adapters } from './registry.ts'

/**
 * The response that the exchange would have given to the call that was carried out, in its own
 * form: for the documented readers as for bots that read it themselves.
 * @param ends what became of each order of the call, in their order; a single one was found
 * @param nowMs exchange time
 */
export function foundResponseFor(
  order: OrderKey,
  ends: readonly OrderEnd[],
  nowMs: number,
  from = adapters,
): { status: number; body: string } {
  const { orders } = from.of(order.family)
  const response =
    order.several === undefined
      ? orders.foundResponse(order, foundOf(ends), nowMs)
      : orders.severalResponse(order.several, endedOf(order, ends), nowMs)
  return { status: 200, body: JSON.stringify(response) }
}

/**
 * The same in the form of the exchange's documented routes, which are about one order.
 * @throws TypeError when it has no documented routes
 */
export function documentedResponseFor(
  order: OrderKey,
  ends: readonly OrderEnd[],
  from = adapters,
): object {
  const { documentedResponse } = from.of(order.family).orders
  if (documentedResponse === undefined)
    throw new TypeError(`${order.family} has no documented routes`)
  return documentedResponse(order, foundOf(ends))
}

/** The order that was found for a call about one. */
function foundOf(ends: readonly OrderEnd[]): FoundOrder {
  const [found] = ends
  if (found === undefined || found === 'absent')
    throw new Error('No order was found to respond with')
  return found
}

function endedOf(order: OrderKey, ends: readonly OrderEnd[]): EndedOrder[] {
  return ordersOf(order).map((each, index) => ({ order: each, end: ends[index] ?? 'absent' }))
}
