import { mexcClosed } from './closed.ts'
import { readPolicy } from './rules.ts'

const SPOT = '/api/v3/'
const CONTRACT = '/api/v1/contract/'
const FUTURES = '/api/v1/private/'
const COIN_LIST = 'capital/config/getall'

/** Market data that MEXC gives only to callers with a key (docs/exchanges/mexc.md, 8). */
export const mexcSignedMarketData: ReadonlySet<string> = new Set([`${SPOT}${COIN_LIST}`])

/**
 * What clients may do on MEXC (docs/exchanges/mexc.md, 3, 4 and 8), each call by name. What is not
 * here is never done; `closed.ts` has the reasons.
 */
export const mexcPolicy = readPolicy(
  [
    [
      'market',
      'GET',
      SPOT,
      `ping time exchangeInfo defaultSymbols depth trades aggTrades historicalTrades klines avgPrice
       ticker/24hr ticker/price ticker/bookTicker announcements symbol/offline etf/info`,
    ],
    // Facts about coins: no balance, no address. Libraries ask for it when they start with a key.
    ['market', 'GET', SPOT, COIN_LIST],
    [
      'market',
      'GET',
      CONTRACT,
      `ping detail detail/country support_currencies ticker risk_reverse risk_reverse/history
       depth/{symbol} depth_commits/{symbol}/{limit} deals/{symbol}
       index_price/{symbol} fair_price/{symbol} funding_rate/{symbol} funding_rate/history
       kline/{symbol} kline/index_price/{symbol} kline/fair_price/{symbol}`,
    ],

    [
      'account',
      'GET',
      SPOT,
      `account order openOrders allOrders myTrades tradeFee selfSymbols kyc/status uid
       mxDeduct/enable strategy/group strategy/group/uid`,
    ],
    [
      'account',
      'GET',
      `${FUTURES}account/`,
      `assets asset/{currency} transfer_record risk_limit discountType feeDeductConfigs
       tiered_fee_rate tiered_fee_rate/v2 contract/fee_rate contract/zero_fee_rate
       config/contractFeeDiscountConfig profit_rate/{type} asset_book/order_deal_fee/total
       asset/analysis/{type}`,
    ],
    [
      'account',
      'GET',
      `${FUTURES}position/`,
      'open_positions list/history_positions funding_records position_mode leverage',
    ],
    [
      'account',
      'GET',
      `${FUTURES}order/`,
      `get/{orderId} external/{symbol}/{externalOid} batch_query deal_details/{orderId} fee_details
       list/open_orders list/open_orders/{symbol} list/history_orders list/close_orders
       list/order_deals list/order_deals/v3`,
    ],
    ['account', 'GET', `${FUTURES}planorder/`, 'list/orders'],
    [
      'account',
      'GET',
      `${FUTURES}stoporder/`,
      'list/orders open_orders order_details/{stopOrderId}',
    ],
    ['account', 'GET', `${FUTURES}trackorder/`, 'list/orders'],
    // Reads, although they are POST.
    ['account', 'POST', `${FUTURES}order/`, 'batch_query_with_external open_order_total_count'],
    [
      'account',
      'POST',
      `${FUTURES}account/asset/analysis/`,
      'v3 calendar/daily/v3 calendar/monthly/v3 recent/v3',
    ],

    // `order/all` cancels every open spot order of the account.
    ['cancel', 'DELETE', SPOT, 'order openOrders order/all'],
    [
      'cancel',
      'POST',
      `${FUTURES}order/`,
      'cancel cancel_with_external batch_cancel_with_external cancel_all',
    ],
    ['cancel', 'POST', `${FUTURES}planorder/`, 'cancel cancel_all'],
    ['cancel', 'POST', `${FUTURES}stoporder/`, 'cancel cancel_all'],
    ['cancel', 'POST', `${FUTURES}trackorder/`, 'cancel'],

    ['order', 'POST', SPOT, 'order order/test batchOrders'],
    [
      'order',
      'POST',
      `${FUTURES}order/`,
      'create submit submit_batch change_limit_order chase_limit_order',
    ],
    ['order', 'POST', `${FUTURES}planorder/`, 'place place/v2 change_price change_stop_order'],
    ['order', 'POST', `${FUTURES}stoporder/`, 'place change_price change_plan_price'],
    // A trailing stop trades once, its own size, like every trigger order: no strategy.
    ['order', 'POST', `${FUTURES}trackorder/`, 'place change_order'],
    // An order that closes one position and opens the opposite one.
    ['order', 'POST', `${FUTURES}position/`, 'reverse'],

    [
      'settings',
      'POST',
      `${FUTURES}position/`,
      'change_leverage change_margin change_position_mode change_auto_add_im close_all',
    ],
    ['settings', 'POST', `${FUTURES}account/`, 'change_risk_level'],
    // Paying fees with MX; groups of accounts whose orders do not trade with each other, which MEXC
    // calls strategy groups: nothing in them trades.
    ['settings', 'POST', SPOT, 'mxDeduct/enable strategy/group strategy/group/uid'],
    ['settings', 'DELETE', SPOT, 'strategy/group strategy/group/uid'],
  ],
  mexcClosed,
)
