import type { Endpoint } from '../family.ts'
import { futuresAccountEndpoints } from './futures-account.ts'
import { futuresFillEndpoints } from './futures-fills.ts'
import { futuresMarketEndpoints } from './futures-market.ts'
import { futuresOrderEndpoints } from './futures-orders.ts'
import { futuresPlanEndpoints } from './futures-plans.ts'
import { futuresStopEndpoints } from './futures-stops.ts'
import { futuresTapeEndpoints } from './futures-tape.ts'

/** All of MEXC futures, below `/api/v1`. */
export const mexcFuturesEndpoints: readonly Endpoint[] = [
  ...futuresMarketEndpoints,
  ...futuresTapeEndpoints,
  ...futuresOrderEndpoints,
  ...futuresPlanEndpoints,
  ...futuresStopEndpoints,
  ...futuresFillEndpoints,
  ...futuresAccountEndpoints,
]
