import { expect, test } from 'vitest'
import type { ExchangeCode, HttpMethod } from '../exchange.ts'
import { bitgetPolicy } from './bitget.ts'
import { mexcPolicy } from './mexc.ts'
import { type CallKind, kindOf, namesIn } from './rules.ts'

const POLICIES = { mx: mexcPolicy, bg: bitgetPolicy }

/**
 * `METHOD path`, as the facts pages list them (docs/exchanges/mexc.md, 3, 4 and 8;
 * docs/exchanges/bitget.md, 3, 4, 10 and 11).
 */
const table: Record<ExchangeCode, Record<CallKind, string>> = {
  mx: {
    market: `
      GET /api/v3/ping
      GET /api/v3/time
      GET /api/v3/exchangeInfo
      GET /api/v3/defaultSymbols
      GET /api/v3/depth
      GET /api/v3/trades
      GET /api/v3/aggTrades
      GET /api/v3/historicalTrades
      GET /api/v3/klines
      GET /api/v3/avgPrice
      GET /api/v3/ticker/24hr
      GET /api/v3/ticker/price
      GET /api/v3/ticker/bookTicker
      GET /api/v3/capital/config/getall
      GET /api/v3/announcements
      GET /api/v3/symbol/offline
      GET /api/v3/etf/info
      GET /api/v1/contract/ping
      GET /api/v1/contract/detail
      GET /api/v1/contract/support_currencies
      GET /api/v1/contract/depth/BTC_USDT
      GET /api/v1/contract/depth_commits/BTC_USDT/20
      GET /api/v1/contract/funding_rate/history
      GET /api/v1/contract/kline/BTC_USDT`,
    account: `
      GET /api/v3/account
      GET /api/v3/order
      GET /api/v3/openOrders
      GET /api/v3/allOrders
      GET /api/v3/myTrades
      GET /api/v3/tradeFee
      GET /api/v3/selfSymbols
      GET /api/v3/kyc/status
      GET /api/v3/uid
      GET /api/v3/mxDeduct/enable
      GET /api/v1/private/account/assets
      GET /api/v1/private/account/asset/USDT
      GET /api/v1/private/account/transfer_record
      GET /api/v1/private/position/open_positions
      GET /api/v1/private/position/list/history_positions
      GET /api/v1/private/position/leverage
      GET /api/v1/private/order/get/101716841474621953
      GET /api/v1/private/order/external/BTC_USDT/own-1
      GET /api/v1/private/order/batch_query
      GET /api/v1/private/order/list/open_orders/BTC_USDT
      GET /api/v1/private/order/list/order_deals/v3
      GET /api/v1/private/planorder/list/orders
      GET /api/v1/private/stoporder/open_orders
      GET /api/v1/private/trackorder/list/orders
      POST /api/v1/private/order/batch_query_with_external
      POST /api/v1/private/order/open_order_total_count
      POST /api/v1/private/account/asset/analysis/v3
      POST /api/v1/private/account/asset/analysis/calendar/daily/v3
      GET /api/v1/private/account/asset/analysis/today_pnl
      GET /api/v1/private/stoporder/order_details/1
      GET /api/v3/strategy/group
      GET /api/v3/strategy/group/uid`,
    cancel: `
      DELETE /api/v3/order
      DELETE /api/v3/openOrders
      DELETE /api/v3/order/all
      POST /api/v1/private/order/cancel
      POST /api/v1/private/order/cancel_with_external
      POST /api/v1/private/order/batch_cancel_with_external
      POST /api/v1/private/order/cancel_all
      POST /api/v1/private/planorder/cancel
      POST /api/v1/private/planorder/cancel_all
      POST /api/v1/private/stoporder/cancel
      POST /api/v1/private/stoporder/cancel_all
      POST /api/v1/private/trackorder/cancel`,
    order: `
      POST /api/v3/order
      POST /api/v3/order/test
      POST /api/v3/batchOrders
      POST /api/v1/private/order/create
      POST /api/v1/private/order/submit
      POST /api/v1/private/order/submit_batch
      POST /api/v1/private/order/change_limit_order
      POST /api/v1/private/order/chase_limit_order
      POST /api/v1/private/planorder/place
      POST /api/v1/private/planorder/place/v2
      POST /api/v1/private/planorder/change_price
      POST /api/v1/private/planorder/change_stop_order
      POST /api/v1/private/stoporder/place
      POST /api/v1/private/stoporder/change_price
      POST /api/v1/private/stoporder/change_plan_price
      POST /api/v1/private/trackorder/place
      POST /api/v1/private/trackorder/change_order
      POST /api/v1/private/position/reverse`,
    settings: `
      POST /api/v1/private/position/change_leverage
      POST /api/v1/private/position/change_margin
      POST /api/v1/private/position/change_position_mode
      POST /api/v1/private/position/change_auto_add_im
      POST /api/v1/private/position/close_all
      POST /api/v1/private/account/change_risk_level
      POST /api/v3/mxDeduct/enable
      POST /api/v3/strategy/group
      POST /api/v3/strategy/group/uid
      DELETE /api/v3/strategy/group
      DELETE /api/v3/strategy/group/uid`,
    strategies: '',
    never: `
      POST /api/v3/capital/withdraw
      DELETE /api/v3/capital/withdraw
      POST /api/v3/capital/withdraw/apply
      GET /api/v3/capital/withdraw/history
      GET /api/v3/capital/deposit/hisrec
      GET /api/v3/capital/deposit/address
      POST /api/v3/capital/deposit/address
      POST /api/v3/capital/transfer
      GET /api/v3/capital/transfer
      POST /api/v3/capital/transfer/internal
      POST /api/v3/capital/sub-account/universalTransfer
      POST /api/v3/capital/convert
      POST /api/v3/capital/config/getall
      POST /api/v3/sub-account/virtualSubAccount
      GET /api/v3/sub-account/list
      POST /api/v3/sub-account/apiKey
      GET /api/v3/sub-account/apiKey
      DELETE /api/v3/sub-account/apiKey
      POST /api/v3/sub-account/futures
      POST /api/v3/sub-account/margin
      POST /api/v3/apiKeyInfo
      GET /api/v3/broker/sub-account/list
      POST /api/v3/broker/capital/withdraw
      POST /api/v3/margin/loan
      GET /api/v3/rebate/taxQuery
      POST /api/v3/userDataStream
      GET /api/v3/userDataStream
      PUT /api/v3/userDataStream
      DELETE /api/v3/userDataStream
      GET /open/api/v2/account/info
      POST /open/api/v2/order/place
      PUT /api/v3/order
      DELETE /api/v3/account
      POST /api/v3/account
      POST /api/v1/contract/detail
      DELETE /api/v1/private/order/cancel
      POST /api/v1/private/order/unheard_of
      POST /api/v1/private/planorder/unheard_of
      POST /api/v1/private/stoporder/place/v9
      POST /api/v1/private/trackorder/cancel_all
      POST /api/v1/private/account/asset/analysis/today
      GET /api/v1/private/order/create
      GET /api/v1/private/order/cancel_all
      GET /api/v1/private/order/get
      GET /api/v1/private/order/get/1/2
      GET /api/v1/private/order/GET/1
      GET /api/v1/private/planorder/place
      GET /api/v1/private/position/change_leverage
      GET /api/v1/contract/unheard_of
      GET /api/v1/contract/depth
      GET /api/v3/apiKeyInfo
      GET /api/v3/account.json
      GET /api/v3/strategy/unheard_of
      POST /api/v3/strategy/twap
      PUT /api/v3/strategy/group
      DELETE /api/v3/order/ALL
      DELETE /api/v3/order/all/x
      POST /api/v1/private/market_maker/self_trade/blacklist/add
      GET /api/v1/private
      GET /api/v1/contract
      GET /api/v2/anything
      GET /api/v3/orders
      GET /api/v3/orde
      GET /API/v3/order
      GET /api/v3/Order`,
  },
  bg: {
    market: `
      GET /api/v2/public/time
      GET /api/v2/public/annoucements
      GET /api/v3/public/time
      GET /api/v2/spot/public/symbols
      GET /api/v2/spot/public/coins
      GET /api/v2/spot/market/tickers
      GET /api/v2/spot/market/orderbook
      GET /api/v2/mix/market/contracts
      GET /api/v2/mix/market/merge-depth
      GET /api/v2/margin/currencies
      GET /api/v2/margin/market/long-short-ratio
      GET /api/v3/reality/market/states
      GET /api/v3/market/instruments
      GET /api/v3/market/tickers`,
    account: `
      GET /api/v2/spot/account/info
      GET /api/v2/spot/account/assets
      GET /api/v2/spot/account/bills
      GET /api/v2/spot/trade/orderInfo
      GET /api/v2/spot/trade/unfilled-orders
      GET /api/v2/spot/trade/history-orders
      GET /api/v2/spot/trade/fills
      GET /api/v2/spot/trade/current-plan-order
      GET /api/v2/mix/account/account
      GET /api/v2/mix/account/accounts
      GET /api/v2/mix/account/bill
      GET /api/v2/mix/position/all-position
      GET /api/v2/mix/position/single-position
      GET /api/v2/mix/position/history-position
      GET /api/v2/mix/order/detail
      GET /api/v2/mix/order/orders-pending
      GET /api/v2/mix/order/fill-history
      GET /api/v2/mix/order/orders-plan-pending
      GET /api/v2/account/all-account-balance
      GET /api/v2/account/funding-assets
      GET /api/v2/account/bot-assets
      GET /api/v2/common/trade-rate
      GET /api/v2/common/all-trade-rate
      GET /api/v3/account/assets
      GET /api/v3/account/settings
      GET /api/v3/account/info
      GET /api/v3/account/fee-rate
      GET /api/v3/account/financial-records
      GET /api/v3/account/funding-assets
      GET /api/v3/account/all-fee-rate
      GET /api/v3/account/max-open-available
      GET /api/v3/account/reality-fills
      GET /api/v3/user/rate-limit-quota
      GET /api/v3/trade/grid/bot-detail
      GET /api/v3/trade/loan-data
      GET /api/v3/trade/order-info
      GET /api/v3/trade/unfilled-orders
      GET /api/v3/position/current-position
      POST /api/v3/account/max-open-available`,
    cancel: `
      POST /api/v2/spot/trade/cancel-order
      POST /api/v2/spot/trade/batch-cancel-order
      POST /api/v2/spot/trade/cancel-symbol-order
      POST /api/v2/spot/trade/cancel-plan-order
      POST /api/v2/spot/trade/batch-cancel-plan-order
      POST /api/v2/mix/order/cancel-order
      POST /api/v2/mix/order/batch-cancel-orders
      POST /api/v2/mix/order/cancel-all-orders
      POST /api/v2/mix/order/cancel-plan-order
      POST /api/v3/trade/cancel-order
      POST /api/v3/trade/cancel-batch
      POST /api/v3/trade/cancel-symbol-order
      POST /api/v3/trade/cancel-strategy-order
      POST /api/v3/trade/countdown-cancel-all`,
    order: `
      POST /api/v2/spot/trade/place-order
      POST /api/v2/spot/trade/batch-orders
      POST /api/v2/spot/trade/cancel-replace-order
      POST /api/v2/spot/trade/batch-cancel-replace-order
      POST /api/v2/spot/trade/place-plan-order
      POST /api/v2/spot/trade/modify-plan-order
      POST /api/v2/mix/order/place-order
      POST /api/v2/mix/order/batch-place-order
      POST /api/v2/mix/order/modify-order
      POST /api/v2/mix/order/close-positions
      POST /api/v2/mix/order/click-backhand
      POST /api/v2/mix/order/place-plan-order
      POST /api/v2/mix/order/modify-plan-order
      POST /api/v2/mix/order/place-tpsl-order
      POST /api/v2/mix/order/place-pos-tpsl
      POST /api/v2/mix/order/modify-tpsl-order
      POST /api/v3/trade/place-order
      POST /api/v3/trade/modify-order
      POST /api/v3/trade/place-batch
      POST /api/v3/trade/close-positions
      POST /api/v3/trade/batch-modify-order
      POST /api/v3/trade/place-strategy-order
      POST /api/v3/trade/modify-strategy-order`,
    settings: `
      POST /api/v2/mix/account/set-leverage
      POST /api/v2/mix/account/set-all-leverage
      POST /api/v2/mix/account/set-margin-mode
      POST /api/v2/mix/account/set-position-mode
      POST /api/v2/mix/account/set-margin
      POST /api/v2/mix/account/set-auto-margin
      POST /api/v2/mix/account/set-asset-mode
      POST /api/v3/account/set-leverage
      POST /api/v3/account/set-margin
      POST /api/v3/account/set-collateral-type
      POST /api/v3/account/set-hold-mode`,
    strategies: `
      POST /api/v3/trade/grid/create-bot
      POST /api/v3/trade/grid/create-neutral-bot
      POST /api/v3/trade/grid/add-investment
      POST /api/v3/trade/grid/close-bot
      POST /api/v3/trade/grid/modify-neutral-grid-interval
      POST /api/v3/trade/grid/validate`,
    never: `
      POST /api/v2/spot/wallet/transfer
      POST /api/v2/spot/wallet/subaccount-transfer
      POST /api/v2/spot/wallet/withdrawal
      POST /api/v2/spot/wallet/cancel-withdrawal
      POST /api/v2/spot/wallet/modify-deposit-account
      GET /api/v2/spot/wallet/deposit-address
      GET /api/v2/spot/wallet/transfer-coin-info
      GET /api/v2/spot/wallet/withdrawal-records
      POST /api/v2/user/create-virtual-subaccount
      POST /api/v2/user/batch-create-subaccount-and-apikey
      POST /api/v2/user/create-virtual-subaccount-apikey
      POST /api/v2/user/modify-virtual-subaccount-apikey
      GET /api/v2/user/virtual-subaccount-apikey-list
      GET /api/v2/broker/account/info
      POST /api/v2/convert/trade
      POST /api/v2/earn/savings/subscribe
      GET /api/v2/p2p/merchantList
      GET /api/v2/tax/spot-record
      POST /api/v2/copy/mix-trader/create-copy-api
      POST /api/v2/copy/mix-trader/order-close-positions
      GET /api/v2/margin/crossed/account/assets
      POST /api/v2/margin/crossed/account/borrow
      POST /api/v2/margin/isolated/account/repay
      POST /api/v2/margin/crossed/place-order
      POST /api/v2/margin/currencies
      POST /api/v2/mix/account/union-convert
      GET /api/v2/mix/account/sub-account-assets
      GET /api/v2/spot/account/subaccount-assets
      GET /api/v2/spot/account/transferRecords
      POST /api/v2/spot/account/switch-deduct
      POST /api/v2/spot/account/upgrade
      GET /api/v2/spot/ins-loan/product-infos
      POST /api/v3/account/transfer
      POST /api/v3/account/sub-transfer
      POST /api/v3/account/sub-master-transfer
      POST /api/v3/account/withdrawal
      POST /api/v3/account/deposit-account
      POST /api/v3/account/repay
      POST /api/v3/account/switch
      POST /api/v3/account/switch-deduct
      POST /api/v3/account/adjust-account-mode
      GET /api/v3/account/deposit-address
      GET /api/v3/account/sub-deposit-address
      GET /api/v3/user/sub-list
      POST /api/v3/user/create-sub
      POST /api/v3/user/create-sub-api
      POST /api/v3/user/delete-sub-api
      GET /api/v3/ins-loan/transfered
      GET /api/spot/v1/account/assets
      POST /api/spot/v1/trade/orders
      POST /api/mix/v1/order/placeOrder
      POST /api/margin/v1/cross/account/borrow
      GET /api/broker/v1/account/info
      POST /api/user/v1/sub/virtual-create
      GET /api/p2p/v1/merchant/merchantList
      DELETE /api/v2/spot/trade/place-order
      PUT /api/v2/spot/trade/place-order
      POST /api/v2/spot/trade/unheard-of
      POST /api/v3/trade/unheard-of
      POST /api/v3/trade/grid/unheard-of
      POST /api/v3/trade/place-reality-order
      POST /api/v3/trade/cancel-reality-order
      POST /api/v3/trade/Place-Order
      POST /api/v3/trade/place-order.json
      POST /api/v3/trade/place-order/x
      POST /api/v3/trade
      GET /api/v3/trade/place-order
      GET /api/v3/trade/grid/create-bot
      GET /api/v3/trade/unheard-of
      GET /api/v3/position/close
      GET /api/v2/mix/order/place-order
      GET /api/v2/spot/trade/cancel-order
      GET /api/v2/mix/account/sub-account-assets.json
      GET /api/v2/mix/account/Sub-Account-Assets
      GET /api/v2/mix/account/set-leverage
      GET /api/v2/account/unheard-of
      GET /api/v2/spot/market/unheard-of
      GET /api/v3/market/unheard-of
      POST /api/v3/user/set-rate-limit-quota
      POST /api/v2/account/funding-assets
      GET /api/v3/order
      GET /api/v2/mix/market`,
  },
}

const calls = Object.entries(table).flatMap(([exchange, kinds]) =>
  Object.entries(kinds).flatMap(([kind, lines]) =>
    lines
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [exchange as ExchangeCode, line.trim(), kind] as const),
  ),
)

test.each(calls)('on %s %s is %s', (exchange, line, kind) => {
  const [method, path = ''] = line.split(' ')
  expect(kindOf(POLICIES[exchange], method as HttpMethod, path)).toBe(kind)
})

const lines = Object.entries(POLICIES).flatMap(([exchange, policy]) =>
  policy.lines.flatMap(([, method, below, names]) =>
    namesIn(names).map((name) => ({ exchange, method, call: `${method} ${below}${name}`, name })),
  ),
)

test('no call is open by a wildcard, and none that writes has a parameter in its path', () => {
  for (const { method, call } of lines) {
    expect(call).toMatch(/^[A-Z]+ (?:\/(?:[\w-]+|\{\w+\}))+$/)
    if (method !== 'GET') expect(call).not.toContain('{')
  }
})

test('no call is named twice', () => {
  const named = lines.map(({ exchange, call }) => `${exchange} ${call}`)
  expect(named.filter((call, index) => named.indexOf(call) !== index)).toEqual([])
})
