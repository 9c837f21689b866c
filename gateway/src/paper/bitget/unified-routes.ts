import type { Endpoint } from '../family.ts'
import { BitgetRefusal } from './refusal.ts'
import { perSecond } from './spot-market.ts'

/** Where Bitget's v3 lies. MEXC spot has a v3 too, and nothing below these. */
export const unifiedPrefixes = ['account', 'trade', 'position'].map((area) => `/api/v3/${area}`)

/**
 * Bitget v3 before an account that is not unified: every call is refused, and all accounts of the paper exchange
 * are classic ones. Clients probe `account/settings` to learn which kind they have.
 */
export const bitgetUnifiedEndpoints: readonly Endpoint[] = (['GET', 'POST'] as const).map(
  (method) => ({
    method,
    path: '/*',
    access: 'read',
    limit: perSecond(20),
    answer() {
      throw new BitgetRefusal('25245', 'The account is not a unified account')
    },
  }),
)
