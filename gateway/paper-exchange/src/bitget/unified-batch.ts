import type { Json } from '../exact-json.ts'
import type { Endpoint, SignedCall } from '../family.ts'
import { entryResults } from './batch.ts'
import { LIST_BODY } from './family.ts'
import { perSecond } from './spot-market.ts'
import { cancelOrder, placeOrder } from './unified-orders.ts'

const batch = { list: LIST_BODY, shared: [], market: 'unified' } as const

/**
 * Orders of Bitget v3 that come or go together, below `/api/v3/trade`: the body is the list of
 * them.
 */
export const unifiedBatchEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/place-batch',
    access: 'trade',
    limit: perSecond(5),
    respond: (call) => entriesOf(call, placeOrder),
  },
  {
    method: 'POST',
    path: '/cancel-batch',
    access: 'trade',
    limit: perSecond(5),
    respond: (call) => entriesOf(call, cancelOrder),
  },
]

/** Entry by entry; only one that was rejected has a code. */
function entriesOf(call: SignedCall, work: Parameters<typeof entryResults>[2]): Json {
  return entryResults(call, batch, work).map(({ done, failed }) => {
    if (failed === undefined) return { ...done }
    const { orderId, clientOid, errorCode: code, errorMsg: msg } = failed
    return { orderId, clientOid, code, msg }
  })
}
