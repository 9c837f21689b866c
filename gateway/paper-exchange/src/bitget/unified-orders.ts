import type { Endpoint, SignedCall } from '../family.ts'
import { fitReduceOnly } from './mix-reduce-only.ts'
import { perSecond } from './spot-market.ts'
import { toContractDraft, toSpotDraft } from './unified-draft.ts'
import { cancel, isNamed, ordersOf, rejectDuplicate, toIds, wantedOrder } from './unified-lookup.ts'
import { modifyOrder } from './unified-modify.ts'
import { requiredCategory } from './unified-scope.ts'

type Ids = ReturnType<typeof toIds>

/** What changes orders on Bitget v3, below `/api/v3/trade`. */
export const unifiedOrderEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/place-order',
    access: 'trade',
    limit: perSecond(10),
    respond: placeOrder,
  },
  {
    method: 'POST',
    path: '/cancel-order',
    access: 'trade',
    limit: perSecond(10),
    respond: cancelOrder,
  },
  {
    method: 'POST',
    path: '/modify-order',
    access: 'trade',
    limit: perSecond(10),
    respond: modifyOrder,
  },
  {
    method: 'POST',
    path: '/cancel-symbol-order',
    access: 'trade',
    limit: perSecond(5),
    respond(call) {
      requiredCategory(call)
      const open = ordersOf(call).filter((order) => order.status === 'open' && isNamed(call, order))
      for (const order of open) cancel(call, order)
      return { list: open.map((order) => ({ ...toIds(order), code: '00000', msg: 'success' })) }
    },
  },
]

/** @throws BitgetRejection or OrderRejectedError */
export function placeOrder(call: SignedCall): Ids {
  const { spot, contracts } = call.venue
  if (requiredCategory(call) === 'SPOT') {
    const draft = toSpotDraft(call)
    rejectDuplicate(call, draft.clientId)
    return toIds(spot.place(draft))
  }
  const draft = toContractDraft(call)
  rejectDuplicate(call, draft.clientId)
  return toIds(contracts.place(fitReduceOnly(call, draft)))
}

/** @throws BitgetRejection or OrderRejectedError */
export function cancelOrder(call: SignedCall): Ids {
  const order = wantedOrder(call)
  cancel(call, order)
  return toIds(order)
}
