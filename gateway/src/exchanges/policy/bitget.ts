import { readPolicy } from './rules.ts'

/**
 * What clients may do on Bitget, classic (v2) and unified (v3) (docs/exchanges/bitget.md, 10;
 * docs/exchanges/bitget-unified.md, 12). What is not here is never done: withdrawals, transfers,
 * deposit addresses, conversions, loans, margin, copy trading, earn, sub-accounts, keys, broker
 * calls, the switch to a unified account, and all of v1.
 */
export const bitgetPolicy = readPolicy([
  ['market', 'GET', '/api/v2/public/(time|annoucements)'],
  ['market', 'GET', '/api/v2/(spot/public|spot/market|mix/market)/**'],
  // The one call below the margin prefix: libraries load markets with it.
  ['market', 'GET', '/api/v2/margin/currencies'],
  ['market', 'GET', '/api/v3/market/**'],
  // Not documented, harmless, and what bitget-api measures its clock with.
  ['market', 'GET', '/api/v3/public/time'],

  ['never', 'GET', '/api/v2/mix/account/sub-account-assets'],
  ['account', 'GET', '/api/v2/spot/account/(info|assets|bills)'],
  ['account', 'GET', '/api/v2/spot/trade/**'],
  ['account', 'GET', '/api/v2/mix/(account|position|order)/**'],
  ['account', 'GET', '/api/v2/account/**'],
  ['account', 'GET', '/api/v2/common/(trade-rate|all-trade-rate)'],
  [
    'account',
    'GET',
    '/api/v3/account/(assets|settings|info|fee-rate|financial-records|funding-assets)',
  ],
  ['account', 'GET', '/api/v3/(trade|position)/**'],
  ['account', 'POST', '/api/v3/account/max-open-available'],

  [
    'cancel',
    'POST',
    '/api/v2/spot/trade/(cancel-order|batch-cancel-order|cancel-symbol-order|cancel-plan-order|batch-cancel-plan-order)',
  ],
  [
    'cancel',
    'POST',
    '/api/v2/mix/order/(cancel-order|batch-cancel-orders|cancel-all-orders|cancel-plan-order)',
  ],
  [
    'cancel',
    'POST',
    '/api/v3/trade/(cancel-order|cancel-batch|cancel-symbol-order|cancel-strategy-order|countdown-cancel-all)',
  ],

  [
    'order',
    'POST',
    '/api/v2/spot/trade/(place-order|batch-orders|cancel-replace-order|batch-cancel-replace-order|place-plan-order|modify-plan-order)',
  ],
  [
    'order',
    'POST',
    '/api/v2/mix/order/(place-order|batch-place-order|modify-order|close-positions|click-backhand|place-plan-order|modify-plan-order|place-tpsl-order|place-pos-tpsl|modify-tpsl-order)',
  ],
  ['order', 'POST', '/api/v3/trade/**'],
  // Settings of the account that orders depend on.
  [
    'order',
    'POST',
    '/api/v2/mix/account/(set-leverage|set-all-leverage|set-margin-mode|set-position-mode|set-margin|set-auto-margin|set-asset-mode)',
  ],
  ['order', 'POST', '/api/v3/account/(set-leverage|set-hold-mode)'],
])
