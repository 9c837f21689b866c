import { OrderRejectedError } from '../errors.ts'
import type { SignedCall } from '../family.ts'
import { exitsOf } from './unified-draft.ts'
import { cancel, toIds, wantedOrder } from './unified-lookup.ts'
import { isContractOrder, type UnifiedOrder } from './unified-scope.ts'

/**
 * The order keeps its ids and has another size or price; that it is changed in place, and only
 * before it has traded, is not established. With `autoCancel` it is gone when the change is
 * rejected.
 * @throws BitgetRejection or OrderRejectedError
 */
export function modifyOrder(call: SignedCall): ReturnType<typeof toIds> {
  const { params, venue } = call
  const order = wantedOrder(call)
  const isAutoCancel = params.choice('autoCancel', ['yes', 'no']) === 'yes'
  const hasExits = params.has('takeProfit') || params.has('stopLoss')
  const hasAmounts = params.has('qty') || params.has('price')
  if (!hasExits && !hasAmounts) throw params.problems.missing('qty')
  try {
    if (hasAmounts) amend(call, order)
  } catch (error) {
    const isRejected = error instanceof OrderRejectedError
    if (isRejected && isAutoCancel && order.status === 'open') cancel(call, order)
    throw error
  }
  if (hasExits && isContractOrder(order)) venue.contracts.setExits(order, exitsOf(call))
  return toIds(order)
}

function amend({ params, venue }: SignedCall, order: UnifiedOrder): void {
  const price = params.decimal('price') ?? order.price
  if (price === null) throw new OrderRejectedError('order-state', 'market')
  const change = { price, size: params.decimal('qty') ?? order.size }
  if (isContractOrder(order)) venue.contracts.amend(order, change)
  else venue.spot.amend(order, change)
}
