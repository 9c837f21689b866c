import type { AccountKind } from 'schema'
import type { FoundOrder, OrderKey } from '../order-lookup/order-key.ts'
import type { Narrowing, Places } from '../order-lookup/search.ts'
import { wantedIdOf } from '../order-lookup/search.ts'
import { classicPlaces } from './classic/find-order.ts'
import { unifiedPlaces } from './unified/find-order.ts'

/**
 * A call for past orders of v3 is about 30 days at most, and those of v2 reach further
 * (docs/exchanges/bitget-unified.md, 3; docs/exchanges/bitget.md, 3 and 4). A day is left for
 * clocks.
 */
export const LISTED_FOR_MS = 29 * 86_400_000

/** Where a Bitget order may be; undefined when there is nothing to look it up by. */
export function placesOf(
  order: OrderKey,
  sentAtMs: number,
  nowMs: number,
  narrowing: Narrowing,
): Places | undefined {
  const wanted = wantedIdOf(order)
  if (wanted === undefined) return undefined
  const search = { order, wanted, sentAtMs, narrowing }
  return order.isUnified === true ? unifiedPlaces(search, nowMs) : classicPlaces(search, nowMs)
}

/**
 * The order as it is looked up in an account whose kind has changed since the order was sent. What
 * happens to orders during the change is not documented (docs/exchanges/bitget-unified.md, 1): an
 * order that is found is proven, and absence proves nothing. v2 and v3 write the side of an order
 * that closes a position differently, so position and side are then not compared. Trigger orders
 * and changes have no counterpart on the other API.
 */
export function keyInKind(order: OrderKey, kind: AccountKind): OrderKey {
  const isUnified = kind === 'unified'
  const hasMoved = (order.isUnified === true) !== isUnified
  if (!hasMoved || order.plan !== undefined || order.action === 'modify') return order
  const { position, side, ...terms } = order.terms ?? {}
  return {
    ...order,
    isUnified,
    hasMoved: true,
    productType:
      order.market === 'futures'
        ? order.productType?.toUpperCase()
        : isUnified
          ? 'SPOT'
          : undefined,
    ...(order.terms === undefined
      ? {}
      : { terms: position === undefined ? { ...terms, side } : terms }),
  }
}

/** What Bitget responds to an order, a change and a cancel. @param nowMs exchange time */
export function foundResponse(order: OrderKey, found: FoundOrder, nowMs: number): object {
  const clientOid = found.clientOrderId ?? order.clientOrderId ?? null
  const isOfSpotPlan = order.plan === 'spot' && order.action === 'cancel'
  const result = isOfSpotPlan ? { result: 'success' } : {}
  const data = { orderId: found.orderId, clientOid, ...result }
  return { code: '00000', msg: 'success', requestTime: nowMs, data }
}
