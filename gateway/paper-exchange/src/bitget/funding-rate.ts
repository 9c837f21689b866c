import type { Json } from '../exact-json.ts'
import type { PublicCall } from '../family.ts'
import type { Market } from '../market.ts'

const FUNDING_CYCLE_MS = 8 * 3_600_000

/** What holding a contract costs; v2 and v3 say it alike. */
export const fundingRate = ({ request }: PublicCall, market: Market): Json => ({
  symbol: market.name,
  fundingRate: '0.0001',
  fundingRateInterval: '8',
  nextUpdate: `${(Math.floor(request.nowMs / FUNDING_CYCLE_MS) + 1) * FUNDING_CYCLE_MS}`,
  minFundingRate: '-0.003',
  maxFundingRate: '0.003',
})
