import { type OrderKey, ordersOf } from '../exchanges/order-lookup/order-key.ts'
import type { OrderResult } from '../exchanges/order-results.ts'
import { upperAscii } from '../exchanges/protocol/untrusted.ts'

/** What a person can find an order by, besides what has a column of its own. */
interface OrderNames {
  /** The exchange's id of the order: the journal's column. */
  readonly orderId: string | null
  /** All others. */
  readonly names: readonly string[]
}

/** The names that a call has before it is sent. */
export function namesInCall(
  key: OrderKey | undefined,
  clientOrderId: string | undefined,
): OrderNames {
  if (key === undefined) return { orderId: null, names: [] }
  const orders = ordersOf(key)
  const [first] = orders
  const orderId = first?.orderId ?? null
  return {
    orderId,
    names: others(
      orders.flatMap((order) => [order.clientOrderId, order.oldClientOrderId, order.orderId]),
      [clientOrderId, orderId],
    ),
  }
}

/** The names that became known with what became of its orders. */
export function namesInResults(results: readonly OrderResult[]): OrderNames {
  const orderId = results.find((result) => result.orderId !== undefined)?.orderId ?? null
  // Of a change: the earlier id of the order, which the column no longer has.
  const old = results.map(({ order }) => order.orderId)
  return { orderId, names: others([...results.map((result) => result.orderId), ...old], [orderId]) }
}

function others(
  all: readonly (string | undefined)[],
  known: readonly (string | undefined | null)[],
): string[] {
  if (all.length === 0) return []
  const names = new Set<string | undefined | null>(all)
  for (const name of known) names.delete(name)
  return [...names].filter((name) => typeof name === 'string')
}

/** Whether two calls are about the same market and symbol, as far as both name these. */
export function isSamePlace(one: OrderKey, other: OrderKey): boolean {
  return ordersOf(one).some((each) =>
    ordersOf(other).some(
      (own) =>
        // A call on Bitget's unified account may leave out the category, which says the market.
        (each.isUnified === true && own.isUnified === true
          ? isSameName(each.productType, own.productType)
          : each.market === own.market) && isSameName(each.symbol, own.symbol),
    ),
  )
}

function isSameName(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || upperAscii(one) === upperAscii(other)
}
