import type { StopCalls } from '../../adapter.ts'
import { type CallRow, rowsBelow } from '../../call-table.ts'
import { closingAllOf } from '../bot-calls.ts'
import * as cancelAll from '../cancels.ts'
import * as effects from './effects.ts'
import * as forms from './order-forms.ts'
import * as spot from './spot-orders.ts'

const SPOT = '/api/v2/spot/trade/'
const MIX = '/api/v2/mix/order/'
const ACCOUNT = '/api/v2/mix/account/'

/**
 * The calls of Bitget's API v2 and its market data (docs/exchanges/bitget.md, 3 to 5 and 10). What
 * is not here is never done; `closed-calls.ts` has the reasons.
 */
export const classicRows: readonly CallRow[] = [
  ['market', 'GET', '/api/v2/public/', 'time annoucements'],
  ...rowsBelow('market', 'GET', '/api/v2/spot/public/', {
    coins: { keepSeconds: 300 },
    symbols: { keepSeconds: 300 },
  }),
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
    `account-long-short candles current-fund-rate discount-rate exchange-rate fills fills-history
     funding-time history-candles history-fund-rate history-index-candles history-mark-candles
     isolated-borrow-rate loan-growth long-short long-short-ratio merge-depth oi-limit
     open-interest position-long-short symbol-price taker-buy-sell ticker tickers
     union-interest-rate-history vip-fee-rate`,
  ],
  ...rowsBelow('market', 'GET', '/api/v2/mix/market/', {
    contracts: { keepSeconds: 300 },
    'query-position-lever': { keepSeconds: 3600 },
  }),
  // Public, although below the margin prefix: libraries load markets with it.
  ['market', 'GET', '/api/v2/margin/', 'currencies', { keepSeconds: 300 }],
  ['market', 'GET', '/api/v2/margin/', 'market/long-short-ratio'],

  ['account', 'GET', '/api/v2/spot/account/', 'info assets bills deduct-info upgrade-status'],
  [
    'account',
    'GET',
    SPOT,
    `orderInfo unfilled-orders history-orders fills current-plan-order history-plan-order
     plan-sub-order`,
  ],
  [
    'account',
    'GET',
    ACCOUNT,
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
    MIX,
    `detail fill-history fills orders-history orders-pending orders-plan-history
     orders-plan-pending plan-sub-order`,
  ],
  ['account', 'GET', '/api/v2/account/', 'all-account-balance bot-assets funding-assets'],
  ['account', 'GET', '/api/v2/common/', 'trade-rate all-trade-rate'],

  ...rowsBelow('cancel', 'POST', SPOT, {
    'cancel-order': { order: spot.spotCancelling },
    'batch-cancel-order': { order: spot.spotCancelBatch },
    'cancel-symbol-order': { cancelsAll: cancelAll.spotOfSymbol },
    'cancel-plan-order': { order: spot.spotPlanCancelling },
    'batch-cancel-plan-order': { cancelsAll: cancelAll.spotPlans },
  }),
  ...rowsBelow('cancel', 'POST', MIX, {
    'cancel-order': { order: forms.mixCancelling },
    'batch-cancel-orders': { order: forms.mixCancelBatch, cancelsAll: cancelAll.mixOrders },
    'cancel-all-orders': { cancelsAll: cancelAll.mixOrders },
    'cancel-plan-order': { order: forms.planCancelling, cancelsAll: cancelAll.mixPlans },
  }),

  ...rowsBelow('order', 'POST', SPOT, {
    'place-order': { order: spot.spotPlacing, effect: spot.ordering },
    'batch-orders': { order: spot.spotBatch, effect: spot.batch },
    'cancel-replace-order': { order: spot.replacingOne, effect: spot.replacing },
    'batch-cancel-replace-order': { order: spot.replacingSeveral, effect: spot.replacingBatch },
    'place-plan-order': { order: spot.spotPlanPlacing, effect: spot.planning },
    'modify-plan-order': {
      effect: 'its size is in the base or in the quote coin, which only the changed order says',
    },
  }),
  ...rowsBelow('order', 'POST', MIX, {
    'place-order': { order: forms.mixPlacing, effect: effects.ordering },
    'batch-place-order': { order: forms.mixBatch, effect: effects.batch },
    'modify-order': { order: forms.mixModifying, effect: effects.modifying },
    'close-positions': { closes: 'all', effect: effects.closingPositions, byBody: closingAllOf },
    // A reversal without a size reverses the whole position (docs/exchanges/bitget.md, 4 and 11).
    'click-backhand': {
      closes: { sizeName: 'size' },
      effect:
        'it closes a position and opens the opposite one; how much that is depends on the position',
    },
    'place-plan-order': { order: forms.planPlacing, effect: effects.planning },
    'modify-plan-order': { order: forms.planModifying, effect: effects.planModifying },
    'place-tpsl-order': { order: forms.ending, effect: effects.ending },
    'place-pos-tpsl': { order: forms.endingBoth, effect: effects.endingBoth },
    'modify-tpsl-order': { order: forms.endingModifying, effect: effects.endingModifying },
  }),

  ...rowsBelow('settings', 'POST', ACCOUNT, {
    'set-leverage': { effect: effects.leverageSetting },
    'set-all-leverage': { effect: effects.leverageOfAll },
    'set-margin-mode': {},
    'set-position-mode': { changesMode: true },
    'set-margin': { effect: effects.marginSetting },
    // From then on the exchange adds margin by itself.
    'set-auto-margin': { effect: effects.autoMarginSetting },
    'set-asset-mode': {},
  }),
]

export const classicStopCalls: readonly StopCalls[] = [
  {
    below: '/api/v2/spot/',
    trigger: `POST ${SPOT}place-plan-order`,
    exit: `POST ${SPOT}place-plan-order`,
  },
  {
    below: MIX,
    trigger: `POST ${MIX}place-plan-order`,
    exit: `POST ${MIX}place-tpsl-order`,
    trailing: `POST ${MIX}place-plan-order with "planType": "track_plan"`,
    exitOfSize: `POST ${MIX}place-tpsl-order with "planType": "loss_plan" or "profit_plan" and "size"`,
    closeOfSize: `POST ${MIX}place-order with "size" and "reduceOnly": "YES", in hedge mode "tradeSide": "close"`,
  },
]
