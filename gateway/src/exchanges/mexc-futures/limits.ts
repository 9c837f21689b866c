import { type ExchangeLimit, type ExchangeLimits, readWeights, type WeightLine } from '../limits.ts'

/** By the official pages as they were then, which are one source (docs/exchanges/mexc.md, 10). */
const STATED = {
  mark: '[1]',
  source: 'docs/exchanges/mexc-futures.md, 4; mexc.md, 7',
  asOf: '2026-04-04',
} as const
const WINDOW_MS = 2_000

/**
 * A limit for each of its calls. Whether some of them share one is not stated [?]. Trigger orders
 * have two numbers on one line of the pages: the lower one is taken for placing them [?].
 */
function each(
  title: string,
  scope: ExchangeLimit['scope'],
  max: number,
  lines: readonly WeightLine[],
): ExchangeLimit {
  const calls = readWeights(lines)
  return { title, scope, counts: 'each', calls, max, windowMs: WINDOW_MS, ...STATED }
}

const table: readonly ExchangeLimit[] = [
  each('market data and reads', 'ip or uid', 20, [
    [1, 'GET', '/api/v1/contract/(ping|support_currencies|funding_rate/history)'],
    [1, 'GET', '/api/v1/contract/(index_price|fair_price|funding_rate|kline|deals|depth)/{symbol}'],
    [1, 'GET', '/api/v1/contract/depth_commits/{symbol}/{limit}'],
    [1, 'GET', '/api/v1/private/account/(assets|asset/{currency}|transfer_record)'],
    [1, 'GET', '/api/v1/private/account/(tiered_fee_rate|risk_limit)'],
    [1, 'GET', '/api/v1/private/position/(open_positions|list/history_positions)'],
    [1, 'GET', '/api/v1/private/position/(leverage|position_mode|funding_records)'],
    [1, 'GET', '/api/v1/private/order/(get/{orderId}|external/{symbol}/{externalOid})'],
    [1, 'GET', '/api/v1/private/order/list/(open_orders|open_orders/{symbol}|history_orders)'],
    [1, 'GET', '/api/v1/private/order/list/(close_orders|order_deals|order_deals/v3)'],
    [1, 'GET', '/api/v1/private/order/deal_details/{orderId}'],
    [1, 'POST', '/api/v1/private/order/(batch_query_with_external|open_order_total_count)'],
    [1, 'GET', '/api/v1/private/(planorder|stoporder|trackorder)/list/orders'],
    [1, 'GET', '/api/v1/private/stoporder/open_orders'],
  ]),
  each('tickers; the pages say 10 to 20', 'ip or uid', 10, [[1, 'GET', '/api/v1/contract/ticker']]),
  each('contract rules; an older page says 1 in 5 s', 'ip or uid', 10, [
    [1, 'GET', '/api/v1/contract/detail'],
  ]),
  each('several orders by their ids', 'ip or uid', 5, [
    [1, 'GET', '/api/v1/private/order/batch_query'],
  ]),
  each('orders and their changes', 'uid', 4, [
    [1, 'POST', '/api/v1/private/order/(create|submit|submit_batch)'],
    [1, 'POST', '/api/v1/private/order/(change_limit_order|chase_limit_order)'],
    [1, 'POST', '/api/v1/private/position/(reverse|close_all)'],
    [1, 'POST', '/api/v1/private/planorder/(place|place/v2)'],
    [1, 'POST', '/api/v1/private/trackorder/(place|cancel|change_order)'],
  ]),
  each('take-profit and stop-loss of a position', 'uid', 5, [
    [1, 'POST', '/api/v1/private/stoporder/place'],
  ]),
  each('cancels, margin, position mode', 'uid', 20, [
    [1, 'POST', '/api/v1/private/order/(cancel|cancel_with_external|cancel_all)'],
    [1, 'POST', '/api/v1/private/order/batch_cancel_with_external'],
    [1, 'POST', '/api/v1/private/planorder/(cancel|cancel_all|change_price|change_stop_order)'],
    [1, 'POST', '/api/v1/private/stoporder/(cancel|cancel_all|change_price|change_plan_price)'],
    [1, 'POST', '/api/v1/private/position/(change_margin|change_position_mode)'],
  ]),
  {
    ...each('leverage', 'uid', 10, [[1, 'POST', '/api/v1/private/position/change_leverage']]),
    windowMs: 10_000,
  },
]

/** The limits of MEXC futures. No header says what is left of them. */
export const mexcFuturesLimits: ExchangeLimits = {
  table,
  orderCalls: ['POST /api/v1/private/order/create'],
}
