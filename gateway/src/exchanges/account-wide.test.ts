import type { ExchangeCode } from 'schema'
import { expect, test } from 'vitest'
import { readBotCall, readBotCallHead } from './bot-call.ts'

const SPOT = '/api/v2/spot/trade'
const MIX = '/api/v2/mix/order'
const UNIFIED = '/api/v3/trade'
const FUTURES = '/api/v1/private'

type Written = [line: string, body?: unknown]

function isWide(exchange: ExchangeCode, line: string, body: unknown): boolean {
  const [method = '', target = ''] = line.split(' ')
  const head = readBotCallHead(exchange, { method, target, headers: {} })
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body)
  return readBotCall(head, text).call.isAccountWide === true
}

test.each<Written>([
  ['DELETE /api/v3/openOrders?symbol=BTCUSDT'],
  ['DELETE /api/v3/order/all'],
  ['DELETE /api/v3/order?symbol=BTCUSDT'],
  ['DELETE /api/v3/order?symbol=BTCUSDT&orderId='],
  ['DELETE /api/v3/order?symbol=BTCUSDT&orderId=1&orderId=2'],
  [`POST ${FUTURES}/order/cancel_all`, {}],
  [`POST ${FUTURES}/order/cancel_all`, { symbol: 'BTC_USDT' }],
  [`POST ${FUTURES}/order/cancel_all`, { symbol: 'BTC_USDT', orderId: '1' }],
  [`POST ${FUTURES}/order/cancel`, []],
  [`POST ${FUTURES}/order/cancel`, ['1', null]],
  [`POST ${FUTURES}/order/cancel`, '<'],
  [`POST ${FUTURES}/order/cancel_with_external`, { symbol: 'BTC_USDT' }],
  [`POST ${FUTURES}/planorder/cancel_all`, {}],
  [`POST ${FUTURES}/planorder/cancel`, [{ symbol: 'BTC_USDT' }]],
  [`POST ${FUTURES}/stoporder/cancel_all`, { positionId: 1 }],
  [`POST ${FUTURES}/stoporder/cancel`, [{ stopPlanOrderId: 1 }, {}]],
  [`POST ${FUTURES}/trackorder/cancel`, { symbol: 'BTC_USDT' }],
  [`POST ${FUTURES}/position/reverse`, { symbol: 'BTC_USDT', positionId: 1 }],
])('on MEXC, %s %j reaches the whole account', (line, body) => {
  expect(isWide('mx', line, body)).toBe(true)
})

test.each<Written>([
  ['DELETE /api/v3/order?symbol=BTCUSDT&orderId=1'],
  ['DELETE /api/v3/order', 'symbol=BTCUSDT&origClientOrderId=own'],
  [`POST ${FUTURES}/order/cancel`, ['101716841474621953', 2]],
  [`POST ${FUTURES}/order/cancel_with_external`, { symbol: 'BTC_USDT', externalOid: 'own' }],
  [`POST ${FUTURES}/order/batch_cancel_with_external`, [{ symbol: 'A_B', externalOid: 'own' }]],
  [`POST ${FUTURES}/planorder/cancel`, [{ symbol: 'BTC_USDT', orderId: '1' }]],
  [`POST ${FUTURES}/planorder/cancel`, ['1']],
  [`POST ${FUTURES}/stoporder/cancel`, [{ stopPlanOrderId: 1 }]],
  [`POST ${FUTURES}/trackorder/cancel`, { symbol: 'BTC_USDT', trackOrderId: 1 }],
  [`POST ${FUTURES}/position/reverse`, { symbol: 'BTC_USDT', positionId: 1, vol: 5 }],
  [`POST ${FUTURES}/order/create`, { symbol: 'BTC_USDT' }],
  // Whether it reaches others depends on what they have open.
  [`POST ${FUTURES}/position/close_all`],
  ['POST /api/v3/order?symbol=BTCUSDT'],
  ['GET /api/v3/openOrders'],
])('on MEXC, %s %j reaches only what it names', (line, body) => {
  expect(isWide('mx', line, body)).toBe(false)
})

test.each<Written>([
  [`POST ${SPOT}/cancel-symbol-order`, { symbol: 'BTCUSDT' }],
  [`POST ${SPOT}/cancel-order`, { symbol: 'BTCUSDT' }],
  [`POST ${SPOT}/batch-cancel-order`, { symbol: 'BTCUSDT' }],
  [`POST ${SPOT}/cancel-plan-order`, {}],
  [`POST ${SPOT}/batch-cancel-plan-order`, { symbolList: ['BTCUSDT'] }],
  [`POST ${MIX}/cancel-all-orders`, { productType: 'USDT-FUTURES' }],
  [`POST ${MIX}/batch-cancel-orders`, { productType: 'USDT-FUTURES' }],
  [`POST ${MIX}/batch-cancel-orders`, { productType: 'USDT-FUTURES', orderIdList: [] }],
  [`POST ${MIX}/batch-cancel-orders`, { orderIdList: [{ orderId: '' }] }],
  [`POST ${MIX}/batch-cancel-orders`, { orderidlist: [{ orderId: '1' }] }],
  [`POST ${MIX}/cancel-plan-order`, { symbol: 'BTCUSDT', planType: 'normal_plan' }],
  [`POST ${MIX}/cancel-plan-order`, { symbol: 'BTCUSDT', orderId: '1' }],
  [`POST ${MIX}/click-backhand`, { symbol: 'BTCUSDT', side: 'buy' }],
  [`POST ${UNIFIED}/cancel-symbol-order`, { category: 'SPOT' }],
  [`POST ${UNIFIED}/cancel-batch`, []],
  [`POST ${UNIFIED}/cancel-strategy-order`, {}],
  [`POST ${UNIFIED}/countdown-cancel-all`, { countdown: '60' }],
  [`POST ${UNIFIED}/countdown-cancel-all`, { countdown: '0' }],
])('on Bitget, %s %j reaches the whole account', (line, body) => {
  expect(isWide('bg', line, body)).toBe(true)
})

test.each<Written>([
  [`POST ${SPOT}/cancel-order`, { symbol: 'BTCUSDT', clientOid: 'own' }],
  [`POST ${SPOT}/batch-cancel-order`, { symbol: 'BTCUSDT', orderList: [{ orderId: '1' }] }],
  [`POST ${SPOT}/cancel-plan-order`, { orderId: '1' }],
  [`POST ${MIX}/cancel-order`, { symbol: 'BTCUSDT', orderId: '1' }],
  [`POST ${MIX}/batch-cancel-orders`, { orderIdList: [{ orderId: '1' }, { clientOid: 'own' }] }],
  [`POST ${MIX}/cancel-plan-order`, { orderIdList: [{ orderId: '1' }] }],
  [`POST ${MIX}/click-backhand`, { symbol: 'BTCUSDT', side: 'buy', size: '0.01' }],
  [`POST ${UNIFIED}/cancel-order`, { category: 'SPOT', orderId: '1' }],
  [`POST ${UNIFIED}/cancel-batch`, [{ category: 'SPOT', orderId: '1' }]],
  [`POST ${UNIFIED}/cancel-strategy-order`, { orderId: '1' }],
  [`POST ${MIX}/place-order`, { symbol: 'BTCUSDT' }],
  [`POST ${MIX}/close-positions`, { symbol: 'BTCUSDT', productType: 'USDT-FUTURES' }],
  [`POST ${UNIFIED}/close-positions`, { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }],
  [`POST ${SPOT}/cancel-replace-order`, { symbol: 'BTCUSDT', orderId: '1' }],
])('on Bitget, %s %j reaches only what it names', (line, body) => {
  expect(isWide('bg', line, body)).toBe(false)
})
