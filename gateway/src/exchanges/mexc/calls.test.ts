import type { MxSubmitOrder } from 'schema'
import { expect, test } from 'vitest'
import {
  accountCall,
  cancelOrderCall,
  futuresOrderCall,
  marketOf,
  orderHistoryCall,
  orderStatusCall,
  spotOrderCall,
} from './calls.ts'

const limit: MxSubmitOrder = {
  symbol: 'BTC_USDT',
  side: 'BUY',
  type: 'LIMIT',
  quantity: '0.01',
  price: '60000.0',
}
const query = (call: { query: string }) => Object.fromEntries(new URLSearchParams(call.query))

test('the underscore tells futures from spot', () => {
  expect([marketOf('BTC_USDT'), marketOf('BTCUSDT')]).toEqual(['futures', 'spot'])
})

test('a limit order for futures is one of whole contracts in one-way mode, amounts as text', () => {
  expect(futuresOrderCall(limit, '100', 'grid-7').call).toEqual({
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
  expect(JSON.parse(futuresOrderCall(order, '100', 'a').call.body ?? '')).toEqual({
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

test('a spot order has everything in its query and no body', () => {
  const call = spotOrderCall({ ...limit, symbol: 'BTCUSDT' }, 'grid-7').call
  expect(call).toMatchObject({ method: 'POST', path: '/api/v3/order', body: null, signed: true })
  expect(call.query).toEqual(
    'symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.01&price=60000.0&newClientOrderId=grid-7',
  )
})

test('a spot market buy is by quantity, and a price given with it is left out', () => {
  const call = spotOrderCall({ ...limit, symbol: 'BTCUSDT', type: 'MARKET' }, 'a').call
  expect(query(call)).toEqual({
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'MARKET',
    quantity: '0.01',
    newClientOrderId: 'a',
  })
})

test('a number is written out, because no exchange reads an exponent', () => {
  const call = spotOrderCall(
    { ...limit, symbol: 'BTCUSDT', quantity: 1e-7, price: 61234.5 },
    'a',
  ).call
  expect(query(call)).toMatchObject({ quantity: '0.0000001', price: '61234.5' })
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

test('a spot order is cancelled and asked for by either id, and the id of the exchange wins', () => {
  const both = { symbol: 'BTCUSDT', orderId: 'C02__1', clientOrderId: 'grid-7' }
  expect(cancelOrderCall(both).call).toMatchObject({ method: 'DELETE', path: '/api/v3/order' })
  expect(query(cancelOrderCall(both).call)).toEqual({ symbol: 'BTCUSDT', orderId: 'C02__1' })
  const own = orderStatusCall({ symbol: 'BTCUSDT', clientOrderId: 'grid-7' })
  expect(own).toMatchObject({ method: 'GET', path: '/api/v3/order' })
  expect(query(own)).toEqual({ symbol: 'BTCUSDT', origClientOrderId: 'grid-7' })
})

test('a futures order is asked for by a path that nothing can be smuggled into', () => {
  const path = (ref: Parameters<typeof orderStatusCall>[0]) => orderStatusCall(ref).path
  expect(path({ symbol: 'BTC_USDT', orderId: '12' })).toBe('/api/v1/private/order/get/12')
  expect(path({ symbol: 'BTC_USDT', clientOrderId: 'grid-7' })).toBe(
    '/api/v1/private/order/external/BTC_USDT/grid-7',
  )
  expect(path({ symbol: '龙_USDT', clientOrderId: '../a?b' })).toBe(
    '/api/v1/private/order/external/%E9%BE%99_USDT/..%2Fa%3Fb',
  )
})

test.each(['BTCUSDT', 'BTC_USDT'])(
  'without an id no order of %s is meant, and least of all every order',
  (symbol) => {
    for (const call of [cancelOrderCall, orderStatusCall]) {
      expect(() => call({ symbol })).toThrow(
        expect.objectContaining({ code: 'ORDER_ID_MISSING', statusCode: 400 }),
      )
    }
  },
)

test('history is asked with what each market calls times and length', () => {
  const times = { startTime: '1772721022000', endTime: '1772721023000' }
  const spot = orderHistoryCall({ symbol: 'BTCUSDT', ...times, limit: 5 })
  expect(spot.path).toBe('/api/v3/allOrders')
  expect(query(spot)).toEqual({ symbol: 'BTCUSDT', ...times, limit: '5' })
  const futures = orderHistoryCall({ symbol: 'BTC_USDT', startTime: times.startTime })
  expect(futures.path).toBe('/api/v1/private/order/list/history_orders')
  expect(query(futures)).toEqual({
    symbol: 'BTC_USDT',
    start_time: '1772721022000',
    page_num: '1',
    page_size: '50',
  })
})

test('each account has its own call', () => {
  expect(accountCall('spot').path).toBe('/api/v3/account')
  expect(accountCall('futures').path).toBe('/api/v1/private/account/assets')
})
