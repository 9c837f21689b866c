import type { RateLimit } from '../rate-limits.ts'

const WINDOW_MS = 10_000
const ADDRESS_MAX = 300
const ACCOUNT_MAX = 500
const ORDERS_PER_SECOND = 12

/**
 * The budgets of 2026, which all endpoints share: 300 of an address and 500 of an account in 10 s,
 * and 12 orders and cancels of an account in a second (docs/exchanges/mexc.md, 7).
 */
export const publicWeight = (weight: number): RateLimit => ({
  max: ADDRESS_MAX,
  windowMs: WINDOW_MS,
  weight,
  pool: { name: 'spot weight', of: 'address' },
})

/** That a signed read counts for the account too is not established [?]. */
export const signedWeight = (weight: number): readonly RateLimit[] => [
  publicWeight(weight),
  {
    max: ACCOUNT_MAX,
    windowMs: WINDOW_MS,
    weight,
    pool: { name: 'spot account weight', of: 'account' },
  },
]

/** Of what places or cancels; that batches and cancels of several belong to it is one reading. */
export const orderWeight = (weight: number): readonly RateLimit[] => [
  ...signedWeight(weight),
  {
    max: ORDERS_PER_SECOND,
    windowMs: 1_000,
    pool: { name: 'spot orders', of: 'account' },
  },
]

export const twicePerSecond: RateLimit = { max: 2, windowMs: 1_000 }
