import type { Json } from '../exact-json.ts'
import { type Endpoint, type SignedCall, signedPost } from '../family.ts'
import { entryResults, perSecond } from './calls.ts'
import { LIST_BODY } from './family.ts'
import { bitgetClockEndpoint } from './spot-routes.ts'
import {
  unifiedAccountEndpoints,
  unifiedCloseEndpoints,
  unifiedPositionEndpoints,
} from './unified-account.ts'
import { unifiedMarketEndpoints } from './unified-market.ts'
import {
  cancelOrder,
  placeOrder,
  unifiedListEndpoints,
  unifiedOrderEndpoints,
} from './unified-orders.ts'
import { unifiedStrategyEndpoints, unifiedStrategyListEndpoints } from './unified-strategies.ts'

const batch = { list: LIST_BODY, shared: [], market: 'unified' } as const

/**
 * Orders of Bitget v3 that come or go together, below `/api/v3/trade`: the body is the list of
 * them.
 */
const unifiedBatchEndpoints: readonly Endpoint[] = [
  signedPost('/place-batch', perSecond(5), (call) => entriesOf(call, placeOrder)),
  signedPost('/cancel-batch', perSecond(5), (call) => entriesOf(call, cancelOrder)),
]

/** Entry by entry; only one that was rejected has a code. */
function entriesOf(call: SignedCall, work: Parameters<typeof entryResults>[2]): Json {
  return entryResults(call, batch, work).map(({ done, failed }) => {
    if (failed === undefined) return { ...done }
    const { orderId, clientOid, errorCode: code, errorMsg: msg } = failed
    return { orderId, clientOid, code, msg }
  })
}

/**
 * Bitget v3, the unified account, by what lies below `/api/v3`. MEXC spot has a v3 too, and nothing
 * below these. Paths of the real exchange that are not here get Bitget's response to an unknown
 * path.
 */
const areas: Readonly<Record<string, readonly Endpoint[]>> = {
  public: [{ ...bitgetClockEndpoint, path: '/time' }],
  market: unifiedMarketEndpoints,
  account: unifiedAccountEndpoints,
  trade: [
    ...unifiedOrderEndpoints,
    ...unifiedBatchEndpoints,
    ...unifiedCloseEndpoints,
    ...unifiedListEndpoints,
    ...unifiedStrategyEndpoints,
    ...unifiedStrategyListEndpoints,
  ],
  position: unifiedPositionEndpoints,
  user: [],
  'ins-loan': [],
}

/** The endpoints of v3 with the prefix below which they lie. */
export const bitgetUnifiedAreas: readonly {
  readonly prefix: string
  readonly endpoints: readonly Endpoint[]
}[] = Object.entries(areas).map(([area, endpoints]) => ({ prefix: `/api/v3/${area}`, endpoints }))

/** Whether a path of v3 is Bitget's and not MEXC's. */
export const isUnifiedPath = (path: string): boolean =>
  bitgetUnifiedAreas.some(({ prefix }) => path.startsWith(`${prefix}/`))
