import type { Endpoint } from '../family.ts'
import { futuresAccountEndpoints } from './futures-account.ts'
import { futuresMarketEndpoints } from './futures-market.ts'
import { futuresOrderEndpoints } from './futures-orders.ts'

/** All of MEXC futures, below `/api/v1`. */
export const mexcFuturesEndpoints: readonly Endpoint[] = [
  ...futuresMarketEndpoints,
  ...futuresOrderEndpoints,
  ...futuresAccountEndpoints,
]
