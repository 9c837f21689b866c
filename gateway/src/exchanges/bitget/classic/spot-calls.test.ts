import type { BgSpotOrder } from 'schema'
import { expect, test } from 'vitest'
import {
  cancelSpotOrderCall,
  spotHistoryCall,
  spotOrderCall,
  spotOrderInfoCall,
} from './spot-calls.ts'

const order: BgSpotOrder = {
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  size: '0.0010',
  price: 60000.5,
}

test('a spot order is JSON text, amounts as text, good till cancelled unless said otherwise', () => {
  expect(spotOrderCall(order, 'grid-7').call).toEqual({
    family: 'bitget',
    method: 'POST',
    path: '/api/v2/spot/trade/place-order',
    query: '',
    body: '{"symbol":"BTCUSDT","side":"buy","orderType":"limit","force":"gtc","price":"60000.5","size":"0.0010","clientOid":"grid-7"}',
    signed: true,
  })
})

test('a market order has no price', () => {
  const body = JSON.parse(spotOrderCall({ ...order, orderType: 'market' }, 'a').call.body ?? '')
  expect(body).toEqual({
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'market',
    force: 'gtc',
    size: '0.0010',
    clientOid: 'a',
  })
})

test('a call cancels or reads an order by either id, and the id of the exchange wins', () => {
  const cancel = cancelSpotOrderCall({ symbol: 'BTCUSDT', orderId: '12', clientOid: 'a' }).call
  expect(cancel).toMatchObject({
    path: '/api/v2/spot/trade/cancel-order',
    body: '{"symbol":"BTCUSDT","orderId":"12"}',
  })
  expect(spotOrderInfoCall({ clientOid: 'a' })).toMatchObject({
    method: 'GET',
    path: '/api/v2/spot/trade/orderInfo',
    query: 'clientOid=a',
    body: null,
  })
})

test('a call without an order id is rejected', () => {
  for (const call of [
    () => cancelSpotOrderCall({ symbol: 'A' }).call,
    () => spotOrderInfoCall({}),
  ]) {
    expect(call).toThrow(expect.objectContaining({ code: 'ORDER_ID_MISSING', statusCode: 400 }))
  }
})

test('a history call has the given parameters and no others', () => {
  expect(spotHistoryCall({ symbol: 'BTCUSDT', limit: 20, idLessThan: '99' })).toMatchObject({
    path: '/api/v2/spot/trade/history-orders',
    query: 'symbol=BTCUSDT&limit=20&idLessThan=99',
  })
  expect(spotHistoryCall({}).query).toBe('')
})
