import type { Endpoint } from '../family.ts'
import { spotAccountEndpoints } from './spot-account.ts'
import { spotBatchEndpoints } from './spot-batch.ts'
import { spotMarketEndpoints } from './spot-market.ts'
import { spotOrderEndpoints } from './spot-orders.ts'
import { spotTapeEndpoints } from './spot-tape.ts'

/** All of Bitget spot, below `/api/v2/spot`. */
export const bitgetSpotEndpoints: readonly Endpoint[] = [
  ...spotMarketEndpoints,
  ...spotTapeEndpoints,
  ...spotOrderEndpoints,
  ...spotBatchEndpoints,
  ...spotAccountEndpoints,
]
