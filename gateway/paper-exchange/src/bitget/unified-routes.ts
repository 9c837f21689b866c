import type { Endpoint } from '../family.ts'
import { bitgetClockEndpoint } from './common-routes.ts'
import { unifiedAccountEndpoints } from './unified-account.ts'
import { unifiedBatchEndpoints } from './unified-batch.ts'
import { unifiedListEndpoints } from './unified-lists.ts'
import { unifiedMarketEndpoints } from './unified-market.ts'
import { unifiedOrderEndpoints } from './unified-orders.ts'
import { unifiedCloseEndpoints, unifiedPositionEndpoints } from './unified-positions.ts'
import { unifiedStrategyEndpoints } from './unified-strategies.ts'
import { unifiedStrategyListEndpoints } from './unified-strategy-lists.ts'

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
