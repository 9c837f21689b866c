import { expect, test } from 'vitest'
import {
  bgMix,
  bgSpot,
  lookupsOf,
  mxFutures,
  mxSpot,
  unified,
} from '../../../test/support/exchange-orders.ts'
import { datedOrderKey, type OrderKey } from './order-key.ts'

const SENT = 1_800_000_000_000
const NOW = SENT + 90_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const FUTURES = '/api/v1/private/order'
const ID = '101716841474621953'

const SPOT = '/api/v2/spot/trade'
const MIX = '/api/v2/mix/order'
const V3 = '/api/v3/trade'
const SPAN = 'startTime=1799999940000&endTime=1800000090000'
const bgQuery = `symbol=BTCUSDT&limit=100&${SPAN}`
const mixQuery = `productType=USDT-FUTURES&${bgQuery}`
const v3Query = 'category=USDT-FUTURES&symbol=BTCUSDT&limit=100'
const pages = 'symbol=BTC_USDT&page_num=1&page_size=100'

/** The address of each call of a look-up. */
const asked = (key: OrderKey, nowMs = NOW) =>
  lookupsOf(key, SENT, nowMs).map(({ call: { path, query } }) => `${path}?${query}`)

test.each<[where: string, key: OrderKey, calls: string[]]>([
  [
    ...(['MEXC spot', mxSpot] as const),
    [
      '/api/v3/order?symbol=BTCUSDT&origClientOrderId=a-1',
      '/api/v3/openOrders?symbol=BTCUSDT',
      `/api/v3/allOrders?symbol=BTCUSDT&${SPAN}&limit=1000`,
    ],
  ],
  [
    ...(['MEXC futures', mxFutures] as const),
    [
      `${FUTURES}/external/BTC_USDT/a-1?`,
      `${FUTURES}/list/open_orders?${pages}`,
      `${FUTURES}/list/history_orders?${pages}&start_time=1799999940000&end_time=1800000090000`,
    ],
  ],
  [
    ...(['Bitget spot', bgSpot] as const),
    [
      `${SPOT}/orderInfo?clientOid=a-1`,
      `${SPOT}/unfilled-orders?${bgQuery}`,
      `${SPOT}/history-orders?${bgQuery}`,
    ],
  ],
  [
    ...(['Bitget futures', bgMix] as const),
    [
      `${MIX}/detail?productType=USDT-FUTURES&symbol=BTCUSDT&clientOid=a-1`,
      `${MIX}/orders-pending?${mixQuery}`,
      `${MIX}/orders-pending?${mixQuery}&status=partially_filled`,
      `${MIX}/orders-history?${mixQuery}`,
    ],
  ],
  [
    ...(["Bitget's unified account", unified] as const),
    [
      `${V3}/order-info?clientOid=a-1`,
      `${V3}/unfilled-orders?${v3Query}`,
      `${V3}/history-orders?${v3Query}&${SPAN}`,
    ],
  ],
])('a look-up on %s asks by the id, then among open and past orders', (_where, key, calls) => {
  expect(asked(key)).toEqual(calls)
  for (const { call } of lookupsOf(key, SENT, NOW))
    expect(call).toMatchObject({ family: key.family, method: 'GET', body: null, signed: true })
})

test('a look-up of a cancel asks by the id of the exchange, as far back as the history goes', () => {
  const cancel = { action: 'cancel', orderId: ID, clientOrderId: undefined } as const
  expect(asked({ ...mxSpot, ...cancel })).toEqual([
    `/api/v3/order?symbol=BTCUSDT&orderId=${ID}`,
    '/api/v3/openOrders?symbol=BTCUSDT',
    `/api/v3/allOrders?symbol=BTCUSDT&startTime=${NOW - 7 * DAY_MS}&endTime=${NOW}&limit=1000`,
  ])
  expect(asked({ ...mxFutures, ...cancel, symbol: undefined })).toEqual([
    `${FUTURES}/get/${ID}?`,
    `${FUTURES}/list/open_orders?page_num=1&page_size=100`,
    `${FUTURES}/list/history_orders?page_num=1&page_size=100&orderId=${ID}&start_time=${NOW - 7 * DAY_MS}&end_time=${NOW}`,
  ])
  expect(asked({ ...bgSpot, ...cancel })).toEqual([
    `${SPOT}/orderInfo?orderId=${ID}`,
    `${SPOT}/unfilled-orders?symbol=BTCUSDT&orderId=${ID}&limit=100`,
    `${SPOT}/history-orders?symbol=BTCUSDT&orderId=${ID}&limit=100&startTime=${NOW - 89 * DAY_MS}&endTime=${NOW}`,
  ])
  expect(asked({ ...unified, ...cancel, productType: undefined, symbol: undefined })).toEqual([
    `${V3}/order-info?orderId=${ID}`,
    `${V3}/unfilled-orders?limit=100`,
  ])
})

test('a look-up of a change asks for the new order by its new id, or else for the old order', () => {
  const change = { ...bgMix, action: 'modify', orderId: '7' } as const
  expect(asked(change)[0]).toContain('clientOid=a-1')
  expect(asked({ ...change, clientOrderId: undefined })).toEqual([])
  const mexc: OrderKey = { ...mxFutures, action: 'modify', orderId: '7', clientOrderId: undefined }
  expect(asked(mexc)).toEqual([`${FUTURES}/get/7?`])
})

test.each<[string, OrderKey]>([
  ['no id on MEXC spot', { ...mxSpot, clientOrderId: undefined }],
  ['no symbol on MEXC spot', { ...mxSpot, symbol: undefined }],
  ['no id on MEXC futures', { ...mxFutures, clientOrderId: undefined }],
  ['no id on Bitget', { ...bgSpot, clientOrderId: undefined }],
  ['no product type on Bitget futures', { ...bgMix, productType: undefined }],
  ['no id on the unified account', { ...unified, clientOrderId: undefined }],
])('a look-up asks nothing with %s', (_what, key) => {
  expect(asked(key)).toEqual([])
})

test('a name with special characters cannot change the path', () => {
  const named = asked({ ...mxFutures, symbol: '..' }).map((call) => call.split('?')[0])
  expect(named).toEqual([`${FUTURES}/list/open_orders`, `${FUTURES}/list/history_orders`])
  expect(asked({ ...mxFutures, symbol: '币/安_USDT', clientOrderId: '../a?b' })[0]).toBe(
    `${FUTURES}/external/%E5%B8%81%2F%E5%AE%89_USDT/..%2Fa%3Fb?`,
  )
  expect(asked({ ...mxFutures, symbol: '币_USDT' })[1]).toBe(
    `${FUTURES}/list/open_orders?page_num=1&page_size=100`,
  )
})

test('on Bitget spot a look-up does not ask by the client order id after two hours', () => {
  expect(asked(bgSpot, SENT + 2 * HOUR_MS - 1)).toHaveLength(3)
  const late = asked(bgSpot, SENT + 2 * HOUR_MS).map((call) => call.split('?')[0])
  expect(late).toEqual([`${SPOT}/unfilled-orders`, `${SPOT}/history-orders`])
})

test('an order of a demo account is looked up in the demo account', () => {
  for (const { call } of lookupsOf({ ...bgMix, demo: true }, SENT, NOW))
    expect(call.demo).toBe(true)
})

test('right after an order was sent, its look-up covers a minute to either side, from its first sending on', () => {
  const spanFrom = (from: number) => `startTime=${from - 60_000}&endTime=${SENT + 60_000}&`
  expect(asked(mxSpot, SENT + 500)[2]).toContain(spanFrom(SENT))
  const again = datedOrderKey(mxSpot, 'sl', SENT - 10 * 60_000)
  expect(asked(again, SENT + 500)[2]).toContain(spanFrom(SENT - 10 * 60_000))
})
