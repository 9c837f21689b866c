import {
  mxCancelOrder,
  mxGetAccountInfo,
  mxOrderHistory,
  mxOrderStatus,
  mxSubmitOrder,
} from 'schema'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { balances as futuresBalances } from './mexc-futures/documented.ts'
import { cancelledOrder, oneOrder, orderList, placedOrder } from './mexc-results.ts'
import { balances as spotBalances } from './mexc-spot/documented.ts'
import { parseLossless } from './protocol/lossless.ts'

const lossless = (text: string) => parseLossless(text)?.value

test.each([
  ['spot', { symbol: 'BTCUSDT', orderId: 'C02__5', orderListId: -1 }, 'C02__5'],
  ['futures', lossless('{"orderId":"739113577038255616","ts":1}'), '739113577038255616'],
  ['futures before April 2026', lossless('101716841474621953'), '101716841474621953'],
])('the response to an order placed on %s has its id, digit by digit', (_market, data, orderId) => {
  const result = placedOrder(data, 'grid-7')
  expect(result).toEqual({
    ...{ success: true, orderId, message: 'Order submitted', clientOrderId: 'grid-7' },
  })
  expect(Value.Check(mxSubmitOrder.response, result)).toBe(true)
})

test.each([...[null, {}, '', { orderId: '' }, { orderId: {} }]])(
  'success without an order id (%j) is unclear, not success',
  (data) => {
    const unclear = expect.objectContaining({ code: 'EXCHANGE_ANSWER_UNCLEAR', sent: true })
    expect(() => placedOrder(data, 'a')).toThrow(unclear)
  },
)

test('a cancel names the order by every id that is known', () => {
  const byId = cancelledOrder([{ orderId: '12', errorCode: 0 }], { symbol: 'A_B', orderId: '12' })
  expect(byId).toEqual({ success: true, orderId: '12', message: 'Order cancelled' })
  const byOwn = cancelledOrder({ orderId: 'C02__5' }, { symbol: 'AB', clientOrderId: 'grid-7' })
  expect(byOwn).toMatchObject({ orderId: 'C02__5', clientOrderId: 'grid-7' })
  const nameless = cancelledOrder(null, { symbol: 'A_B', clientOrderId: 'grid-7' })
  expect(nameless).toMatchObject({ orderId: '', clientOrderId: 'grid-7' })
  for (const result of [byId, byOwn, nameless])
    expect(Value.Check(mxCancelOrder.response, result)).toBe(true)
})

test('an order is returned with its own fields, every number as text', () => {
  const data = parseLossless('{"orderId":101716841474621953,"price":60000,"vol":100,"ok":true}')
  const order = oneOrder(data?.value)
  expect(order).toEqual({ orderId: '101716841474621953', price: '60000', vol: '100', ok: true })
  expect(Value.Check(mxOrderStatus.response, { success: true, data: order })).toBe(true)
})

test.each([...[null, {}, [], 'x']])(
  'a response without an order (%j) means that there is no such order',
  (data) => {
    const missing = expect.objectContaining({ code: 'EXCHANGE_ORDER_NOT_FOUND', statusCode: 404 })
    expect(() => oneOrder(data)).toThrow(missing)
  },
)

test('history comes newest first, whichever way the market writes it', () => {
  const spot = orderList([1, 3, 2].map((time) => ({ orderId: `at ${time}`, time })))
  expect(spot.map(({ orderId }) => orderId)).toEqual(['at 3', 'at 2', 'at 1'])
  const rows = [1, 2].map((orderId) => ({ orderId, createTime: orderId + 4 }))
  const futures = orderList({ resultList: rows })
  expect(futures).toEqual([
    { orderId: '2', createTime: '6' },
    { orderId: '1', createTime: '5' },
  ])
  expect(orderList(null)).toEqual([])
  expect(Value.Check(mxOrderHistory.response, { success: true, data: futures })).toBe(true)
})

// Found by the fuzzer: the time could not become a number, and the read failed.
test('history with times that are no times comes as it is', () => {
  const odd = { orderId: '1', createTime: { toString: 1 } }
  expect(orderList([odd, { orderId: '2', time: [] }])).toHaveLength(2)
})

test('balances of both accounts have one form', () => {
  const spot = spotBalances({ balances: [{ asset: 'USDT', free: '1250.50', locked: '100' }] })
  expect(spot).toEqual([
    { accountType: 'spot', coin: 'USDT', available: '1250.5', frozen: '100', equity: null },
  ])
  const futures = futuresBalances([
    { currency: 'USDT', availableBalance: '1e-7', frozenBalance: 0, equity: '3.5' },
  ])
  expect(futures).toEqual([
    { accountType: 'futures', coin: 'USDT', available: '0.0000001', frozen: '0', equity: '3.5' },
  ])
  const response = { success: true, data: [...spot, ...futures] }
  expect(Value.Check(mxGetAccountInfo.response, response)).toBe(true)
  expect([spotBalances(null), futuresBalances({})]).toEqual([[], []])
})
