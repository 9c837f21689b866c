import { expect, test } from 'vitest'
import { keyOf } from '../../../test/support/exchange-orders.ts'
import * as classic from '../bitget/classic/documented.ts'
import { orderResult, placedSpotOrder } from '../bitget/documented.ts'
import type { UpstreamCall } from '../exchange.ts'
import * as mexcFutures from '../mexc-futures/documented.ts'
import { cancelledOrder, placedOrder } from '../mexc-results.ts'
import * as mexcSpot from '../mexc-spot/documented.ts'
import { foundResponseFor } from '../order-lookups.ts'
import { parseLossless } from '../protocol/lossless.ts'
import { readResponse } from '../read-response.ts'
import type { FoundOrder, OrderKey } from './order-key.ts'
import { outcomeOf } from './order-key.ts'

const mxOrder = { symbol: 'BTC_USDT', side: 'BUY', type: 'MARKET', quantity: '1' } as const
const bgOrder = { symbol: 'BTCUSDT', side: 'buy', orderType: 'market', size: '1' } as const
const place: OrderKey = { exchange: 'bg', family: 'bitget', market: 'spot', action: 'place' }
const change: OrderKey = { ...place, action: 'modify', clientOrderId: 'n', orderId: '1' }
const oldOrder: OrderKey = { ...place, action: 'modify', orderId: '1' }
const cancel: OrderKey = { ...place, action: 'cancel', orderId: '1' }

const states = ['open', 'partially-filled', 'filled', 'cancelled', 'rejected'] as const

test.each<[string, OrderKey, readonly FoundOrder['state'][]]>([
  ['an order was placed', place, ['open', 'partially-filled', 'filled', 'cancelled']],
  ['a change made its new order', change, ['open', 'partially-filled', 'filled', 'cancelled']],
  ['a change was made of which only the old order is known', oldOrder, []],
  ['a cancel was carried out', cancel, ['cancelled']],
])('only the right states prove that %s', (_what, key, proving) => {
  const isDone = (state: FoundOrder['state']) => outcomeOf(key, { orderId: '1', state }) === 'done'
  expect(states.filter(isDone)).toEqual(proving)
})

/** The data of a response as the documented routes read it. */
function dataOf(call: UpstreamCall, found: FoundOrder): unknown {
  const { status, body } = foundResponseFor(keyOf(call), [found], 1_800_000_000_000)
  const response = { status, headers: {}, body: Buffer.from(body), upstreamMs: 0 }
  const verdict = readResponse(call, response)
  if (verdict.kind !== 'ok') throw new Error(body)
  return verdict.data
}

const ID = '101716841474621953'
const found: FoundOrder = { orderId: ID, clientOrderId: 'a-1', state: 'open' }
const gone: FoundOrder = { ...found, state: 'cancelled' }

test('a response made from a found order reads as if the exchange had written it', () => {
  const mx = mexcFutures.submitOrderCall(mxOrder, '5', 'a-1').call
  expect(dataOf(mx, found)).toEqual({ orderId: ID, ts: 1_800_000_000_000 })
  expect(placedOrder(dataOf(mx, found), 'a-1').orderId).toBe(ID)
  const bg = classic.spotOrderCall(bgOrder, 'a-1').call
  expect(placedSpotOrder(dataOf(bg, found), 'a-1').data).toEqual({ orderId: ID, clientOid: 'a-1' })
  const change = { symbol: 'A', orderId: '1', newSize: '1', newPrice: '1' }
  const changed = classic.modifyOrderCall(change, 'n').call
  const made = { ...found, clientOrderId: undefined }
  expect(orderResult(dataOf(changed, made), '').data).toEqual({ orderId: ID, clientOid: 'n' })
  const unnamed = classic.cancelSpotOrderCall({ symbol: 'A', orderId: ID }).call
  const cancelled = dataOf(unnamed, { orderId: ID, state: 'cancelled' })
  expect(cancelled).toEqual({ orderId: ID, clientOid: null })
})

test('the response to a MEXC spot order is made from the order that was found', () => {
  const order = {
    ...{ symbol: 'BTCUSDT', orderId: 'C02__7', clientOrderId: 'a-1', price: '9', origQty: '1' },
    ...{ type: 'LIMIT', side: 'BUY', stpMode: '', time: 1_800_000_000_005, status: 'CANCELED' },
  }
  const call = mexcSpot.submitOrderCall({ ...mxOrder, symbol: 'BTCUSDT' }, 'a-1').call
  expect(dataOf(call, { ...found, orderId: 'C02__7', order })).toEqual({
    ...{ symbol: 'BTCUSDT', orderId: 'C02__7', orderListId: -1, price: '9', origQty: '1' },
    ...{ type: 'LIMIT', side: 'BUY', stpMode: '', transactTime: 1_800_000_000_005 },
  })
  const ref = { symbol: 'BTCUSDT', clientOrderId: 'a-1' }
  const cancel = mexcSpot.cancelOrderCall(ref).call
  const cancelled = dataOf(cancel, { ...gone, orderId: 'C02__7', order })
  expect(cancelled).toEqual({ ...order, origClientOrderId: 'a-1' })
  expect(cancelledOrder(cancelled, ref)).toMatchObject({ success: true, orderId: 'C02__7' })
})

test('the response to a MEXC futures cancel has one entry each', () => {
  const byId = { symbol: 'A_B', orderId: ID }
  const entry = { errorCode: 0, errorMsg: 'success' }
  expect(dataOf(mexcFutures.cancelOrderCall(byId).call, gone)).toEqual([{ orderId: ID, ...entry }])
  const byOwn = { symbol: 'A_B', clientOrderId: 'a-1' }
  const data = dataOf(mexcFutures.cancelOrderCall(byOwn).call, gone)
  expect(data).toEqual([{ symbol: 'A_B', externalOid: 'a-1', orderId: ID, ...entry }])
  expect(cancelledOrder(data, byOwn).orderId).toBe(ID)
})

test('the envelope of Bitget carries the time of the exchange', () => {
  const { status, body } = foundResponseFor(place, [found], 1_800_000_000_000)
  expect([status, parseLossless(body)?.value]).toEqual([
    200,
    {
      ...{ code: '00000', msg: 'success', requestTime: 1_800_000_000_000 },
      data: { orderId: ID, clientOid: 'a-1' },
    },
  ])
})
