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

test('a spot order has everything in its query and no body', () => {
  const call = submitOrderCall({ ...limit, symbol: 'BTCUSDT' }, 'grid-7').call
  expect(call).toMatchObject({ method: 'POST', path: '/api/v3/order', body: null, signed: true })
  expect(call.query).toEqual(
    'symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.01&price=60000.0&newClientOrderId=grid-7',
  )
})

test('a spot market buy is by quantity, and a price given with it is left out', () => {
  const call = submitOrderCall({ ...limit, symbol: 'BTCUSDT', type: 'MARKET' }, 'a').call
  expect(query(call)).toEqual({
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'MARKET',
    quantity: '0.01',
    newClientOrderId: 'a',
  })
})

test('a number is written out, because no exchange reads an exponent', () => {
  const call = submitOrderCall(
    { ...limit, symbol: 'BTCUSDT', quantity: 1e-7, price: 61234.5 },
    'a',
  ).call
  expect(query(call)).toMatchObject({ quantity: '0.0000001', price: '61234.5' })
})

test('a call cancels or reads a spot order by either id, and the id of the exchange wins', () => {
  const both = { symbol: 'BTCUSDT', orderId: 'C02__1', clientOrderId: 'grid-7' }
  expect(cancelOrderCall(both).call).toMatchObject({ method: 'DELETE', path: '/api/v3/order' })
  expect(query(cancelOrderCall(both).call)).toEqual({ symbol: 'BTCUSDT', orderId: 'C02__1' })
  const own = orderStatusCall({ symbol: 'BTCUSDT', clientOrderId: 'grid-7' })
  expect(own).toMatchObject({ method: 'GET', path: '/api/v3/order' })
  expect(query(own)).toEqual({ symbol: 'BTCUSDT', origClientOrderId: 'grid-7' })
})

test('a call without an order id is rejected, and never means every order of BTCUSDT', () => {
  for (const call of [cancelOrderCall, orderStatusCall]) {
    expect(() => call({ symbol: 'BTCUSDT' })).toThrow(
      expect.objectContaining({ code: 'ORDER_ID_MISSING', statusCode: 400 }),
    )
  }
})

test('a history call has the times and the length', () => {
  const times = { startTime: '1772721022000', endTime: '1772721023000' }
  const call = orderHistoryCall({ symbol: 'BTCUSDT', ...times, limit: 5 })
  expect(call.path).toBe('/api/v3/allOrders')
  expect(query(call)).toEqual({ symbol: 'BTCUSDT', ...times, limit: '5' })
})

test('the account has a call of its own', () => {
  expect(accountCall().path).toBe('/api/v3/account')
})
