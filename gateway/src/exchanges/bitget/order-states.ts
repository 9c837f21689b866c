import type { FoundOrder } from '../order-lookup/order-key.ts'

/** The words of v2 and v3, old and new (docs/exchanges/bitget.md, 3.3; bitget-unified.md, 6). */
export const STATES: Readonly<Record<string, FoundOrder['state']>> = {
  init: 'open',
  new: 'open',
  live: 'open',
  partially_filled: 'partially-filled',
  filled: 'filled',
  full_fill: 'filled',
  cancelled: 'cancelled',
  canceled: 'cancelled',
}
