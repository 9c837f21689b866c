import type { BodyRule } from './by-body.ts'
import { bitgetClosed } from './closed.ts'
import { readPolicy } from './rules.ts'

/** The types of a strategy order that trade once; without a type it is `tpsl`. */
const TRIGGER_TYPES: ReadonlySet<unknown> = new Set(['tpsl', 'trigger', '', null])

const byBody: readonly BodyRule[] = [
  {
    // docs/exchanges/bitget.md, 4: it closes every position, also those of the account's other
    // clients.
    calls: ['POST /api/v2/mix/order/close-positions', 'POST /api/v3/trade/close-positions'],
    when: 'without a `symbol`: it then closes every position',
    kind: 'settings',
    field: 'symbol',
    applies: (values, alike) => values.length === 0 || !alike.every(isName),
  },
  {
    // docs/exchanges/bitget-unified.md, 3. No other type is documented [?].
    calls: ['POST /api/v3/trade/place-strategy-order'],
    when: 'with a `type` other than `tpsl` and `trigger`',
    kind: 'strategies',
    field: 'type',
    applies: (_values, alike) => !alike.every((value) => TRIGGER_TYPES.has(value)),
  },
]

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

/**
 * What clients may do on Bitget, classic (v2) and unified (v3) (docs/exchanges/bitget.md, 10;
 * docs/exchanges/bitget-unified.md, 12), each call by name. What is not here is never done;
 * `closed.ts` has the reasons.
 */
export const bitgetPolicy = readPolicy(
  [
    ['market', 'GET', '/api/v2/public/', 'time annoucements'],
    ['market', 'GET', '/api/v2/spot/public/', 'coins symbols'],
    [
      'market',
      'GET',
      '/api/v2/spot/market/',
      `auction candles fills fills-history fund-flow fund-net-flow history-candles merge-depth
       orderbook support-symbols tickers vip-fee-rate whale-net-flow`,
    ],
    [
      'market',
      'GET',
      '/api/v2/mix/market/',
      `account-long-short candles contracts current-fund-rate discount-rate exchange-rate fills
       fills-history funding-time history-candles history-fund-rate history-index-candles
       history-mark-candles isolated-borrow-rate loan-growth long-short long-short-ratio merge-depth
       oi-limit open-interest position-long-short query-position-lever symbol-price taker-buy-sell
       ticker tickers union-interest-rate-history vip-fee-rate`,
    ],
    // Public, although below the margin prefix: libraries load markets with the first.
    ['market', 'GET', '/api/v2/margin/', 'currencies market/long-short-ratio'],
    // Not documented, harmless, and what bitget-api measures its clock with.
    ['market', 'GET', '/api/v3/public/', 'time'],
    [
      'market',
      'GET',
      '/api/v3/market/',
      `candles cash-dividend-records current-fund-rate discount-rate fee-group fills
       futures-account-long-short futures-active-buy-sell futures-long-short
       futures-position-long-short history-candles history-fund-rate index-components instruments
       liquidations margin-isolated-borrow margin-loan-growth margin-loans margin-long-short oi-limit
       open-interest orderbook position-tier proof-of-reserves risk-reserve risk-reserve-all
       risk-reserve-hour rpi-orderbook rpi-symbols score-weights split-records spot-fund-flow
       spot-net-flow spot-whale-flow tickers`,
    ],
    [
      'market',
      'GET',
      '/api/v3/reality/market/',
      `calendar company-overview dividends earnings-forecast executive-shareholdings inner-trades
       share-capital-change sharehold-detail states stock-info suspension-resumption-info
       valuation-indicators`,
    ],

    ['account', 'GET', '/api/v2/spot/account/', 'info assets bills deduct-info upgrade-status'],
    [
      'account',
      'GET',
      '/api/v2/spot/trade/',
      `orderInfo unfilled-orders history-orders fills current-plan-order history-plan-order
       plan-sub-order`,
    ],
    [
      'account',
      'GET',
      '/api/v2/mix/account/',
      `account accounts bill interest-history isolated-symbols liq-price max-open open-count
       switch-union-usdt transfer-limits union-config`,
    ],
    [
      'account',
      'GET',
      '/api/v2/mix/position/',
      'adlRank all-position history-position single-position',
    ],
    [
      'account',
      'GET',
      '/api/v2/mix/order/',
      `detail fill-history fills orders-history orders-pending orders-plan-history
       orders-plan-pending plan-sub-order`,
    ],
    ['account', 'GET', '/api/v2/account/', 'all-account-balance bot-assets funding-assets'],
    ['account', 'GET', '/api/v2/common/', 'trade-rate all-trade-rate'],
    [
      'account',
      'GET',
      '/api/v3/account/',
      `all-fee-rate assets collateral-type convert-records custom-collateral-coins deduct-info
       delta-info eligible-discount-rate eligible-loan-info eligible-margin-tier eligible-symbols
       fee-rate financial-records funding-assets funding-financial-records info max-transferable
       max-withdrawal move-position-history open-interest-limit payment-coins pre-set-leverage
       reality-fills reality-orderbook repayable-coins settings switch-status`,
    ],
    // A read, although it is POST. Some libraries send it as GET.
    ['account', 'POST', '/api/v3/account/', 'max-open-available'],
    ['account', 'GET', '/api/v3/account/', 'max-open-available'],
    ['account', 'GET', '/api/v3/position/', 'adlRank current-position history-position'],
    [
      'account',
      'GET',
      '/api/v3/trade/',
      `fills history-orders history-strategy-orders loan-data order-info strategy-sub-orders
       unfilled-orders unfilled-strategy-orders`,
    ],
    [
      'account',
      'GET',
      '/api/v3/trade/grid/',
      'bot-detail list-details neutral-bot-detail neutral-list-details',
    ],
    ['account', 'GET', '/api/v3/user/', 'rate-limit-quota'],

    [
      'cancel',
      'POST',
      '/api/v2/spot/trade/',
      `cancel-order batch-cancel-order cancel-symbol-order cancel-plan-order
       batch-cancel-plan-order`,
    ],
    [
      'cancel',
      'POST',
      '/api/v2/mix/order/',
      'cancel-order batch-cancel-orders cancel-all-orders cancel-plan-order',
    ],
    [
      'cancel',
      'POST',
      '/api/v3/trade/',
      'cancel-order cancel-batch cancel-symbol-order cancel-strategy-order countdown-cancel-all',
    ],

    [
      'order',
      'POST',
      '/api/v2/spot/trade/',
      `place-order batch-orders cancel-replace-order batch-cancel-replace-order place-plan-order
       modify-plan-order`,
    ],
    [
      'order',
      'POST',
      '/api/v2/mix/order/',
      `place-order batch-place-order modify-order close-positions click-backhand place-plan-order
       modify-plan-order place-tpsl-order place-pos-tpsl modify-tpsl-order`,
    ],
    // Take profit, stop loss, trigger orders and trailing stops trade once, their own size: orders.
    [
      'order',
      'POST',
      '/api/v3/trade/',
      `place-order place-batch modify-order batch-modify-order place-strategy-order
       modify-strategy-order close-positions`,
    ],

    [
      'settings',
      'POST',
      '/api/v2/mix/account/',
      `set-leverage set-all-leverage set-margin-mode set-position-mode set-margin set-auto-margin
       set-asset-mode`,
    ],
    [
      'settings',
      'POST',
      '/api/v3/account/',
      'set-leverage set-hold-mode set-margin set-collateral-type',
    ],

    // A grid bot keeps placing orders at the exchange, and orders cannot reach what is invested in
    // it. `validate` only checks the parameters of these calls.
    [
      'strategies',
      'POST',
      '/api/v3/trade/grid/',
      `create-bot create-neutral-bot close-bot add-investment modify-bot modify-neutral-bot
       modify-grid-interval modify-neutral-grid-interval validate validate-neutral`,
    ],
  ],
  bitgetClosed,
  byBody,
)
