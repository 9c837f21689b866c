import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AccountEvent, FeedFrame } from '../feed.ts'
import { mexcFuturesFeed } from './feed.ts'

const { read, repairReads } = mexcFuturesFeed
const pushed = (name: string, data: string, ts = '1736417034281') =>
  `{"channel":"push.personal.${name}","data":${data},"ts":${ts}}`
const eventsOf = (frame: FeedFrame): readonly AccountEvent[] =>
  frame.kind === 'push' ? frame.events : []
const only = (name: string, data: object) => eventsOf(read(pushed(name, JSON.stringify(data))))[0]

const order = {
  ...{ orderId: '739113577038255616', symbol: 'BTC_USDT', externalOid: 'bot-7', price: 60_000.5 },
  ...{ vol: 10, side: 1, orderType: 1, dealVol: 0, dealAvgPrice: 0, state: 2, errorCode: 0 },
  ...{ updateTime: 1_736_417_034_000, positionMode: 1, version: 1 },
}

test('numbers keep their digits, whether they are text or not', () => {
  const row = `{"orderId":739113577038255617,"symbol":"BTC_USDT","price":0.10,"vol":1e2,"side":2,
    "orderType":1,"dealVol":"3","dealAvgPrice":0.10000000000000000001,"state":2,"version":9007199254740993}`
  expect(eventsOf(read(pushed('order', row)))).toMatchObject([
    {
      timeMs: 1_736_417_034_281,
      data: {
        ...{ orderId: '739113577038255617', price: '0.10', quantity: '100', filledQuantity: '3' },
        ...{ averagePrice: '0.10000000000000000001', status: 'partiallyFilled' },
      },
      version: '9007199254740993',
    },
  ])
})

test('a frame as text, as bytes and as gzip gives the same event, and a cut one none', () => {
  const text = pushed('order', JSON.stringify(order))
  const zipped = gzipSync(text)
  expect(read(Buffer.from(text))).toEqual(read(text))
  expect(read(zipped)).toEqual(read(text))
  expect(eventsOf(read(text))).toHaveLength(1)
  expect(read(zipped.subarray(0, 40))).toMatchObject({ kind: 'unreadable' })
  expect(read(gzipSync(Buffer.alloc(2_000_000)))).toMatchObject({ kind: 'unreadable' })
})

test.each([
  [1, 'buy', 'long'],
  [2, 'buy', 'short'],
  [3, 'sell', 'short'],
  [4, 'sell', 'long'],
])(
  'side %i is a %s of a %s position, and in one-way mode of one that nobody names',
  (number, side, positionSide) => {
    expect(only('order', { ...order, side: number })?.data).toMatchObject({ side, positionSide })
    const oneWay = only('order', { ...order, side: number, positionMode: 2 })
    expect(oneWay).toMatchObject({ data: { side, positionSide: null }, key: { isOneWay: true } })
  },
)

test.each([
  [{ state: 1 }, 'pending'],
  [{ state: 2 }, 'open'],
  [{ state: 2, dealVol: 3 }, 'partiallyFilled'],
  [{ state: 3, dealVol: 10 }, 'filled'],
  [{ state: 4, dealVol: 3 }, 'canceled'],
  [{ state: 5 }, 'rejected'],
])('an order with %j is %s', (change, status) => {
  expect(only('order', { ...order, ...change })?.data).toMatchObject({ status })
})

test('an order says why it ended, and a market order has no price', () => {
  const change = { state: 4, errorCode: 20, orderType: 5 }
  expect(only('order', { ...order, ...change })?.data).toMatchObject({
    ...{ reason: 'errorCode 20', orderType: 'market', price: null },
  })
})

test('a fill has its fee as it was paid, and says nothing of the customer on the other side', () => {
  const fill = {
    ...{ id: '3', orderId: order.orderId, symbol: 'BTC_USDT', side: 4, vol: 10, price: 60_000 },
    ...{ fee: 0.24, feeCurrency: 'USDT', profit: -1.5, timestamp: 1_736_417_034_000 },
    opponentUid: 7_299_999_999,
  }
  const event = only('order.deal', { ...fill, isTaker: true, externalOid: 'bot-7' })
  expect(event).toMatchObject({
    ...{ type: 'fill', timeMs: 1_736_417_034_000 },
    data: {
      ...{ fillId: '3', clientOrderId: 'bot-7', fee: '0.24', feeCurrency: 'USDT' },
      ...{ liquidity: 'taker', realizedPnl: '-1.5', quantityUnit: 'contracts', quantity: '10' },
    },
  })
  expect(JSON.stringify(event)).not.toContain('7299999999')
  expect(only('order.deal', { ...fill, taker: false })?.data).toMatchObject({ liquidity: 'maker' })
})

test('a position is counted in contracts, and one in state 3 is closed', () => {
  const position = {
    ...{ symbol: 'BTC_USDT', positionType: 2, openType: 1, state: 1, holdVol: 10, leverage: 20 },
    ...{ holdAvgPrice: 60_000, liquidatePrice: 63_000, version: 4, frozenVol: 0 },
  }
  expect(only('position', position)).toMatchObject({
    data: {
      ...{ side: 'short', quantity: null, contracts: '10', marginMode: 'isolated' },
      ...{ entryPrice: '60000', leverage: '20', liquidationPrice: '63000' },
    },
    version: '4',
  })
  expect(only('position', { ...position, state: 3, openType: 2 })?.data).toMatchObject({
    ...{ quantity: '0', contracts: '0', marginMode: 'cross' },
  })
})

test('a balance has what orders and positions hold as locked', () => {
  const asset = { currency: 'USDT', positionMargin: 10.5, frozenBalance: 2, availableBalance: 7 }
  expect(only('asset', asset)).toMatchObject({
    ...{ market: 'futures', timeMs: 1_736_417_034_281 },
    data: { asset: 'USDT', available: '7', locked: '12.5', total: null },
  })
})

test.each([
  ['plan.order', 'planorder', 1, 'open'],
  ['plan.order', 'planorder', 2, 'canceled'],
  ['plan.order', 'planorder', 3, 'filled'],
  ['plan.order', 'planorder', 4, 'rejected'],
  ['stop.planorder', 'stoporder', 1, 'open'],
  ['track.order', 'trackorder', 0, 'open'],
  ['track.order', 'trackorder', 2, 'filled'],
  ['track.order', 'trackorder', 4, 'canceled'],
])('a push %s is an order of the kind %s, and state %i is %s', (name, plan, state, status) => {
  const row = { id: '5', symbol: 'BTC_USDT', side: 1, vol: 10, state, orderId: '9' }
  expect(only(name, row)).toMatchObject({
    data: { orderId: '5', orderType: 'trigger', filledQuantity: null, status },
    key: { plan },
  })
})

test('what is not of an account is passed over, as are pushes that nobody knows', () => {
  const deduction = '{"currency":"MX","feeDeduct":1}'
  for (const frame of [pushed('plan.order', deduction), pushed('order.chase', '{"ec":1,"s":2}')])
    expect(read(frame)).toMatchObject({ kind: 'passedOver' })
  expect(read(pushed('position.closeall.fail', 'null'))).toMatchObject({ kind: 'passedOver' })
  expect(read('{"channel":"push.ticker","data":{},"symbol":"BTC_USDT"}')).toEqual({
    ...{ kind: 'passedOver', channel: 'push.ticker' },
  })
})

test('a push that lacks what it has to have is unreadable', () => {
  const rows = { order: { ...order, state: undefined }, position: {}, asset: {}, 'order.deal': {} }
  for (const [name, row] of Object.entries(rows))
    expect(read(pushed(name, JSON.stringify(row)))).toMatchObject({ kind: 'unreadable' })
})

test('a login is taken or refused, for the keys or for the time, and each pong is one', () => {
  const says = (channel: string, data: unknown) => read(JSON.stringify({ channel, data }))
  expect(says('rs.login', 'success')).toEqual({ kind: 'loggedIn' })
  const message = 'Signature verification failed'
  expect(says('rs.error', message)).toEqual({ kind: 'loginRefused', message, isKey: true })
  expect(says('rs.error', 'Api_key has expired')).toMatchObject({ isKey: true })
  expect(says('rs.error', 'Request time is 11 s off')).toMatchObject({ isKey: false })
  expect(says('rs.error', 'system busy')).toMatchObject({ kind: 'loginRefused', isKey: false })
  expect([says('pong', 1), says('pong', 2)]).toEqual([{ kind: 'pong' }, { kind: 'pong' }])
})

test('frames of any kind are no crash', () => {
  const names = ['order', 'order.deal', 'position', 'asset', 'plan.order', 'track.order']
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.json(), fc.string(), (name, data, text) => {
      const frames = [read(text), read(Buffer.from(text)), read(pushed(name, data))]
      expect(frames.map(({ kind }) => kind)).not.toContain('push')
    }),
  )
})

test('lists are read page by page, wrapped or not', () => {
  const scope = { fillsSinceMs: 1_000, nowMs: 2_000, productTypes: [] }
  const reads = repairReads({ ...scope, symbols: { spot: ['BTCUSDT'], futures: ['BTC_USDT'] } })
  expect(reads.map(({ call: { path, query } }) => `${path}?${query}`)).toEqual([
    '/api/v1/private/order/list/open_orders?page_num=1&page_size=100',
    '/api/v1/private/order/list/order_deals?symbol=BTC_USDT&start_time=1000&end_time=2000&page_num=1&page_size=100',
    '/api/v1/private/position/open_positions?',
    '/api/v1/private/account/assets?',
  ])
  const [orders] = reads
  const page = Array.from({ length: 100 }, () => order)
  expect(orders?.next?.({ resultList: page })?.call.query).toBe('page_num=2&page_size=100')
  expect(orders?.next?.(page.slice(1))).toBe(undefined)
  expect(orders?.read({ resultList: page })).toHaveLength(100)
  expect(() => orders?.read([{ ...order, state: 9 }])).toThrow('no state that can be read')
  expect(reads.map(({ whole }) => whole?.of)).toEqual(['order', undefined, 'position', 'balance'])
})
