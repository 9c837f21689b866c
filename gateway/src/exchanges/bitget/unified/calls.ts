import type { StopCalls } from '../../adapter.ts'
import { type CallRow, rowsBelow } from '../../call-table.ts'
import { closingAllOf, tradingOnItsOwn } from '../bot-calls.ts'
import * as cancelAll from '../cancels.ts'
import * as effects from './effects.ts'
import * as forms from './order-forms.ts'

const ACCOUNT = '/api/v3/account/'
const TRADE = '/api/v3/trade/'

/**
 * The calls of Bitget's API v3 (docs/exchanges/bitget-unified.md, 3 and 12). What is not here is
 * never done; `closed-calls.ts` has the reasons.
 */
export const unifiedRows: readonly CallRow[] = [
  // Not documented, harmless, and what bitget-api measures its clock with.
  ['market', 'GET', '/api/v3/public/', 'time'],
  [
    'market',
    'GET',
    '/api/v3/market/',
    `candles cash-dividend-records current-fund-rate discount-rate fee-group fills
     futures-account-long-short futures-active-buy-sell futures-long-short
     futures-position-long-short history-candles history-fund-rate index-components liquidations
     margin-isolated-borrow margin-loan-growth margin-loans margin-long-short oi-limit
     open-interest orderbook proof-of-reserves risk-reserve risk-reserve-all risk-reserve-hour
     rpi-orderbook rpi-symbols score-weights split-records spot-fund-flow spot-net-flow
     spot-whale-flow tickers`,
  ],
  ...rowsBelow('market', 'GET', '/api/v3/market/', {
    instruments: { keepSeconds: 300 },
    'position-tier': { keepSeconds: 3600 },
  }),
  [
    'market',
    'GET',
    '/api/v3/reality/market/',
    `calendar company-overview dividends earnings-forecast executive-shareholdings inner-trades
     share-capital-change sharehold-detail states stock-info suspension-resumption-info
     valuation-indicators`,
  ],

  [
    'account',
    'GET',
    ACCOUNT,
    `all-fee-rate assets collateral-type convert-records custom-collateral-coins deduct-info
     delta-info eligible-discount-rate eligible-loan-info eligible-margin-tier eligible-symbols
     fee-rate financial-records funding-assets funding-financial-records info max-transferable
     max-withdrawal move-position-history open-interest-limit payment-coins pre-set-leverage
     reality-fills reality-orderbook repayable-coins settings switch-status`,
  ],
  // A read, although it is POST. Some libraries send it as GET.
  ['account', 'POST', ACCOUNT, 'max-open-available'],
  ['account', 'GET', ACCOUNT, 'max-open-available'],
  ['account', 'GET', '/api/v3/position/', 'adlRank current-position history-position'],
  [
    'account',
    'GET',
    TRADE,
    `fills history-orders history-strategy-orders loan-data order-info strategy-sub-orders
     unfilled-orders unfilled-strategy-orders`,
  ],
  [
    'account',
    'GET',
    `${TRADE}grid/`,
    'bot-detail list-details neutral-bot-detail neutral-list-details',
  ],
  ['account', 'GET', '/api/v3/user/', 'rate-limit-quota'],

  ...rowsBelow('cancel', 'POST', TRADE, {
    'cancel-order': { order: forms.unifiedCancelling },
    'cancel-batch': { order: forms.cancellingBatch },
    'cancel-symbol-order': { cancelsAll: cancelAll.unifiedOrders },
    'cancel-strategy-order': { order: forms.strategyCancelling },
    // It cancels later.
    'countdown-cancel-all': {},
  }),

  ...rowsBelow('order', 'POST', TRADE, {
    // Take profit, stop loss, trigger orders and trailing stops trade once, their own size: orders.
    'place-order': { order: forms.unifiedPlacing, effect: effects.ordering },
    'place-batch': { order: forms.placingBatch, effect: effects.ordering },
    'modify-order': { order: forms.unifiedModifying, effect: effects.changing },
    'batch-modify-order': { order: forms.modifyingBatch, effect: effects.changing },
    'place-strategy-order': {
      order: forms.strategyPlacing,
      effect: effects.strategyOrdering,
      byBody: tradingOnItsOwn,
    },
    'modify-strategy-order': { order: forms.strategyModifying, effect: effects.strategyChanging },
    'close-positions': { closes: 'all', effect: effects.closingPositions, byBody: closingAllOf },
  }),

  ...rowsBelow('settings', 'POST', ACCOUNT, {
    'set-leverage': { effect: effects.leverageSetting },
    'set-hold-mode': { changesMode: true },
    'set-margin': { effect: effects.marginSetting },
    'set-collateral-type': {},
  }),

  // A grid bot keeps placing orders at the exchange, and orders cannot reach what is invested in
  // it. `validate` only checks the parameters of these calls.
  [
    'strategies',
    'POST',
    `${TRADE}grid/`,
    `create-bot create-neutral-bot close-bot add-investment modify-bot modify-neutral-bot
     modify-grid-interval modify-neutral-grid-interval validate validate-neutral`,
  ],
]

export const unifiedStopCalls: StopCalls = {
  below: TRADE,
  trigger: `POST ${TRADE}place-strategy-order with "type": "trigger"`,
  exit: `POST ${TRADE}place-strategy-order with "type": "tpsl"`,
  exitOfSize: `POST ${TRADE}place-strategy-order with "tpslMode": "partial" and "qty"`,
  closeOfSize: `POST ${TRADE}place-order with "qty" and "reduceOnly": "yes", in hedge mode "posSide"`,
}
