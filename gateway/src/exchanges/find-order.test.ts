import { expect, test } from 'vitest'
import type { UpstreamCall } from './exchange.ts'
import type { FoundOrder, Lookup, OrderTrace } from './order-trace.ts'
import { lookupsOf } from './order-trace.ts'
import { readAnswer } from './read-answer.ts'

const SENT = 1_800_000_000_000
const NOW = SENT + 90_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const FUTURES = '/api/v1/private/order'
const ID = '101716841474621953'

const mxSpot: OrderTrace = {
  exchange: 'mx',
  family: 'mexc-spot',
  market: 'spot',
  action: 'place',
  symbol: 'BTCUSDT',
  clientOrderId: 'a-1',
}
const mxFutures: OrderTrace = {
  ...mxSpot,
  family: 'mexc-futures',
  market: 'futures',
  symbol: 'BTC_USDT',
}
const bgSpot: OrderTrace = { ...mxSpot, exchange: 'bg', family: 'bitget' }
const bgMix: OrderTrace = { ...bgSpot, market: 'futures', productType: 'USDT-FUTURES' }
const unified: OrderTrace = { ...bgMix, isUnified: true }

const asked = (trace: OrderTrace, nowMs = NOW) =>
  lookupsOf(trace, SENT, nowMs).map(({ call }) => textOf(call))

function textOf({ path, query }: UpstreamCall): string {
  return `${path}?${query.map((pair) => pair.join('=')).join('&')}`
}

test.each<[string, OrderTrace, string[]]>([
  [
    'MEXC spot',
    mxSpot,
    [
      '/api/v3/order?symbol=BTCUSDT&origClientOrderId=a-1',
      '/api/v3/openOrders?symbol=BTCUSDT',
      '/api/v3/allOrders?symbol=BTCUSDT&startTime=1799999940000&endTime=1800000090000&limit=1000',
    ],
  ],
  [
    'MEXC futures',
    mxFutures,
    [
      `${FUTURES}/external/BTC_USDT/a-1?`,
      `${FUTURES}/list/open_orders?symbol=BTC_USDT&page_num=1&page_size=100`,
      `${FUTURES}/list/history_orders?symbol=BTC_USDT&page_num=1&page_size=100&start_time=1799999940000&end_time=1800000090000`,
    ],
  ],
  [
    'Bitget spot',
    bgSpot,
    [
      '/api/v2/spot/trade/orderInfo?clientOid=a-1',
      '/api/v2/spot/trade/unfilled-orders?symbol=BTCUSDT&limit=100&startTime=1799999940000&endTime=1800000090000',
      '/api/v2/spot/trade/history-orders?symbol=BTCUSDT&limit=100&startTime=1799999940000&endTime=1800000090000',
    ],
  ],
  [
    'Bitget futures',
    bgMix,
    [
      '/api/v2/mix/order/detail?productType=USDT-FUTURES&symbol=BTCUSDT&clientOid=a-1',
      '/api/v2/mix/order/orders-pending?productType=USDT-FUTURES&symbol=BTCUSDT&limit=100&startTime=1799999940000&endTime=1800000090000',
      '/api/v2/mix/order/orders-pending?productType=USDT-FUTURES&symbol=BTCUSDT&limit=100&startTime=1799999940000&endTime=1800000090000&status=partially_filled',
      '/api/v2/mix/order/orders-history?productType=USDT-FUTURES&symbol=BTCUSDT&limit=100&startTime=1799999940000&endTime=1800000090000',
    ],
  ],
  [
    "Bitget's unified account",
    unified,
    [
      '/api/v3/trade/order-info?clientOid=a-1',
      '/api/v3/trade/unfilled-orders?category=USDT-FUTURES&symbol=BTCUSDT&limit=100',
      '/api/v3/trade/history-orders?category=USDT-FUTURES&symbol=BTCUSDT&limit=100&startTime=1799999940000&endTime=1800000090000',
    ],
  ],
])(
  'an order on %s is asked for by its id, then among open and past orders',
  (_where, trace, calls) => {
    expect(asked(trace)).toEqual(calls)
    for (const { call } of lookupsOf(trace, SENT, NOW)) {
      expect(call).toMatchObject({ family: trace.family, method: 'GET', body: null, signed: true })
    }
  },
)

test('an order to cancel is asked for by the id of the exchange, and as far back as it goes', () => {
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
    `/api/v2/spot/trade/orderInfo?orderId=${ID}`,
    `/api/v2/spot/trade/unfilled-orders?symbol=BTCUSDT&orderId=${ID}&limit=100`,
    `/api/v2/spot/trade/history-orders?symbol=BTCUSDT&orderId=${ID}&limit=100&startTime=${NOW - 89 * DAY_MS}&endTime=${NOW}`,
  ])
  expect(asked({ ...unified, ...cancel, productType: undefined, symbol: undefined })).toEqual([
    `/api/v3/trade/order-info?orderId=${ID}`,
    '/api/v3/trade/unfilled-orders?limit=100',
  ])
})

test('the new order of a change is asked for by its new id, the old one where there is none', () => {
  const change = { ...bgMix, action: 'modify', orderId: '7' } as const
  expect(asked(change)[0]).toContain('clientOid=a-1')
  expect(asked({ ...change, clientOrderId: undefined })).toEqual([])
  const mexc: OrderTrace = {
    ...mxFutures,
    action: 'modify',
    orderId: '7',
    clientOrderId: undefined,
  }
  expect(asked(mexc)).toEqual([`${FUTURES}/get/7?`])
})

test.each<[string, OrderTrace]>([
  ['no id on MEXC spot', { ...mxSpot, clientOrderId: undefined }],
  ['no symbol on MEXC spot', { ...mxSpot, symbol: undefined }],
  ['no id on MEXC futures', { ...mxFutures, clientOrderId: undefined }],
  ['no id on Bitget', { ...bgSpot, clientOrderId: undefined }],
  ['no product type on Bitget futures', { ...bgMix, productType: undefined }],
  ['no id on the unified account', { ...unified, clientOrderId: undefined }],
])('with %s there is nothing to ask', (_what, trace) => {
  expect(asked(trace)).toEqual([])
})

test('names that are no plain words lead to no other path', () => {
  expect(asked({ ...mxFutures, symbol: '..' }).map((call) => call.split('?')[0])).toEqual([
    `${FUTURES}/list/open_orders`,
    `${FUTURES}/list/history_orders`,
  ])
  expect(asked({ ...mxFutures, symbol: '币/安_USDT', clientOrderId: '../a?b' })[0]).toBe(
    `${FUTURES}/external/%E5%B8%81%2F%E5%AE%89_USDT/..%2Fa%3Fb?`,
  )
  expect(asked({ ...mxFutures, symbol: '币_USDT' })[1]).toBe(
    `${FUTURES}/list/open_orders?page_num=1&page_size=100`,
  )
})

test('on Bitget spot an order is not asked for by its own id when two hours are over', () => {
  expect(asked(bgSpot, SENT + 2 * HOUR_MS - 1)).toHaveLength(3)
  expect(asked(bgSpot, SENT + 2 * HOUR_MS).map((call) => call.split('?')[0])).toEqual([
    '/api/v2/spot/trade/unfilled-orders',
    '/api/v2/spot/trade/history-orders',
  ])
})

test('an order of a demo account is looked for in the demo account', () => {
  for (const { call } of lookupsOf({ ...bgMix, demo: true }, SENT, NOW))
    expect(call.demo).toBe(true)
})

type Finding = ReturnType<Lookup['read']>

/** What the n-th lookup makes of an answer, read as it comes from the wire. */
function readBy(
  trace: OrderTrace,
  place: number,
  body: unknown,
  status = 200,
  nowMs = NOW,
): Finding {
  const lookup = lookupsOf(trace, SENT, nowMs)[place]
  if (lookup === undefined) throw new Error('No such lookup')
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = { status, headers: {}, body: Buffer.from(text), upstreamMs: 0 }
  return lookup.read(readAnswer(lookup.call, answer))
}

const futures = (data: unknown) => ({ success: true, code: 0, data })
const bitget = (data: unknown) => ({ code: '00000', msg: 'success', requestTime: NOW, data })
const spotRow = {
  symbol: 'BTCUSDT',
  orderId: 'C02__1',
  clientOrderId: 'a-1',
  status: 'NEW',
  executedQty: '0',
  time: SENT + 5,
}
const futuresRow = { orderId: ID, externalOid: 'a-1', state: 2, dealVol: 0, createTime: SENT + 5 }
const bgRow = {
  orderId: ID,
  clientOid: 'a-1',
  status: 'live',
  baseVolume: '0',
  cTime: `${SENT + 5}`,
}
const unifiedRow = {
  orderId: ID,
  clientOid: 'a-1',
  orderStatus: 'new',
  cumExecQty: '0',
  createdTime: `${SENT + 5}`,
}

test.each<[string, OrderTrace, number, unknown, Partial<FoundOrder>]>([
  ['MEXC spot by id', mxSpot, 0, spotRow, { orderId: 'C02__1' }],
  [
    'MEXC spot open',
    mxSpot,
    1,
    [{ ...spotRow, clientOrderId: 'b' }, spotRow],
    { orderId: 'C02__1' },
  ],
  ['MEXC spot past', mxSpot, 2, [spotRow], { orderId: 'C02__1' }],
  ['MEXC futures by id', mxFutures, 0, futures(futuresRow), { orderId: ID }],
  ['MEXC futures open', mxFutures, 1, futures([futuresRow]), { orderId: ID }],
  ['MEXC futures past', mxFutures, 2, futures({ resultList: [futuresRow] }), { orderId: ID }],
  ['Bitget spot by id', bgSpot, 0, bitget([bgRow]), { orderId: ID }],
  ['Bitget spot open', bgSpot, 1, bitget([bgRow]), { orderId: ID }],
  ['Bitget spot past', bgSpot, 2, bitget([bgRow]), { orderId: ID }],
  [
    'Bitget futures by id',
    bgMix,
    0,
    bitget({ ...bgRow, state: 'live', status: '' }),
    { orderId: ID },
  ],
  ['Bitget futures live', bgMix, 1, bitget({ entrustedList: [bgRow] }), { orderId: ID }],
  ['Bitget futures partly filled', bgMix, 2, bitget({ entrustedList: [bgRow] }), { orderId: ID }],
  ['Bitget futures past', bgMix, 3, bitget({ entrustedList: [bgRow] }), { orderId: ID }],
  ['unified by id', unified, 0, bitget(unifiedRow), { orderId: ID }],
  ['unified open', unified, 1, bitget({ list: [unifiedRow], cursor: '1' }), { orderId: ID }],
  ['unified past', unified, 2, bitget({ list: [unifiedRow] }), { orderId: ID }],
])('%s: the order is found', (_where, trace, place, body, found) => {
  expect(readBy(trace, place, body)).toMatchObject({
    ...found,
    clientOrderId: 'a-1',
    state: 'open',
    filledSize: '0',
  })
})

test('an id above 2^53 that comes as a number keeps its digits', () => {
  const text = JSON.stringify(futures(futuresRow)).replace(`"${ID}"`, ID)
  expect(readBy(mxFutures, 0, text)).toMatchObject({ orderId: ID })
  const cancel = { ...mxFutures, action: 'cancel', orderId: ID } as const
  expect(readBy(cancel, 0, text)).toMatchObject({ orderId: ID })
  expect(readBy({ ...cancel, orderId: '101716841474621952' }, 0, text)).toBe('unclear')
})

test.each<[OrderTrace, unknown, FoundOrder['state'] | 'unclear']>([
  [mxSpot, { ...spotRow, status: 'PARTIALLY_FILLED' }, 'partially-filled'],
  [mxSpot, { ...spotRow, status: 'FILLED' }, 'filled'],
  [mxSpot, { ...spotRow, status: 'CANCELED' }, 'cancelled'],
  [mxSpot, { ...spotRow, status: 'PARTIALLY_CANCELED', executedQty: '1' }, 'cancelled'],
  [mxSpot, { ...spotRow, status: 'constructor' }, 'unclear'],
  [mxSpot, { ...spotRow, status: null }, 'unclear'],
  [mxFutures, futures({ ...futuresRow, state: 1 }), 'open'],
  [mxFutures, futures({ ...futuresRow, dealVol: 0.5 }), 'partially-filled'],
  [mxFutures, futures({ ...futuresRow, state: 3, dealVol: 7 }), 'filled'],
  [mxFutures, futures({ ...futuresRow, state: '4' }), 'cancelled'],
  [mxFutures, futures({ ...futuresRow, state: 5 }), 'rejected'],
  [mxFutures, futures({ ...futuresRow, state: 6 }), 'unclear'],
  [bgMix, bitget({ ...bgRow, state: 'canceled' }), 'cancelled'],
  [bgMix, bitget({ ...bgRow, state: 'cancelled' }), 'cancelled'],
  [bgMix, bitget({ ...bgRow, status: 'partially_filled' }), 'partially-filled'],
  [bgSpot, bitget([{ ...bgRow, status: 'full_fill' }]), 'filled'],
  [unified, bitget({ ...unifiedRow, orderStatus: 'filled', cumExecQty: '1' }), 'filled'],
])('of %j the answer %j says %s', (trace, body, state) => {
  const found = readBy(trace, 0, body)
  expect(typeof found === 'string' ? found : found.state).toBe(state)
})

test.each<[string, OrderTrace, number, unknown, number]>([
  ['-2013', mxSpot, 0, { code: -2013, msg: 'Order does not exist.' }, 400],
  ['-2011', mxSpot, 0, { code: -2011, msg: 'Unknown order sent.' }, 400],
  ['no open orders', mxSpot, 1, [], 200],
  ['other orders only', mxSpot, 2, [{ ...spotRow, clientOrderId: 'b' }], 200],
  ['an older order with the same id', mxSpot, 2, [{ ...spotRow, time: SENT - 60_001 }], 200],
  ['2040', mxFutures, 0, { success: false, code: 2040, message: '' }, 200],
  ['a code in no table', mxFutures, 0, { success: false, code: 7777, message: '' }, 200],
  ['a refusal without a code', mxFutures, 0, { success: false }, 200],
  ['success and null', mxFutures, 0, futures(null), 200],
  ['success and nothing', mxFutures, 0, { success: true, code: 0 }, 200],
  ['success and an empty object', mxFutures, 0, futures({}), 200],
  ['an empty list', mxFutures, 1, futures([]), 200],
  ['an empty list', bgSpot, 0, bitget([]), 200],
  ['43001', bgSpot, 0, { code: '43001', msg: '', data: null }, 400],
  ['other orders only', bgSpot, 1, bitget([{ ...bgRow, clientOid: 'b' }]), 200],
  ['40109', bgMix, 0, { code: '40109', msg: '', data: null }, 400],
  ['a list that is null', bgMix, 1, bitget({ entrustedList: null, endId: null }), 200],
  ['an empty list', bgMix, 3, bitget({ entrustedList: [] }), 200],
  ['25204', unified, 0, { code: '25204', msg: '', data: null }, 400],
  ['an empty list', unified, 1, bitget({ list: [], cursor: null }), 200],
])('%s says that the order is not there', (_what, trace, place, body, status) => {
  expect(readBy(trace, place, body, status)).toBe('absent')
})

const many = (count: number, row: object) => Array.from({ length: count }, () => row)

test.each<[string, OrderTrace, number, unknown, number]>([
  ['server trouble', mxSpot, 0, { code: 500, msg: '' }, 500],
  ['a page of the firewall', mxSpot, 0, '<html>', 403],
  ['no JSON', mxSpot, 1, '[', 200],
  ['an error of the clock', mxSpot, 0, { code: 700003, msg: '' }, 400],
  ['too many requests', mxSpot, 1, { code: 429, msg: '' }, 429],
  ['an object in place of a list', mxSpot, 1, {}, 200],
  ['an empty object', mxSpot, 0, {}, 200],
  ['another order', mxSpot, 0, { ...spotRow, clientOrderId: 'b' }, 200],
  ['an older order with the same id', mxSpot, 0, { ...spotRow, time: SENT - 60_001 }, 200],
  ['an order without its id', mxSpot, 0, { ...spotRow, orderId: null }, 200],
  ['a list with something else in it', mxSpot, 1, [null], 200],
  ['as many open orders as there can be', mxSpot, 1, many(500, { clientOrderId: 'b' }), 200],
  ['a full page', mxSpot, 2, many(1_000, { clientOrderId: 'b' }), 200],
  ['a bad signature', mxFutures, 0, { success: false, code: 602, message: '' }, 200],
  ['a missing permission', mxFutures, 0, { success: false, code: 703, message: '' }, 200],
  ['an unknown outcome', mxFutures, 0, { success: false, code: 9999, message: '' }, 200],
  ['a page that is not there', mxFutures, 0, {}, 404],
  ['several orders', mxFutures, 0, futures([futuresRow, futuresRow]), 200],
  ['a list that is null', mxFutures, 1, futures(null), 200],
  ['a full page', mxFutures, 1, futures(many(100, { externalOid: 'b' })), 200],
  ['a code that says nothing of the order', bgSpot, 0, { code: '40404', msg: '' }, 400],
  ['something else than a list', bgSpot, 0, bitget(null), 200],
  ['a full page', bgSpot, 2, bitget(many(100, { clientOid: 'b' })), 200],
  ['no order', bgMix, 0, bitget(null), 200],
  ['no list', bgMix, 1, bitget({}), 200],
  ['a full page', bgMix, 3, bitget({ entrustedList: many(100, { clientOid: 'b' }) }), 200],
  ['a classic account', unified, 0, { code: '25245', msg: '', data: null }, 400],
  ['a full page', unified, 2, bitget({ list: many(100, { clientOid: 'b' }) }), 200],
])('%s proves nothing', (_what, trace, place, body, status) => {
  expect(readBy(trace, place, body, status)).toBe('unclear')
})

test('an order is found in a list that may be cut, and by an answer that does not repeat its id', () => {
  expect(readBy(mxSpot, 2, [...many(999, { clientOrderId: 'b' }), spotRow])).toMatchObject({
    orderId: 'C02__1',
  })
  expect(readBy(mxSpot, 0, { ...spotRow, clientOrderId: '' })).toMatchObject({ orderId: 'C02__1' })
  expect(readBy(mxSpot, 1, [{ ...spotRow, clientOrderId: '' }])).toBe('absent')
})

test('an order made a little before it was sent, by a clock that is not exact, is the one', () => {
  expect(readBy(mxSpot, 0, { ...spotRow, time: SENT - 59_000 })).toMatchObject({ state: 'open' })
})

test('an order to cancel may be of any age', () => {
  const cancel: OrderTrace = { ...mxSpot, action: 'cancel' }
  expect(readBy(cancel, 0, { ...spotRow, time: SENT - 80 * DAY_MS })).toMatchObject({
    state: 'open',
  })
})

test.each<[string, OrderTrace, number, unknown, number]>([
  ['MEXC spot', mxSpot, 2, [], 7],
  ['MEXC futures', mxFutures, 2, futures([]), 7],
  ['Bitget spot', bgSpot, 1, bitget([]), 89],
  ['Bitget futures', bgMix, 3, bitget({ entrustedList: [] }), 89],
  ['unified', unified, 2, bitget({ list: [] }), 30],
])(
  '%s: a history that does not reach until now proves nothing',
  (_where, trace, place, body, days) => {
    const reached = SENT + days * DAY_MS - 60_000
    expect(readBy(trace, place, body, 200, reached)).toBe('absent')
    expect(readBy(trace, place, body, 200, reached + 1)).toBe('unclear')
  },
)

test('the old order of a MEXC change says something only while it is open', () => {
  const change: OrderTrace = {
    ...mxFutures,
    action: 'modify',
    orderId: ID,
    clientOrderId: undefined,
  }
  expect(readBy(change, 0, futures(futuresRow))).toMatchObject({ orderId: ID, state: 'open' })
  for (const state of [3, 4, 5]) {
    expect(readBy(change, 0, futures({ ...futuresRow, state }))).toBe('unclear')
  }
  expect(readBy(change, 0, futures(null))).toBe('absent')
})
