import type { MxSubmitOrder } from 'schema'
import { expect, test } from 'vitest'
import {
  accountCall,
  cancelOrderCall,
  orderHistoryCall,
  orderStatusCall,
  submitOrderCall,
} from './calls.ts'

const limit: MxSubmitOrder = {
  symbol: 'BTC_USDT',
  side: 'BUY',
  type: 'LIMIT',
  quantity: '0.01',
  price: '60000.0',
}
const query = (call: { query: string }) => Object.fromEntries(new URLSearchParams(call.query))

test('a limit order for futures is one of whole contracts in one-way mode, amounts as text', () => {
  expect(submitOrderCall(limit, '100', 'grid-7').call).toEqual({
    family: 'mexc-futures',
    method: 'POST',
    path: '/api/v1/private/order/create',
    query: '',
    body: '{"symbol":"BTC_USDT","price":"60000.0","vol":"100","side":1,"type":1,"openType":2,"positionMode":2,"externalOid":"grid-7"}',
    signed: true,
  })
})

test('a futures market order has no price; selling opens a short position; isolated margin has its leverage', () => {
  const order: MxSubmitOrder = {
    ...limit,
    side: 'SELL',
    type: 'MARKET',
    openType: 'isolated',
    leverage: 20,
    reduceOnly: true,
  }
  expect(JSON.parse(submitOrderCall(order, '100', 'a').call.body ?? '')).toEqual({
    symbol: 'BTC_USDT',
    vol: '100',
    leverage: 20,
    side: 3,
    type: 5,
    openType: 1,
    positionMode: 2,
    reduceOnly: true,
    externalOid: 'a',
  })
})

test('a futures order is cancelled by its id in a list, or by its own id in an object', () => {
  const byId = cancelOrderCall({ symbol: 'BTC_USDT', orderId: '101716841474621953' }).call
  expect(byId).toMatchObject({
    method: 'POST',
    path: '/api/v1/private/order/cancel',
    body: '["101716841474621953"]',
  })
  const byOwn = cancelOrderCall({ symbol: 'BTC_USDT', clientOrderId: 'grid-7' }).call
  expect(byOwn).toMatchObject({
    path: '/api/v1/private/order/cancel_with_external',
    body: '{"symbol":"BTC_USDT","externalOid":"grid-7"}',
  })
})

test('no order id can add a segment to the path that reads a futures order', () => {
  const path = (ref: Parameters<typeof orderStatusCall>[0]) => orderStatusCall(ref).path
  expect(path({ symbol: 'BTC_USDT', orderId: '12' })).toBe('/api/v1/private/order/get/12')
  expect(path({ symbol: 'BTC_USDT', clientOrderId: 'grid-7' })).toBe(
    '/api/v1/private/order/external/BTC_USDT/grid-7',
  )
  expect(path({ symbol: '龙_USDT', clientOrderId: '../a?b' })).toBe(
    '/api/v1/private/order/external/%E9%BE%99_USDT/..%2Fa%3Fb',
  )
})

test('a call without an order id is rejected, and never means every order of BTC_USDT', () => {
  for (const call of [cancelOrderCall, orderStatusCall]) {
    expect(() => call({ symbol: 'BTC_USDT' })).toThrow(
      expect.objectContaining({ code: 'ORDER_ID_MISSING', statusCode: 400 }),
    )
  }
})

test('a history call uses the futures names for times and length', () => {
  const call = orderHistoryCall({ symbol: 'BTC_USDT', startTime: '1772721022000' })
  expect(call.path).toBe('/api/v1/private/order/list/history_orders')
  expect(query(call)).toEqual({
    symbol: 'BTC_USDT',
    start_time: '1772721022000',
    page_num: '1',
    page_size: '50',
  })
})

test('the account has a call of its own', () => {
  expect(accountCall().path).toBe('/api/v1/private/account/assets')
})
