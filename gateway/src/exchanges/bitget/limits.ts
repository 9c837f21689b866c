import { type ExchangeLimit, type ExchangeLimits, readWeights, type WeightLine } from '../limits.ts'

const WINDOW_MS = 1_000
/**
 * By the official documentation alone: one source for each number (docs/exchanges/bitget.md, 12).
 */
const CLASSIC = {
  mark: '[1]',
  source: 'docs/exchanges/bitget.md, 3, 4 and 9',
  asOf: '2025-12',
} as const
const UNIFIED = {
  mark: '[1]',
  source: 'docs/exchanges/bitget-unified.md, 3 and 10',
  asOf: '2025-12',
} as const

/** A limit per second for each of its calls. */
function each(
  title: string,
  scope: ExchangeLimit['scope'],
  max: number,
  stated: typeof CLASSIC | typeof UNIFIED,
  lines: readonly WeightLine[],
): ExchangeLimit {
  const calls = readWeights(lines)
  return { title, scope, counts: 'each', calls, max, windowMs: WINDOW_MS, ...stated }
}

/** Both kinds of account. Beyond it, an address is rejected for 5 minutes. */
const bitgetOverallLimit: ExchangeLimit = {
  title: 'all calls',
  scope: 'ip',
  counts: 'together',
  calls: 'every',
  max: 6_000,
  windowMs: 60_000,
  ...{ mark: '[2]', source: 'docs/exchanges/bitget.md, 9', asOf: '2025-08-11' },
}

/** Calls of v2 and market data. A copy trader may place 1 order per second. */
const bitgetClassicLimits: readonly ExchangeLimit[] = [
  each('market data', 'ip', 20, CLASSIC, [
    [1, 'GET', '/api/v2/public/time'],
    [1, 'GET', '/api/v2/spot/public/symbols'],
    [1, 'GET', '/api/v2/spot/market/(tickers|orderbook|merge-depth)'],
    [1, 'GET', '/api/v2/mix/market/(contracts|ticker|tickers|merge-depth)'],
  ]),
  each('list of coins', 'ip', 3, CLASSIC, [[1, 'GET', '/api/v2/spot/public/coins']]),
  each('reads of spot orders, trigger orders', 'uid', 20, CLASSIC, [
    [1, 'GET', '/api/v2/spot/trade/(orderInfo|unfilled-orders|history-orders)'],
    [1, 'GET', '/api/v2/spot/trade/(current-plan-order|history-plan-order|plan-sub-order)'],
    [1, 'POST', '/api/v2/spot/trade/(place-plan-order|modify-plan-order|cancel-plan-order)'],
    [1, 'GET', '/api/v2/mix/position/history-position'],
  ]),
  each('orders (copy traders: 1), changes, cancels', 'uid', 10, CLASSIC, [
    [1, 'POST', '/api/v2/spot/trade/(place-order|cancel-order|batch-cancel-order)'],
    [1, 'POST', '/api/v2/mix/order/(place-order|modify-order|cancel-order)'],
    [1, 'POST', '/api/v2/mix/order/(batch-cancel-orders|cancel-all-orders|click-backhand)'],
    [1, 'POST', '/api/v2/mix/order/(place-plan-order|modify-plan-order|cancel-plan-order)'],
    [1, 'POST', '/api/v2/mix/order/(place-tpsl-order|place-pos-tpsl|modify-tpsl-order)'],
  ]),
  each('reads of futures orders, balances, positions', 'uid', 10, CLASSIC, [
    [1, 'GET', '/api/v2/spot/trade/fills'],
    [1, 'GET', '/api/v2/spot/account/assets'],
    [1, 'GET', '/api/v2/account/funding-assets'],
    [1, 'GET', '/api/v2/mix/order/(detail|orders-pending|orders-history|fills|fill-history)'],
    [1, 'GET', '/api/v2/mix/order/(orders-plan-pending|orders-plan-history|plan-sub-order)'],
    [1, 'GET', '/api/v2/mix/position/single-position'],
    [1, 'GET', '/api/v2/mix/account/(account|accounts|bill)'],
  ]),
  each('batches, cancel of a symbol, leverage, margin, all positions', 'uid', 5, CLASSIC, [
    [1, 'POST', '/api/v2/spot/trade/(batch-orders|cancel-symbol-order|cancel-replace-order)'],
    [1, 'POST', '/api/v2/spot/trade/batch-cancel-plan-order'],
    [1, 'POST', '/api/v2/mix/order/batch-place-order'],
    [1, 'GET', '/api/v2/mix/position/(all-position|adlRank)'],
    [1, 'POST', '/api/v2/mix/account/(set-leverage|set-all-leverage|set-margin)'],
    [1, 'POST', '/api/v2/mix/account/(set-margin-mode|set-position-mode)'],
  ]),
  each('asset mode', 'uid', 2, CLASSIC, [[1, 'POST', '/api/v2/mix/account/set-asset-mode']]),
  each('who the account is, closing of positions', 'uid', 1, CLASSIC, [
    [1, 'GET', '/api/v2/spot/account/info'],
    [1, 'GET', '/api/v2/account/all-account-balance'],
    [1, 'POST', '/api/v2/mix/order/close-positions'],
  ]),
]

/** Private calls of v3. */
const bitgetUnifiedLimits: readonly ExchangeLimit[] = [
  each('unified: reads', 'uid', 20, UNIFIED, [
    [1, 'GET', '/api/v3/trade/(order-info|unfilled-orders|history-orders)'],
    [1, 'GET', '/api/v3/position/current-position'],
    [1, 'GET', '/api/v3/account/(assets|settings)'],
  ]),
  each('unified: orders, changes, cancels, leverage, position mode', 'uid', 10, UNIFIED, [
    [1, 'POST', '/api/v3/trade/(place-order|modify-order|cancel-order)'],
    [1, 'POST', '/api/v3/trade/(place-strategy-order|modify-strategy-order|cancel-strategy-order)'],
    [1, 'POST', '/api/v3/account/(set-leverage|set-hold-mode)'],
  ]),
  each('unified: batches, cancel of a symbol, closing of positions', 'uid', 5, UNIFIED, [
    [1, 'POST', '/api/v3/trade/(place-batch|cancel-batch|batch-modify-order)'],
    [1, 'POST', '/api/v3/trade/(cancel-symbol-order|close-positions)'],
    [1, 'POST', '/api/v3/account/max-open-available'],
  ]),
  each('unified: who the account is; one library says 20', 'uid', 5, UNIFIED, [
    [1, 'GET', '/api/v3/account/info'],
  ]),
  each('unified: fees', 'uid', 3, UNIFIED, [[1, 'GET', '/api/v3/account/(fee-rate|all-fee-rate)']]),
  each('unified: timed cancel of everything', 'uid', 1, UNIFIED, [
    [1, 'POST', '/api/v3/trade/countdown-cancel-all'],
  ]),
]

/** The limits of Bitget, for both kinds of account. */
export const bitgetLimits: ExchangeLimits = {
  table: [bitgetOverallLimit, ...bitgetClassicLimits, ...bitgetUnifiedLimits],
  orderCalls: [
    'POST /api/v2/spot/trade/place-order',
    'POST /api/v2/mix/order/place-order',
    'POST /api/v3/trade/place-order',
  ],
  // Of the called endpoint, in the current second (docs/exchanges/bitget.md, 9).
  remainingHeader: 'x-mbx-used-remain-limit',
}
