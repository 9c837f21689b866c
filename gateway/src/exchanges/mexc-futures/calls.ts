import { type CallRow, readCallTable, rowsBelow } from '../call-table.ts'
import { mexcClosed } from '../closed-calls.ts'
import type { OrderFields } from '../order-lookup/order-call.ts'
import { type CancelAllForm, type CancelReach, symbolsIn } from '../order-lookup/order-protocol.ts'
import * as effects from './effects.ts'
import type { TriggerKind } from './order-forms.ts'
import * as forms from './order-forms.ts'

const CONTRACT = '/api/v1/contract/'
const ACCOUNT = '/api/v1/private/account/'
const POSITION = '/api/v1/private/position/'
const ORDER = '/api/v1/private/order/'
const PLAN = '/api/v1/private/planorder/'
const STOP = '/api/v1/private/stoporder/'
const TRACK = '/api/v1/private/trackorder/'

/** An empty symbol is none, and means all. */
function cancelsAllOf(plan: TriggerKind | undefined): CancelAllForm {
  return {
    reach({ symbol }) {
      const symbols = symbolsIn(symbol)
      return symbols && { market: 'futures', plan, symbols }
    },
    response: () => ({ success: true, code: 0 }),
  }
}

const cancelsAllStops: CancelAllForm = { ...cancelsAllOf('stoporder'), reach: stops }

/** Those of a position, of a symbol, or all. Which of the two counts is not documented. */
function stops({ symbol, positionId }: OrderFields): CancelReach | undefined {
  const symbols = symbolsIn(symbol)
  const positions = symbolsIn(positionId)
  if (symbols === undefined || positions === undefined) return undefined
  if (symbols.length + positions.length > 1) return undefined
  return { market: 'futures', plan: 'stoporder', symbols, positionId: positions[0] }
}

/**
 * The calls of MEXC futures (docs/exchanges/mexc-futures.md, 4; mexc.md, 8). What is not here is
 * never done; `closed-calls.ts` has the reasons.
 */
const rows: readonly CallRow[] = [
  [
    'market',
    'GET',
    CONTRACT,
    `ping ticker risk_reverse risk_reverse/history depth/{symbol} depth_commits/{symbol}/{limit}
     deals/{symbol} index_price/{symbol} fair_price/{symbol} funding_rate/{symbol}
     funding_rate/history kline/{symbol} kline/index_price/{symbol} kline/fair_price/{symbol}`,
  ],
  ...rowsBelow('market', 'GET', CONTRACT, {
    // It has the position tiers, too.
    detail: { keepSeconds: 300 },
    'detail/country': { keepSeconds: 300 },
    support_currencies: { keepSeconds: 300 },
  }),

  [
    'account',
    'GET',
    ACCOUNT,
    `assets asset/{currency} transfer_record risk_limit discountType feeDeductConfigs
     tiered_fee_rate tiered_fee_rate/v2 contract/fee_rate contract/zero_fee_rate
     config/contractFeeDiscountConfig profit_rate/{type} asset_book/order_deal_fee/total
     asset/analysis/{type}`,
  ],
  [
    'account',
    'GET',
    POSITION,
    'open_positions list/history_positions funding_records position_mode leverage',
  ],
  [
    'account',
    'GET',
    ORDER,
    `get/{orderId} external/{symbol}/{externalOid} batch_query deal_details/{orderId} fee_details
     list/open_orders list/open_orders/{symbol} list/history_orders list/close_orders
     list/order_deals list/order_deals/v3`,
  ],
  ['account', 'GET', PLAN, 'list/orders'],
  ['account', 'GET', STOP, 'list/orders open_orders order_details/{stopOrderId}'],
  ['account', 'GET', TRACK, 'list/orders'],
  // Reads, although they are POST.
  ['account', 'POST', ORDER, 'batch_query_with_external open_order_total_count'],
  [
    'account',
    'POST',
    `${ACCOUNT}asset/analysis/`,
    'v3 calendar/daily/v3 calendar/monthly/v3 recent/v3',
  ],

  ...rowsBelow('cancel', 'POST', ORDER, {
    cancel: { order: forms.cancelling },
    cancel_with_external: { order: forms.cancellingByOwnId },
    batch_cancel_with_external: { order: forms.cancellingByOwnId },
    cancel_all: { cancelsAll: cancelsAllOf(undefined) },
  }),
  ...rowsBelow('cancel', 'POST', PLAN, {
    cancel: { order: forms.triggerCancels.planorder },
    cancel_all: { cancelsAll: cancelsAllOf('planorder') },
  }),
  ...rowsBelow('cancel', 'POST', STOP, {
    cancel: { order: forms.triggerCancels.stoporder },
    cancel_all: { cancelsAll: cancelsAllStops },
  }),
  ...rowsBelow('cancel', 'POST', TRACK, {
    // What it cancels without an id is not documented.
    cancel: { order: forms.triggerCancels.trackorder },
  }),

  ...rowsBelow('order', 'POST', ORDER, {
    create: { order: forms.placingOne, effect: effects.ordering },
    submit: { order: forms.placingOne, effect: effects.ordering },
    submit_batch: { order: forms.placingSeveral, effect: effects.ordering },
    change_limit_order: { order: forms.changing, effect: effects.changing },
    chase_limit_order: { effect: 'the exchange chooses the price of the order, and changes it' },
  }),
  ...rowsBelow('order', 'POST', PLAN, {
    place: { order: forms.planPlacing, effect: effects.planning },
    'place/v2': { order: forms.planPlacing, effect: effects.planning },
    change_price: { effect: effects.planChanging },
    change_stop_order: { effect: effects.stopChange('orderId', 'planorder') },
  }),
  ...rowsBelow('order', 'POST', STOP, {
    place: { order: forms.stopPlacing, effect: effects.positionStop },
    change_price: { effect: effects.stopChange('orderId') },
    change_plan_price: { effect: effects.stopChange('stopPlanOrderId', 'stoporder') },
  }),
  ...rowsBelow('order', 'POST', TRACK, {
    // A trailing stop trades once, its own size, like every trigger order: no strategy.
    place: { order: forms.trackPlacing, effect: effects.tracking },
    change_order: { order: forms.trackChanging, effect: effects.trackChanging },
  }),
  ...rowsBelow('order', 'POST', POSITION, {
    // An order that closes one position and opens the opposite one.
    reverse: {
      closes: { sizeName: 'vol' },
      effect:
        'it closes a position and opens the opposite one; how much that is depends on the position',
    },
  }),

  ...rowsBelow('settings', 'POST', POSITION, {
    change_leverage: { effect: effects.leverageSetting },
    change_margin: { effect: effects.marginSetting },
    change_position_mode: { changesMode: true },
    // From then on the exchange adds margin by itself.
    change_auto_add_im: { effect: effects.autoMarginSetting },
    close_all: { closes: 'all', effect: effects.closingAll },
  }),
  ...rowsBelow('settings', 'POST', ACCOUNT, {
    change_risk_level: {},
  }),
]

export const calls = readCallTable(rows, mexcClosed)
