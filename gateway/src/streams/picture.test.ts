import type { StreamBalance, StreamPosition } from 'schema'
import { expect, test } from 'vitest'
import {
  type AccountEvent,
  fillData,
  orderData,
  positionData,
  type Whole,
} from '../exchanges/feed.ts'
import { keyTextOf, knownUntilMs, Picture } from './picture.ts'
import type { StoredStreamEvent } from './stream-event.ts'

const names = { orderId: '1', symbol: 'AB', quantityUnit: 'base' } as const
const key = { exchange: 'bg', family: 'bitget', market: 'futures', action: 'place' } as const

function order(filledQuantity: string, said: object = {}, timeMs: number | null = null) {
  const status = filledQuantity === '0' ? 'open' : 'partiallyFilled'
  const data = orderData({ ...names, status, filledQuantity, price: '10', ...said })
  return { type: 'order', market: 'futures', timeMs, data, key } as const
}
function fill(fillId: string, quantity: string, timeMs: number, orderId = '1') {
  const data = fillData({ ...names, orderId, fillId, quantity, price: '10' })
  return { type: 'fill', market: 'futures', timeMs, data } as const
}
function position(quantity: string, timeMs: number | null, more: Partial<StreamPosition> = {}) {
  const data = positionData({ symbol: 'AB', side: 'long', quantity, ...more })
  return { type: 'position', market: 'futures', timeMs, data, productType: 'USDT-FUTURES' } as const
}
const all = (of: Whole['of'], more: Partial<Whole> = {}): Whole => ({
  of,
  market: 'futures',
  ...more,
})

/** A picture, and short words for what comes. */
function newPicture() {
  const picture = new Picture()
  const push = (atMs: number, events: readonly AccountEvent[], whole?: Whole) =>
    picture.apply(events, { source: 'stream', atMs, whole })
  const read = (atMs: number, events: readonly AccountEvent[], whole?: Whole) =>
    picture.apply(events, { source: 'rest', atMs, whole })
  return { picture, push, read }
}
const said = (events: readonly AccountEvent[]) =>
  events.map(({ data }) => ('quantity' in data && !('status' in data) ? data.quantity : data))

test.each<[what: string, first: AccountEvent, then: AccountEvent, published: object | undefined]>([
  ['less is filled', order('2'), order('1'), undefined],
  ['it is not open any more', order('1', { status: 'canceled' }), order('1'), undefined],
  [
    'it ended otherwise',
    order('1', { status: 'canceled' }),
    order('1', { status: 'filled' }),
    undefined,
  ],
  [
    'it ended, and more was filled',
    order('1', { status: 'canceled' }),
    order('2'),
    { status: 'canceled', filledQuantity: '2' },
  ],
  [
    'it ended with less than is known',
    order('2'),
    order('1', { status: 'canceled' }),
    { status: 'canceled', filledQuantity: '2' },
  ],
  ['it is in the book', order('0', { status: 'pending' }), order('0'), { status: 'open' }],
  ['it was pending', order('0'), order('0', { status: 'pending' }), undefined],
  ['an earlier price', order('1', { price: '12' }, 5), order('1', { price: '11' }, 4), undefined],
  [
    'a later price',
    order('1', {}, 5),
    order('1', { price: '11' }, 6),
    { price: '11', filledQuantity: '1' },
  ],
  ['the same in other digits', order('1.0', {}, 5), order('1', { price: '10.00' }, 6), undefined],
  [
    'an end without an average',
    order('1', { averagePrice: '9' }),
    order('1', { status: 'canceled' }),
    { averagePrice: '9' },
  ],
  [
    'more, without an average',
    order('1', { averagePrice: '9' }),
    order('2'),
    { averagePrice: null },
  ],
])('of an order, %s', (_, first, then, published) => {
  const { push } = newPicture()
  push(1, [first])
  expect(push(2, [then])).toEqual(
    published === undefined
      ? []
      : [expect.objectContaining({ data: expect.objectContaining(published) })],
  )
})

test('a read that was sent before a frame came does not undo it, but says what is surely newer', () => {
  const { push, read, picture } = newPicture()
  push(5, [order('1', { price: '12' }), position('3', null)])
  expect(read(4, [order('1', { price: '11' }), position('2', null)], all('position'))).toEqual([])
  expect(read(4, [], all('position'))).toEqual([])
  expect(picture.counts.late).toBe(2)
  expect(read(4, [order('2')])).toMatchObject([{ data: { filledQuantity: '2', price: '10' } }])
  expect(said(read(6, [position('2', null)], all('position')))).toEqual(['2'])
  expect(said(read(7, [], all('position')))).toEqual(['0'])
})

test('a position that is not in the whole list of its product type is closed, and stays so', () => {
  const { push, picture } = newPicture()
  const usdt = (timeMs: number) => all('position', { productType: 'USDT-FUTURES', timeMs })
  push(1, [
    position('3', 10),
    { ...position('1', 10, { symbol: 'ABPERP' }), productType: 'USDC-FUTURES' },
  ])
  // The frame of an older list comes late, as that of a position that is closed by now does.
  expect(push(2, [], usdt(9))).toEqual([])
  expect(said(push(3, [], usdt(20)))).toEqual(['0'])
  expect(push(4, [position('5', 15)], usdt(15))).toEqual([])
  expect(push(5, [position('3', 10)])).toEqual([])
  expect(picture.snapshot().map(({ data }) => 'symbol' in data && data.symbol)).toEqual(['ABPERP'])
  expect(said(push(6, [position('1', 21)], usdt(22)))).toEqual(['1'])
  // It was closed before anybody knew it.
  push(7, [position('0', 30, { symbol: 'CD' })])
  expect(push(8, [position('4', 29, { symbol: 'CD' })])).toEqual([])
})

test('what comes every few seconds is published when it changes, not when a price does', () => {
  const { push, picture } = newPicture()
  const held = { asset: 'USDT', available: '10', locked: '0', total: '10' }
  const balance = (data: StreamBalance) =>
    ({ type: 'balance', market: 'futures', timeMs: null, data }) as const
  push(1, [balance(held), position('3', null, { unrealizedPnl: '1' })])
  expect(
    push(2, [
      balance({ ...held, available: '10.00', total: null }),
      position('3', null, { unrealizedPnl: '2' }),
    ]),
  ).toEqual([])
  expect(picture.counts.duplicates).toBe(2)
  expect(push(3, [balance({ ...held, available: '9' })])).toHaveLength(1)
  expect(push(4, [], all('balance'))).toMatchObject([{ data: { available: '0', total: '0' } }])
  expect(picture.snapshot()).toMatchObject([{ type: 'position' }])
})

test('both sides of a trade of an account with itself are published, each once', () => {
  const { push, read } = newPicture()
  expect(push(1, [fill('f', '1', 5, '1'), fill('f', '1', 5, '2')])).toHaveLength(2)
  expect(
    read(2, [fill('f', '1', 5, '2'), fill('f', '1', 5, '1'), fill('g', '1', 5, '2')]),
  ).toMatchObject([{ data: { fillId: 'g', orderId: '2' } }])
})

test('a fill that comes after it was inferred is dropped, one that was made later is not', () => {
  const { push, read, picture } = newPicture()
  push(1, [order('0', {}, 1_000)])
  read(2, [order('3', {}, 5_000)], all('order'))
  expect(push(3, [fill('a', '1', 4_000)])).toHaveLength(1)
  expect(picture.settle(picture.unpublished(), 6_000)).toMatchObject([
    { data: { fillId: null, quantity: '2', inferred: true }, timeMs: 5_000 },
  ])
  expect(
    push(4, [fill('b', '1', 4_500), fill('c', '1', 9_000), fill('d', '1', 5_000)]),
  ).toMatchObject([{ data: { fillId: 'c' } }])
})

test('that a change was made is published once, also when its state is known', () => {
  const { read, push } = newPicture()
  const changed = { ...order('0', { price: '11' }, 5), changeId: 'x' }
  read(1, [order('0', { price: '11' }, 5)])
  expect(push(2, [changed])).toMatchObject([{ changeId: 'x' }])
  expect(push(3, [changed])).toEqual([])
  expect(push(4, [order('0', { price: '12' }, 6), { ...changed, changeId: 'y' }])).toMatchObject([
    { data: { price: '12' } },
    { data: { price: '12' }, changeId: 'y' },
  ])
})

test('after a restart the gap begins where the last one did that was not closed', () => {
  const stored = (type: 'state' | 'fill', receivedAtMs: number, state?: string) =>
    ({
      type,
      receivedAtMs,
      source: type === 'fill' ? 'stream' : 'journal',
      data: JSON.stringify({ state }),
    }) as StoredStreamEvent
  const until = (...events: StoredStreamEvent[]) => knownUntilMs(events)
  const [live, event] = [stored('state', 2, 'live'), stored('fill', 3)]
  expect(until()).toBeNull()
  expect(until(stored('state', 1, 'gap'), live, event)).toBe(3)
  const gap = [
    stored('state', 5, 'gap'),
    stored('fill', 6),
    stored('state', 7, 'gap'),
    stored('fill', 8),
  ]
  expect(until(live, event, ...gap)).toBe(3)
  expect(until(...gap)).toBe(5)
  expect(until(live, event, stored('state', 4, 'live'), ...gap)).toBe(4)
  // This machine's clock is ahead: reads ask for the exchange's time.
  expect(until(live, { ...event, receivedAtMs: 9_000, timeMs: 3_000 })).toBe(3_000)
})

test('an order is found by either of its ids, an open one first; one that is over for a day is forgotten', () => {
  const { picture, push } = newPicture()
  const named = (orderId: string, status: string) =>
    order('0', { orderId, status, clientOrderId: 'again' })
  const found = (ids: Parameters<Picture['orderOf']>[0]) => picture.orderOf(ids)?.data.orderId
  push(1, [named('1', 'canceled'), named('2', 'open')])
  push(2, [order('0', { orderId: '3', status: 'canceled', clientOrderId: 'again' })])
  expect(found({ clientOrderId: 'again' })).toBe('2')
  expect(found({ orderId: '3' })).toBe('3')
  push(3, [named('2', 'canceled')])
  expect(found({ clientOrderId: 'again' })).toBe('3')
  push(90_000_000, [order('0', { orderId: '4' })])
  expect([found({ orderId: '1' }), found({ clientOrderId: 'again' })]).toEqual([
    undefined,
    undefined,
  ])
})

test('what was published before a restart is known after it; the feed of a unified account says all markets', () => {
  const row = (event: AccountEvent, seq: number) =>
    ({
      ...{ seq, type: event.type, market: event.market, timeMs: event.timeMs, source: 'stream' },
      ...{ data: JSON.stringify(event.data), key: keyTextOf(event) },
    }) as StoredStreamEvent
  const events = [order('1', {}, 5), fill('f', '1', 5), position('3', 5)]
  const stored = events.map(row).reverse()
  for (const markets of [['unified'], ['spot', 'futures']] as const) {
    const { picture, read } = newPicture()
    picture.restore(stored, { markets }, 1)
    expect(read(2, events)).toEqual([])
    expect(picture.unconfirmed(2)).toEqual([])
    expect(said(read(3, [], all('position', { productType: 'usdt-futures' })))).toEqual(['0'])
  }
  const { picture, read } = newPicture()
  picture.restore(stored, { markets: ['spot'] }, 1)
  expect(read(2, events)).toHaveLength(3)
})
