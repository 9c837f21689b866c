import type { Endpoint, SignedCall } from '../family.ts'
import { fitReduceOnly, isDisplacing } from './mix-reduce-only.ts'
import { BitgetRejection } from './rejection.ts'
import { perSecond } from './spot-market.ts'
import { toContractDraft, toSpotDraft } from './unified-draft.ts'
import { cancel, isNamed, ordersOf, rejectDuplicate, toIds, wantedOrder } from './unified-lookup.ts'
import { modifyOrder } from './unified-modify.ts'
import { requiredCategory } from './unified-scope.ts'

/** Of spot, and again of futures (docs/exchanges/bitget-unified.md, 10). */
const OPEN_ORDERS_MAX = 400

type Ids = ReturnType<typeof toIds>
interface Placed {
  readonly orderId: string | null
  readonly clientOid: string
}

/** What changes orders on Bitget v3, below `/api/v3/trade`. */
export const unifiedOrderEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/place-order',
    access: 'trade',
    limit: perSecond(10),
    respond: (call) => ({ ...placeOrder(call) }),
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

/**
 * An order of one-way mode that displaces others is placed, but the response has no order id: it is
 * found by `clientOid`.
 * @throws BitgetRejection or OrderRejectedError
 */
export function placeOrder(call: SignedCall): Placed {
  const { spot, contracts } = call.venue
  if (requiredCategory(call) === 'SPOT') {
    const draft = toSpotDraft(call)
    rejectDuplicate(call, draft.clientId)
    checkCount(spot.orders.open(call.account.name).length, '25211')
    return toIds(spot.place(draft))
  }
  const draft = toContractDraft(call)
  rejectDuplicate(call, draft.clientId)
  checkCount(contracts.orders.open(call.account.name).length, '25567')
  const displaces = draft.slot === 'net' && isDisplacing(call, draft)
  const ids = toIds(contracts.place(fitReduceOnly(call, draft)))
  return displaces ? { ...ids, orderId: null } : ids
}

function checkCount(open: number, code: string): void {
  if (open < OPEN_ORDERS_MAX) return
  throw new BitgetRejection(code, `Exceeds the limit of ${OPEN_ORDERS_MAX} maximum orders`)
}

/** @throws BitgetRejection or OrderRejectedError */
export function cancelOrder(call: SignedCall): Ids {
  const order = wantedOrder(call)
  cancel(call, order)
  return toIds(order)
}
