import type { Endpoint } from '../family.ts'
import { mixAccountEndpoints } from './mix-account.ts'
import { mixBatchEndpoints } from './mix-batch.ts'
import { mixMarketEndpoints } from './mix-market.ts'
import { mixOrderEndpoints } from './mix-orders.ts'
import { mixPlanListEndpoints } from './mix-plan-lists.ts'
import { mixTapeEndpoints } from './mix-tape.ts'
import { mixTpslEndpoints } from './mix-tpsl.ts'

/** All of Bitget futures, below `/api/v2/mix`. */
export const bitgetMixEndpoints: readonly Endpoint[] = [
  ...mixMarketEndpoints,
  ...mixTapeEndpoints,
  ...mixOrderEndpoints,
  ...mixBatchEndpoints,
  ...mixTpslEndpoints,
  ...mixPlanListEndpoints,
  ...mixAccountEndpoints,
]
