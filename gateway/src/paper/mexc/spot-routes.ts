import type { Endpoint } from '../family.ts'
import { spotAccountEndpoints } from './spot-account.ts'
import { spotMarketEndpoints } from './spot-market.ts'
import { spotOrderEndpoints } from './spot-orders.ts'

/** All of MEXC spot, below `/api/v3`. */
export const mexcSpotEndpoints: readonly Endpoint[] = [
  ...spotMarketEndpoints,
  ...spotOrderEndpoints,
  ...spotAccountEndpoints,
]
