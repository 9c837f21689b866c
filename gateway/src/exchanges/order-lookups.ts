import { type Lookup, type OrderKey, ordersOf } from './order-lookup/order-key.ts'
import { wantedIdOf } from './order-lookup/search.ts'
import { adapters } from './registry.ts'

/** Up to so many orders are asked for one by one. */
const FEW = 2

/** One of the orders that a call is about, and the questions for it. */
export interface OrderLookups {
  readonly order: OrderKey
  readonly lookups: readonly Lookup[]
}

/**
 * Where one order may be, the surest first: by its own id, then open orders, then history around
 * the time it was sent. In this order an order that is filled between two questions is not missed.
 * Empty when the call gave nothing to look it up by.
 * @param sentAtMs before the call's first byte went out, exchange time
 * @param nowMs exchange time
 */
function lookupsOf(order: OrderKey, sentAtMs: number, nowMs: number, from = adapters): Lookup[] {
  const narrowing = { symbol: order.symbol, orderId: wantedIdOf(order)?.orderId }
  const places = from.of(order.family).orders.placesOf(order, sentAtMs, nowMs, narrowing)
  return places === undefined ? [] : [...places.byId, ...places.lists]
}

/**
 * Where each order of a call may be. Of many the lists come first, and are the same for all of
 * them: asked once, they settle all but those that they leave unclear.
 */
export function lookupsOfAll(
  order: OrderKey,
  sentAtMs: number,
  nowMs: number,
  from = adapters,
): OrderLookups[] {
  const orders = ordersOf(order)
  if (orders.length <= FEW)
    return orders.map((order) => ({ order, lookups: lookupsOf(order, sentAtMs, nowMs, from) }))
  const symbols = new Set(orders.map(({ symbol }) => symbol))
  const narrowing = symbols.size === 1 ? { symbol: orders[0]?.symbol } : {}
  return orders.map((order) => {
    const places = from.of(order.family).orders.placesOf(order, sentAtMs, nowMs, narrowing)
    return { order, lookups: places === undefined ? [] : [...places.lists, ...places.byId] }
  })
}

/** Whether a call gave something to look up each of its orders by. */
export function canBeLookedUp(order: OrderKey, from = adapters): boolean {
  return lookupsOfAll(order, 0, 0, from).every(({ lookups }) => lookups.length > 0)
}
