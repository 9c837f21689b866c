import type { Endpoint } from '../family.ts'
import { spotAccountEndpoints } from './spot-account.ts'
import { spotBatchEndpoints } from './spot-batch.ts'
import { spotCoinEndpoints } from './spot-coins.ts'
import { spotKeyInfoEndpoints } from './spot-key-info.ts'
import { spotMarketEndpoints } from './spot-market.ts'
import { spotOrderEndpoints } from './spot-orders.ts'
import { spotTapeEndpoints } from './spot-tape.ts'

/** All of MEXC spot, below `/api/v3`. */
export const mexcSpotEndpoints: readonly Endpoint[] = [
  ...spotMarketEndpoints,
  ...spotTapeEndpoints,
  ...spotCoinEndpoints,
  ...spotOrderEndpoints,
  ...spotBatchEndpoints,
  ...spotAccountEndpoints,
  ...spotKeyInfoEndpoints,
]
