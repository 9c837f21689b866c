import type { SignedCall } from '../family.ts'
import { BitgetRejection } from './rejection.ts'
import { categoryOf, categoryOfOrder, isContractOrder, type UnifiedOrder } from './unified-scope.ts'

/**
 * A caller's client order id, or one of the exchange's own.
 * @throws BitgetRejection when it is none that v3 takes
 */
export function unifiedClientOid({ params, venue }: SignedCall): string {
  const clientOid = params.text('clientOid')
  if (clientOid === undefined) return venue.nextId()
  // Which of the format codes v3 uses is not established [?].
  if (!/^[.A-Z:/a-z0-9_-]{1,32}$/.test(clientOid))
    throw new BitgetRejection('40305', 'clientOid does not meet the specifications')
  return clientOid
}

/**
 * Since 2025-10-09 an id is taken while its order is pending, and free again after.
 * @throws BitgetRejection 25212
 */
export function rejectDuplicate(call: SignedCall, clientId: string): void {
  if (call.venue.habits.bitgetDuplicates === 'accept') return
  if (ordersOf(call).some((order) => order.status === 'open' && order.clientId === clientId))
    throw new BitgetRejection('25212', 'Duplicate clientOid')
}

/** Spot and futures, newest first. */
export function ordersOf({ venue, account }: SignedCall): readonly UnifiedOrder[] {
  return [...venue.spot.orders.of(account.name), ...venue.contracts.orders.of(account.name)].sort(
    (a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1),
  )
}

/**
 * By `orderId`, which wins, or by `clientOid`: the newest order that has it. When a category or a
 * symbol is named, an order of another one is none. @throws BitgetRejection 25204
 */
export function wantedOrder(call: SignedCall): UnifiedOrder {
  const { params } = call
  const [orderId, clientOid] = [params.text('orderId'), params.text('clientOid')]
  if (orderId === undefined && clientOid === undefined) throw params.problems.missing('orderId')
  const found = ordersOf(call).find((order) =>
    orderId === undefined ? order.clientId === clientOid : order.id === orderId,
  )
  if (found === undefined || !isNamed(call, found))
    throw new BitgetRejection('25204', 'Order does not exist')
  return found
}

/** Whether an order is of the category and the symbol that a call names, if it names any. */
export function isNamed(call: SignedCall, order: UnifiedOrder): boolean {
  const category = categoryOf(call)
  const symbol = call.params.text('symbol')?.toUpperCase()
  return (
    (category === undefined || category === categoryOfOrder(order)) &&
    (symbol === undefined || symbol === order.market.name)
  )
}

/** @throws OrderRejectedError when the order is filled or cancelled already */
export function cancel({ venue }: SignedCall, order: UnifiedOrder): void {
  if (isContractOrder(order)) venue.contracts.cancel(order)
  else venue.spot.cancel(order)
}

export const toIds = ({ id, clientId }: UnifiedOrder) => ({ orderId: id, clientOid: clientId })
