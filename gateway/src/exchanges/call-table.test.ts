import { expect, test } from 'vitest'
import { bitget } from './bitget/index.ts'
import { type CallKind, closedReason, kindByBody, kindOf, namesIn } from './call-table.ts'
import type { ExchangeCode, HttpMethod } from './exchange.ts'
import { adapters } from './registry.ts'

/**
 * `METHOD below names`, as the facts pages list them (docs/exchanges/mexc.md, 3 and 8;
 * mexc-futures.md, 4; docs/exchanges/bitget.md, 3, 4, 10 and 11).
 */
const table: Record<ExchangeCode, Record<CallKind, string>> = {
  mx: {
    market: `
      GET /api/v3/ ping time exchangeInfo defaultSymbols depth trades aggTrades historicalTrades
      GET /api/v3/ klines avgPrice ticker/24hr ticker/price ticker/bookTicker
      GET /api/v3/ capital/config/getall announcements symbol/offline etf/info
      GET /api/v1/contract/ ping detail support_currencies depth/BTC_USDT
      GET /api/v1/contract/ depth_commits/BTC_USDT/20 funding_rate/history kline/BTC_USDT`,
    account: `
      GET /api/v3/ account order openOrders allOrders myTrades tradeFee selfSymbols kyc/status uid
      GET /api/v3/ mxDeduct/enable strategy/group strategy/group/uid
      GET /api/v1/private/account/ assets asset/USDT transfer_record asset/analysis/today_pnl
      GET /api/v1/private/ position/open_positions position/list/history_positions
      GET /api/v1/private/ position/leverage planorder/list/orders stoporder/open_orders
      GET /api/v1/private/ trackorder/list/orders stoporder/order_details/1
      GET /api/v1/private/order/ get/101716841474621953 external/BTC_USDT/own-1 batch_query
      GET /api/v1/private/order/ list/open_orders/BTC_USDT list/order_deals/v3
      POST /api/v1/private/ order/batch_query_with_external order/open_order_total_count
      POST /api/v1/private/ account/asset/analysis/v3 account/asset/analysis/calendar/daily/v3`,
    cancel: `
      DELETE /api/v3/ order openOrders order/all
      POST /api/v1/private/order/ cancel cancel_with_external batch_cancel_with_external
      POST /api/v1/private/order/ cancel_all
      POST /api/v1/private/ planorder/cancel planorder/cancel_all stoporder/cancel
      POST /api/v1/private/ stoporder/cancel_all trackorder/cancel`,
    order: `
      POST /api/v3/ order order/test batchOrders
      POST /api/v1/private/order/ create submit submit_batch change_limit_order chase_limit_order
      POST /api/v1/private/planorder/ place place/v2 change_price change_stop_order
      POST /api/v1/private/ stoporder/place stoporder/change_price stoporder/change_plan_price
      POST /api/v1/private/ trackorder/place trackorder/change_order position/reverse`,
    settings: `
      POST /api/v1/private/position/ change_leverage change_margin change_position_mode
      POST /api/v1/private/position/ change_auto_add_im close_all
      POST /api/v1/ private/account/change_risk_level
      POST /api/v3/ mxDeduct/enable strategy/group strategy/group/uid
      DELETE /api/v3/ strategy/group strategy/group/uid`,
    strategies: '',
    never: `
      POST /api/v3/capital/ withdraw withdraw/apply deposit/address transfer transfer/internal
      POST /api/v3/capital/ sub-account/universalTransfer convert config/getall
      DELETE /api/v3/ capital/withdraw sub-account/apiKey userDataStream account order/ALL
      DELETE /api/v3/ order/all/x
      GET /api/v3/capital/ withdraw/history deposit/hisrec deposit/address transfer
      POST /api/v3/sub-account/ virtualSubAccount apiKey futures margin
      GET /api/v3/ sub-account/list sub-account/apiKey broker/sub-account/list rebate/taxQuery
      GET /api/v3/ userDataStream apiKeyInfo account.json strategy/unheard_of orders orde Order
      POST /api/v3/ apiKeyInfo broker/capital/withdraw margin/loan userDataStream account
      POST /api/v3/ strategy/twap
      PUT /api/v3/ userDataStream order strategy/group
      GET /open/api/ v2/account/info
      POST /open/api/ v2/order/place
      POST /api/v1/ contract/detail
      DELETE /api/v1/ private/order/cancel
      POST /api/v1/private/ order/unheard_of planorder/unheard_of stoporder/place/v9
      POST /api/v1/private/ trackorder/cancel_all account/asset/analysis/today
      POST /api/v1/private/ market_maker/self_trade/blacklist/add
      GET /api/v1/private/order/ create cancel_all get get/1/2 GET/1
      GET /api/v1/ private/planorder/place private/position/change_leverage contract/unheard_of
      GET /api/v1/ contract/depth private contract
      GET /api/v2/ anything
      GET /API/v3/ order`,
  },
  bg: {
    market: `
      GET /api/v2/ public/time public/annoucements mix/market/contracts mix/market/merge-depth
      GET /api/v2/ margin/currencies margin/market/long-short-ratio
      GET /api/v3/ public/time reality/market/states market/instruments market/tickers
      GET /api/v2/spot/ public/symbols public/coins market/tickers market/orderbook`,
    account: `
      GET /api/v2/ spot/account/info spot/account/assets spot/account/bills
      GET /api/v2/ account/all-account-balance account/funding-assets account/bot-assets
      GET /api/v2/ common/trade-rate common/all-trade-rate
      GET /api/v2/spot/trade/ orderInfo unfilled-orders history-orders fills current-plan-order
      GET /api/v2/mix/ account/account account/accounts account/bill position/all-position
      GET /api/v2/mix/ position/single-position position/history-position
      GET /api/v2/mix/order/ detail orders-pending fill-history orders-plan-pending
      GET /api/v3/account/ assets settings info fee-rate financial-records funding-assets
      GET /api/v3/account/ all-fee-rate max-open-available reality-fills
      GET /api/v3/ user/rate-limit-quota position/current-position
      GET /api/v3/trade/ grid/bot-detail loan-data order-info unfilled-orders
      POST /api/v3/ account/max-open-available`,
    cancel: `
      POST /api/v2/spot/trade/ cancel-order batch-cancel-order cancel-symbol-order
      POST /api/v2/spot/trade/ cancel-plan-order batch-cancel-plan-order
      POST /api/v2/mix/order/ cancel-order batch-cancel-orders cancel-all-orders cancel-plan-order
      POST /api/v3/trade/ cancel-order cancel-batch cancel-symbol-order cancel-strategy-order
      POST /api/v3/trade/ countdown-cancel-all`,
    order: `
      POST /api/v2/spot/trade/ place-order batch-orders cancel-replace-order
      POST /api/v2/spot/trade/ batch-cancel-replace-order place-plan-order modify-plan-order
      POST /api/v2/mix/order/ place-order batch-place-order modify-order close-positions
      POST /api/v2/mix/order/ click-backhand place-plan-order modify-plan-order place-tpsl-order
      POST /api/v2/mix/order/ place-pos-tpsl modify-tpsl-order
      POST /api/v3/trade/ place-order modify-order place-batch close-positions batch-modify-order
      POST /api/v3/trade/ place-strategy-order modify-strategy-order`,
    settings: `
      POST /api/v2/mix/account/ set-leverage set-all-leverage set-margin-mode set-position-mode
      POST /api/v2/mix/account/ set-margin set-auto-margin set-asset-mode
      POST /api/v3/account/ set-leverage set-margin set-collateral-type set-hold-mode`,
    strategies: `
      POST /api/v3/trade/grid/ create-bot create-neutral-bot add-investment close-bot
      POST /api/v3/trade/grid/ modify-neutral-grid-interval validate`,
    never: `
      POST /api/v2/spot/wallet/ transfer subaccount-transfer withdrawal cancel-withdrawal
      POST /api/v2/spot/wallet/ modify-deposit-account
      GET /api/v2/spot/ wallet/deposit-address wallet/transfer-coin-info wallet/withdrawal-records
      GET /api/v2/spot/ account/subaccount-assets account/transferRecords ins-loan/product-infos
      GET /api/v2/spot/ trade/cancel-order market/unheard-of
      POST /api/v2/user/ create-virtual-subaccount batch-create-subaccount-and-apikey
      POST /api/v2/user/ create-virtual-subaccount-apikey modify-virtual-subaccount-apikey
      GET /api/v2/ user/virtual-subaccount-apikey-list broker/account/info p2p/merchantList
      GET /api/v2/ tax/spot-record margin/crossed/account/assets mix/order/place-order
      GET /api/v2/ account/unheard-of mix/market
      POST /api/v2/ convert/trade earn/savings/subscribe copy/mix-trader/create-copy-api
      POST /api/v2/ copy/mix-trader/order-close-positions mix/account/union-convert
      POST /api/v2/ spot/account/switch-deduct spot/account/upgrade spot/trade/unheard-of
      POST /api/v2/ account/funding-assets
      POST /api/v2/margin/ crossed/account/borrow isolated/account/repay crossed/place-order
      POST /api/v2/margin/ currencies
      GET /api/v2/mix/account/ sub-account-assets sub-account-assets.json Sub-Account-Assets
      GET /api/v2/mix/account/ set-leverage
      POST /api/v3/account/ transfer sub-transfer sub-master-transfer withdrawal deposit-account
      POST /api/v3/account/ repay switch switch-deduct adjust-account-mode
      GET /api/v3/ account/deposit-address account/sub-deposit-address user/sub-list
      GET /api/v3/ ins-loan/transfered trade/place-order trade/grid/create-bot trade/unheard-of
      GET /api/v3/ position/close market/unheard-of order
      POST /api/v3/user/ create-sub create-sub-api delete-sub-api set-rate-limit-quota
      GET /api/spot/ v1/account/assets
      POST /api/spot/ v1/trade/orders
      POST /api/mix/ v1/order/placeOrder
      POST /api/margin/ v1/cross/account/borrow
      GET /api/broker/ v1/account/info
      POST /api/user/ v1/sub/virtual-create
      GET /api/p2p/ v1/merchant/merchantList
      DELETE /api/v2/ spot/trade/place-order
      PUT /api/v2/ spot/trade/place-order
      POST /api/v3/trade/ unheard-of grid/unheard-of place-reality-order cancel-reality-order
      POST /api/v3/trade/ Place-Order place-order.json place-order/x
      POST /api/v3/ trade`,
  },
}

const calls = Object.entries(table).flatMap(([exchange, kinds]) =>
  Object.entries(kinds).flatMap(([kind, text]) =>
    text.split('\n').flatMap((line) => {
      const [method = '', below = '', ...names] = namesIn(line)
      return names.map((name) => [exchange as ExchangeCode, method, below + name, kind] as const)
    }),
  ),
)

test.each(calls)('on %s %s %s is %s', (exchange, method, path, kind) => {
  const apis = adapters.ofCode(exchange)
  const kinds = apis.map(({ calls: table }) => kindOf(table, method as HttpMethod, path))
  expect(kinds.filter((each) => each !== 'never')).toEqual(kind === 'never' ? [] : [kind])
})

const lines = adapters.all.flatMap(({ code, calls: { rows } }) =>
  rows.flatMap(([, method, below, names]) =>
    namesIn(names).map((name) => ({ code, method, call: `${method} ${below}${name}` })),
  ),
)

test('no call is open by a wildcard, and none that writes has a parameter in its path', () => {
  for (const { method, call } of lines) {
    expect(call).toMatch(/^[A-Z]+ (?:\/(?:[\w-]+|\{\w+\}))+$/)
    if (method !== 'GET') expect(call).not.toContain('{')
  }
})

test('a call with facts has a row of its own, below what its API owns', () => {
  for (const { botCalls, calls: table } of adapters.all)
    for (const [, , below, names, facts] of table.rows) {
      if (facts !== undefined) expect(namesIn(names), below).toHaveLength(1)
      expect(botCalls.ownsPath(below), below).toBe(true)
    }
})

test('only market data is kept for every caller, as long as its row says', () => {
  const kept = adapters.all.flatMap(({ calls: { rows } }) =>
    rows.filter(([, , , , facts]) => facts?.keepSeconds !== undefined),
  )
  expect(kept.length).toBeGreaterThan(10)
  for (const [kind, method, below, names, { keepSeconds } = {}] of kept) {
    expect([kind, method], below + names).toEqual(['market', 'GET'])
    expect(names).not.toContain('{')
    expect(keepSeconds).toBeGreaterThanOrEqual(10)
    expect(keepSeconds).toBeLessThanOrEqual(3_600)
  }
})

test('no call is named twice', () => {
  const named = lines.map(({ code, call }) => `${code} ${call}`)
  expect(named.filter((call, index) => named.indexOf(call) !== index)).toEqual([])
})

test('no call is open and closed, except market data below the margin prefix', () => {
  const both = adapters.all.flatMap(({ calls }) =>
    calls.rows.flatMap(([, method, below, names]) =>
      namesIn(names)
        .map((name) => `${below}${name}`)
        .filter((path) => closedReason(calls, method, path) !== undefined)
        .map((path) => `${method} ${path}`),
    ),
  )
  expect(both).toEqual([
    'GET /api/v2/margin/currencies',
    'GET /api/v2/margin/market/long-short-ratio',
  ])
})

test.each([
  ['bg', 'POST', '/api/v3/trade/place-reality-order', 'stock tokens'],
  ['bg', 'POST', '/api/v3/account/transfer', 'it moves'],
  ['bg', 'GET', '/api/spot/v1/account/assets', 'an older API'],
  ['mx', 'GET', '/api/v3/apiKeyInfo', 'API keys'],
  ['mx', 'DELETE', '/api/v3/capital/withdraw', 'it moves'],
] as const)('the reason why %s %s %s is closed is known', (exchange, method, path, reason) => {
  for (const { calls } of adapters.ofCode(exchange))
    expect(closedReason(calls, method, path)).toContain(reason)
})

test.each([
  ['bg', 'POST', '/api/v3/trade/unheard-of'],
  ['bg', 'GET', '/api/v3/account/transfer'],
  ['bg', 'POST', '/api/v2/spot/wallet'],
  ['mx', 'POST', '/api/v3/capital/config/getall'],
  ['mx', 'POST', '/api/v3/order'],
] as const)('nobody decided to close %s %s %s', (exchange, method, path) => {
  for (const { calls } of adapters.ofCode(exchange))
    expect(closedReason(calls, method, path)).toBeUndefined()
})

const CLOSE = 'POST /api/v3/trade/close-positions'
const STRATEGY = 'POST /api/v3/trade/place-strategy-order'

test.each([
  [CLOSE, '{"category":"USDT-FUTURES","symbol":"BTCUSDT"}', 'order'],
  ['POST /api/v2/mix/order/close-positions', '{"symbol":"BTCUSDT"}', 'order'],
  ['POST /api/v2/mix/order/close-positions', '{"productType":"USDT-FUTURES"}', 'settings'],
  [CLOSE, '{"category":"USDT-FUTURES"}', 'settings'],
  [CLOSE, '{"symbol":""}', 'settings'],
  [CLOSE, '{"symbol":" "}', 'settings'],
  [CLOSE, '{"symbol":null}', 'settings'],
  [CLOSE, '{"symbol":["BTCUSDT"]}', 'settings'],
  [CLOSE, '{"Symbol":"BTCUSDT"}', 'settings'],
  [CLOSE, '{"symbol":"","symbol":"BTCUSDT"}', 'settings'],
  [CLOSE, '{"symbol":"BTCUSDT","symbol":""}', 'settings'],
  [CLOSE, '{"order":{"symbol":"BTCUSDT"}}', 'settings'],
  [CLOSE, '[{"symbol":"BTCUSDT"}]', 'settings'],
  [CLOSE, 'symbol=BTCUSDT', 'settings'],
  [CLOSE, '', 'settings'],
  [STRATEGY, '{"symbol":"BTCUSDT"}', 'order'],
  [STRATEGY, '{"type":"tpsl"}', 'order'],
  [STRATEGY, '{"type":"trigger"}', 'order'],
  [STRATEGY, '{"type":null}', 'order'],
  [STRATEGY, '{"type":"twap"}', 'strategies'],
  [STRATEGY, '{"type":"tpsl","type":"twap"}', 'strategies'],
  [STRATEGY, '{"\\u0074ype":"twap"}', 'strategies'],
  [STRATEGY, '{"type":{}}', 'strategies'],
  // Parsers exist that take other spellings of a name for the same field.
  [CLOSE, '{"symbol":"BTCUSDT","Symbol":""}', 'settings'],
  [CLOSE, '{"symbol":"BTCUSDT","sym_bol":null}', 'settings'],
  [STRATEGY, '{"Type":"twap"}', 'strategies'],
  [STRATEGY, '{"type":"tpsl","_type":"twap"}', 'strategies'],
  [STRATEGY, '{" type ":"twap"}', 'strategies'],
  [STRATEGY, '[{"type":"twap"}]', 'strategies'],
  [STRATEGY, 'type=twap', 'strategies'],
  [STRATEGY, '{"type":"tpsl"} {"type":"twap"}', 'strategies'],
  [STRATEGY, '', 'order'],
  ['POST /api/v3/trade/place-order', '{}', 'order'],
] as const)('the body of %s, %s, makes it a call of the kind %s', (call, body, kind) => {
  expect(kindByBody(bitget.calls, 'order', call, body)).toBe(kind)
})

test('every call whose body counts is an order by its name', () => {
  const { facts, kinds } = bitget.calls
  const calls = [...facts].flatMap(([call, { byBody }]) => (byBody === undefined ? [] : [call]))
  expect(calls).toHaveLength(3)
  for (const call of calls) expect(kinds.get(call)).toBe('order')
})
