import { describe, expect, test } from 'vitest'
import * as futures from './mexc-futures/documented.ts'
import * as spot from './mexc-spot/documented.ts'
import { inTexts } from './protocol/decimals.ts'

const terms = { side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '60000.0' } as const
const query = (call: { query: string }) => Object.fromEntries(new URLSearchParams(call.query))

test.each([
  ['BTCUSDT', spot],
  ['BTC_USDT', futures],
])('a call without an order id is rejected, and never means every order of %s', (symbol, calls) => {
  for (const call of [calls.cancelOrderCall, calls.orderStatusCall])
    expect(() => call({ symbol })).toThrow(
      expect.objectContaining({ code: 'ORDER_ID_MISSING', statusCode: 400 }),
    )
})

describe('on spot', () => {
  const limit = { ...terms, symbol: 'BTCUSDT' }

  test('an order has everything in its query and no body', () => {
    const { call } = spot.submitOrderCall(limit, 'grid-7')
    expect(call).toMatchObject({ method: 'POST', path: '/api/v3/order', body: null, signed: true })
    expect(call.query).toEqual(
      'symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.01&price=60000.0&newClientOrderId=grid-7',
    )
  })

  test('a market buy is by quantity, and a price given with it is left out', () => {
    const { call } = spot.submitOrderCall({ ...limit, type: 'MARKET' }, 'a')
    expect(query(call)).toEqual({
      ...{ symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01' },
      newClientOrderId: 'a',
    })
  })

  test('a number is written out, because no exchange reads an exponent', () => {
    const order = inTexts({ ...limit, quantity: 1e-7, price: 61234.5 }, ['quantity', 'price'])
    const { call } = spot.submitOrderCall(order, 'a')
    expect(query(call)).toMatchObject({ quantity: '0.0000001', price: '61234.5' })
  })

  test('a call cancels or reads an order by either id, and the id of the exchange wins', () => {
    const both = { symbol: 'BTCUSDT', orderId: 'C02__1', clientOrderId: 'grid-7' }
    const cancel = spot.cancelOrderCall(both).call
    expect(cancel).toMatchObject({ method: 'DELETE', path: '/api/v3/order' })
    expect(query(cancel)).toEqual({ symbol: 'BTCUSDT', orderId: 'C02__1' })
    const own = spot.orderStatusCall({ symbol: 'BTCUSDT', clientOrderId: 'grid-7' })
    expect(own).toMatchObject({ method: 'GET', path: '/api/v3/order' })
    expect(query(own)).toEqual({ symbol: 'BTCUSDT', origClientOrderId: 'grid-7' })
  })

  test('history and account have calls of their own', () => {
    const times = { startTime: '1772721022000', endTime: '1772721023000' }
    const call = spot.orderHistoryCall({ symbol: 'BTCUSDT', ...times, limit: 5 })
    expect(call.path).toBe('/api/v3/allOrders')
    expect(query(call)).toEqual({ symbol: 'BTCUSDT', ...times, limit: '5' })
    expect(spot.accountCall().path).toBe('/api/v3/account')
  })
})

describe('on futures', () => {
  const ORDER = '/api/v1/private/order'
  const limit = { ...terms, symbol: 'BTC_USDT' }

  test('a limit order is one of whole contracts in one-way mode, amounts as text', () => {
    expect(futures.submitOrderCall(limit, '100', 'grid-7').call).toEqual({
      ...{ family: 'mexc-futures', method: 'POST', path: `${ORDER}/create`, query: '' },
      body: '{"symbol":"BTC_USDT","price":"60000.0","vol":"100","side":1,"type":1,"openType":2,"positionMode":2,"externalOid":"grid-7"}',
      signed: true,
    })
  })

  test('a market order has no price; selling opens a short position; isolated margin has its leverage', () => {
    const isolated = { openType: 'isolated', leverage: 20, reduceOnly: true } as const
    const order = { ...limit, side: 'SELL', type: 'MARKET', ...isolated } as const
    expect(JSON.parse(futures.submitOrderCall(order, '100', 'a').call.body ?? '')).toEqual({
      ...{ symbol: 'BTC_USDT', vol: '100', leverage: 20, side: 3, type: 5, openType: 1 },
      ...{ positionMode: 2, reduceOnly: true, externalOid: 'a' },
    })
  })

  test('an order is cancelled by its id in a list, or by its own id in an object', () => {
    const byId = { symbol: 'BTC_USDT', orderId: '101716841474621953' }
    expect(futures.cancelOrderCall(byId).call).toMatchObject({
      ...{ method: 'POST', path: `${ORDER}/cancel`, body: '["101716841474621953"]' },
    })
    const byOwn = { symbol: 'BTC_USDT', clientOrderId: 'grid-7' }
    expect(futures.cancelOrderCall(byOwn).call).toMatchObject({
      path: `${ORDER}/cancel_with_external`,
      body: '{"symbol":"BTC_USDT","externalOid":"grid-7"}',
    })
  })

  test.each([
    [{ symbol: 'BTC_USDT', orderId: '12' }, 'get/12'],
    [{ symbol: 'BTC_USDT', clientOrderId: 'grid-7' }, 'external/BTC_USDT/grid-7'],
    [{ symbol: '龙_USDT', clientOrderId: '../a?b' }, 'external/%E9%BE%99_USDT/..%2Fa%3Fb'],
  ])('no order id can add a segment to the path that reads an order: %j', (ref, path) => {
    expect(futures.orderStatusCall(ref).path).toBe(`${ORDER}/${path}`)
  })

  test('history, with the names of futures for times and length, and account have calls of their own', () => {
    const call = futures.orderHistoryCall({ symbol: 'BTC_USDT', startTime: '1772721022000' })
    expect(call.path).toBe(`${ORDER}/list/history_orders`)
    expect(query(call)).toEqual({
      ...{ symbol: 'BTC_USDT', start_time: '1772721022000', page_num: '1', page_size: '50' },
    })
    expect(futures.accountCall().path).toBe('/api/v1/private/account/assets')
  })
})
