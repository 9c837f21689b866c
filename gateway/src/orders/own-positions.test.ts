import { expect, test } from 'vitest'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { OrderResult } from '../exchanges/order-results.ts'
import { BG, bg, MX, memoryStore, mx, placed, record } from './test-own-positions.ts'

// What clients opened and have not closed: the arithmetic, and what the store gets.

const STOP = mx('4', '3', { plan: 'planorder', terms: { side: '4', size: '3', trigger: '9' } })
const LEFT_OUT = { leavesOutAttached: true }
const cancelOf = (order: OrderKey, orderId: string): OrderKey => ({
  ...{ ...order, action: 'cancel', terms: undefined, orderId },
})

test('an entry opens what it was filled with, once that is known', () => {
  const { end, open, learnt } = record()
  end(placed(mx('1', '3'), 'a'))
  expect(open()).toMatchObject({ open: '0', isCertain: false })
  learnt('a', { filled: '2.5' })
  expect(open()).toMatchObject({ open: '2.5', isCertain: true })
  expect(open(MX, 'short').open).toBe('0')
})

test('an exit whose fill is not known has taken all that it asked for', () => {
  const { end, open, learnt } = record()
  end(placed(mx('1', '3'), 'a', '3'), placed(mx('4', '2'), 'b'))
  expect(open()).toMatchObject({ open: '1', isCertain: false })
  learnt('b', { filled: '0.5' })
  expect(open()).toMatchObject({ open: '2.5', isCertain: true })
  end(placed(mx('4', '9'), 'c', '9'))
  expect(open().open).toBe('0')
  // What was closed beyond it does not count later.
  end(placed(mx('1', '1'), 'd', '1'))
  expect(open().open).toBe('1')
})

test('an exit that was found open rests, until that is too long ago', () => {
  const { end, open, learnt, wait } = record()
  end(placed(mx('1', '3'), 'a', '3'), placed(mx('4', '2'), 'b'), placed(STOP, 's'))
  expect(open().open).toBe('0')
  learnt('b', { isOpen: true, filled: '0.5' })
  learnt('s', { isOpen: true })
  expect(open()).toEqual({
    ...{ open: '2.5', isCertain: true },
    resting: { now: '1.5', stop: '3', profit: '0' },
  })
  wait(2_000)
  expect(open()).toMatchObject({ open: '2.5', isCertain: false })
  wait(30_000)
  expect(open()).toMatchObject({ open: '0', resting: { now: '0', stop: '0' } })
})

test('an order that is cancelled gives back, and a trigger order without a question', () => {
  const { end, open, learnt, positions } = record()
  end(placed(mx('1', '3'), 'a', '3'), placed(STOP, 's'), placed(mx('4', '3'), 'b'))
  const cancel = (orderId: string, plan?: string): OrderResult => ({
    ...{ order: cancelOf(mx('4', '3', { plan }), orderId), became: 'ended', orderId },
  })
  end(cancel('s', 'planorder'), cancel('b'))
  expect(positions.toLearn(1, 'mx', 5).map(({ orderId }) => orderId)).toEqual(['b'])
  expect(open().open).toBe('0')
  learnt('b', { filled: '1' })
  expect(open()).toMatchObject({ open: '2', isCertain: true })
})

test('a cancel that was looked up says what the order was filled with', () => {
  const { end, open } = record()
  end(placed(mx('1', '3'), 'a'))
  end({
    order: cancelOf(mx('1', '3'), 'a'),
    became: 'ended',
    orderId: 'a',
    filled: { size: '2', isFinal: true },
  })
  expect(open()).toMatchObject({ open: '2', isCertain: true })
  // A trigger order that was cancelled too late has made an order.
  const entry = mx('1', '3', { plan: 'planorder' })
  end(placed(entry, 't'))
  end({
    order: cancelOf(entry, 't'),
    became: 'ended',
    orderId: 't',
    filled: { size: '0', isFinal: false },
  })
  expect(open()).toMatchObject({ open: '2', isCertain: false })
})

test('a change leaves the larger size until the order is looked up', () => {
  const { end, open, learnt, positions } = record()
  end(placed(mx('1', '9'), 'a', '9'), placed(mx('4', '3'), 'b'))
  const to = (size: string): OrderResult => ({
    order: { ...mx('4', size), action: 'modify', isInPlace: true, orderId: 'b' },
    ...{ became: 'working', orderId: 'b' },
  })
  end(to('5'))
  expect(open().open).toBe('4')
  end(to('1'))
  expect(open().open).toBe('4')
  learnt('b', { isOpen: true, filled: '0' })
  expect(open()).toMatchObject({ open: '9', resting: { now: '1' } })
  expect(positions.openOf(1, 'mx', 5, MX, 'long', { orderId: 'b' })).toMatchObject({
    ...{ open: '9', resting: { now: '0' }, isCertain: true },
  })
})

test('an order that takes the place of another one does the same to the position', () => {
  const { end, open, learnt } = record()
  end(placed(mx('1', '9'), 'a', '9'), placed(mx('4', '3'), 'b'))
  const replaces = { ...mx('4', '3'), action: 'modify', orderId: 'b', terms: undefined } as const
  const order: OrderKey = { ...replaces, clientOrderId: 'n', terms: { size: '4', price: '7' } }
  end({ order, became: 'working', orderId: 'c', replaces })
  expect(open().open).toBe('2')
  learnt('b', { filled: '1' })
  learnt('c', { filled: '4' })
  expect(open()).toMatchObject({ open: '4', isCertain: true })
})

test('in an account with one position a symbol, the opposite order first closes', () => {
  const { end, open, learnt } = record()
  end(placed(bg('buy', '3'), 'a', '3'), placed(bg('sell', '2'), 'b'))
  // It may have been filled.
  expect(open(BG)).toMatchObject({ open: '1', isCertain: false })
  expect(open(BG, 'short').open).toBe('0')
  learnt('b', { filled: '2' })
  expect(open(BG)).toMatchObject({ open: '1', isCertain: true })
  end(placed(bg('sell', '4'), 'c', '4'))
  expect([open(BG).open, open(BG, 'short').open]).toEqual(['0', '3'])
  end(placed(bg('buy', '5', true), 'd', '3'))
  expect([open(BG).open, open(BG, 'short').open]).toEqual(['0', '0'])
})

test('accounts, symbols and clients are apart', () => {
  const { end, positions } = record()
  end(placed(mx('1', '3'), 'a', '3'))
  const openOf = (client: number, keys: number, place: string) =>
    positions.openOf(client, 'mx', keys, place, 'long').open
  expect(openOf(1, 5, MX)).toBe('3')
  expect(openOf(2, 5, MX)).toBe('0')
  expect(openOf(1, 6, MX)).toBe('0')
  expect(openOf(1, 5, 'futures ETH_USDT')).toBe('0')
  expect(positions.hasOpen(1, 'mx', 5, MX)).toBe(true)
  expect(positions.hasOpen(1, 'bg', 5, MX)).toBe(false)
  end(placed(mx('3', '1', { symbol: 'ETH_USDT' }), 'b'))
  expect(positions.hasOpen(1, 'mx', 5, 'futures ETH_USDT')).toBe('perhaps')
  expect(positions.hasOpen(1, 'mx', 6, MX)).toBe(false)
  expect(positions.hasOpen(1, 'mx', 5, undefined)).toBe(true)
  positions.forgetClient(1)
  expect(positions.hasOpen(1, 'mx', 5, MX)).toBe(false)
})

test('what entries with an attached exit opened can be left out, also of a sum', async () => {
  const { end, merge, positions, store } = record()
  const attached = { hasAttachedExit: true }
  const open = () =>
    [false, true].map(
      (leavesOutAttached) =>
        positions.openOf(1, 'mx', 5, MX, 'long', undefined, { leavesOutAttached }).open,
    )
  end(placed(mx('1', '3'), 'a', '3'), placed(mx('1', '4', attached), 'b', '4'))
  expect(open()).toEqual(['7', '3'])
  await merge()
  expect(open()).toEqual(['7', '3'])
  // What was closed may be of both: the one that is surely there is less by it.
  end(placed(mx('4', '2'), 'c', '2'))
  expect(open()).toEqual(['5', '1'])
  end(placed(mx('4', '2'), 'd', '2'))
  expect(open()).toEqual(['3', '0'])
  await merge()
  expect([...store.rows.values()]).toMatchObject([{ hasAttachedExit: true, filled: '3' }])
  const next = record(store)
  await next.positions.load()
  expect(next.positions.openOf(1, 'mx', 5, MX, 'long', undefined, LEFT_OUT).open).toBe('0')
  expect(next.open().open).toBe('3')
})

test('an order that gets an attached exit later counts as one with it', () => {
  const { end, positions } = record()
  end(placed(mx('1', '3'), 'a'))
  const order: OrderKey = { ...mx('1', '3'), action: 'modify', isInPlace: true, orderId: 'a' }
  end({ order: { ...order, hasAttachedExit: true }, became: 'working', orderId: 'a' })
  for (const own of positions.toLearn(1, 'mx', 5)) positions.finish(own, own.askedLast)
  expect(positions.openOf(1, 'mx', 5, MX, 'long', undefined, LEFT_OUT).open).toBe('0')
})

test('a spot order with an attached exit opens nothing', () => {
  const { end, positions } = record()
  const coins = { market: 'spot', family: 'bitget', exchange: 'bg', symbol: 'BTCUSDT' } as const
  const buy = { ...mx('1', '3', coins), terms: { side: 'buy', size: '3' } }
  const open = () => positions.openOf(1, 'bg', 5, 'spot BTCUSDT', 'long').open
  end(placed({ ...buy, hasAttachedExit: true }, 'a', '3'))
  expect(open()).toBe('0')
  // Nor what takes the place of one that the record does not have.
  const old = cancelOf(buy, 'a')
  end({ order: { ...buy, clientOrderId: 'n' }, became: 'working', orderId: 'b', replaces: old })
  expect(open()).toBe('0')
  expect(positions.toLearn(1, 'bg', 5)).toEqual([])
  end(placed(buy, 'c', '2'))
  expect(open()).toBe('2')
})

test('coins are no open position of futures', () => {
  const { end, positions } = record()
  const coins = { market: 'spot', family: 'mexc-spot', symbol: 'BTCUSDT' } as const
  end(placed({ ...mx('1', '3', coins), terms: { side: 'buy', size: '3' } }, 'a', '3'))
  expect(positions.hasOpen(1, 'mx', 5, 'spot BTCUSDT')).toBe(true)
  expect(positions.hasOpen(1, 'mx', 5, undefined)).toBe(false)
})

test('a call that closes all takes what was opened before it, also what is learnt later', async () => {
  const { end, open, learnt, merge, store } = record()
  end(placed(mx('1', '3'), 'a', '3'), placed(mx('1', '2'), 'b'), placed(mx('3', '1'), 's', '1'))
  const closes = { inOneWay: 'long', inHedge: 'long', kind: 'now', isWhole: true } as const
  const order: OrderKey = { ...mx('1', '0'), terms: undefined, closes }
  end({ order, became: 'ended', orderId: undefined })
  end(placed(mx('1', '4'), 'c', '4'))
  expect(open()).toMatchObject({ open: '4', isCertain: false })
  learnt('b', { filled: '2' })
  expect(open()).toMatchObject({ open: '4', isCertain: true })
  await merge()
  expect([...store.rows.values()].map(({ side, filled }) => [side, filled])).toEqual([
    ['long', '4'],
    ['short', '1'],
  ])
  // Of all symbols, both sides.
  const all: OrderKey = { ...order, symbol: undefined, closes: { ...closes, inHedge: undefined } }
  end({ order: all, became: 'ended', orderId: undefined })
  expect([open().open, open(MX, 'short').open]).toEqual(['0', '0'])
})

test('what has ended becomes one sum, which a new process reads', async () => {
  const { end, open, learnt, merge, store } = record()
  end(placed(mx('1', '3'), 'a', '3'), placed(mx('1', '2'), 'b'), placed(mx('4', '1'), 'c', '1'))
  await merge()
  // An order before the exit may still have been filled before it.
  expect(store.rows.size).toBe(3)
  learnt('b', { filled: '2' })
  await merge()
  expect([...store.rows.values()]).toMatchObject([{ journalId: null, side: 'long', filled: '4' }])
  expect(open().open).toBe('4')
  const next = record(store)
  await next.positions.load()
  expect(next.open()).toMatchObject({ open: '4', isCertain: true })
  next.end(placed(mx('4', '4'), 'd', '4'))
  await next.merge()
  expect(store.rows.size).toBe(0)
  expect(next.open().open).toBe('0')
})

test('an order that rests for long does not keep the others, and its fill counts once', async () => {
  const { end, open, learnt, merge, store, wait } = record()
  end(placed(mx('1', '9'), 'old'))
  end(placed(mx('1', '3'), 'a', '3'), placed(mx('4', '1'), 'b', '1'))
  learnt('old', { isOpen: true, filled: '2' })
  await merge()
  expect(store.rows.size).toBe(2)
  expect(open().open).toBe('4')
  wait(60_000)
  learnt('old', { filled: '9' })
  expect(open().open).toBe('11')
  const next = record(store)
  await next.positions.load()
  expect(next.open()).toMatchObject({ open: '4', isCertain: false })
  await merge()
  expect([...store.rows.values()]).toMatchObject([{ journalId: null, filled: '11' }])
})

test('an order whose end is not written yet is in no sum', async () => {
  const { change, open, merge, store, positions } = record()
  const late = change('r', placed(mx('1', '3'), 'a', '3'))
  await merge()
  expect(store.rows.size).toBe(0)
  expect(open().open).toBe('3')
  // A repetition has the same rows.
  expect(change('r', placed(mx('1', '3'), 'a', '3'))).toEqual(late)
  expect(open().open).toBe('3')
  store.settle(late)
  positions.written('r')
  await merge()
  expect([...store.rows.values()]).toMatchObject([{ journalId: null, filled: '3' }])
})

test('an order that rests, or was placed just now, does not keep those before it out of the sum', async () => {
  const { end, learnt, merge, open, store } = record()
  end(placed(mx('1', '3'), 'a', '3'), placed(mx('1', '9'), 'rests'), placed(mx('1', '1'), 'b', '1'))
  learnt('rests', { isOpen: true, filled: '2' })
  end(placed(mx('1', '4'), 'new'), placed(mx('1', '5'), 'c', '5'))
  await merge()
  const rows = [...store.rows.values()]
  expect(rows.map(({ orderId, filled, counted }) => [orderId, filled, counted])).toEqual([
    ['rests', '2', '2'],
    ['new', '0', '0'],
    ['c', '5', '0'],
    [null, '6', '0'],
  ])
  expect(open().open).toBe('11')
})

test('orders of keys that were replaced have their last fill', () => {
  const { end, open, positions } = record()
  end(placed(mx('1', '3'), 'a', '3'), placed(mx('1', '9'), 'b'), placed(mx('4', '1'), 'c'))
  positions.endReplaced(1, 'mx', 5)
  expect(open()).toMatchObject({ open: '2', isCertain: false })
  positions.endReplaced(1, 'mx', 6)
  expect(open()).toMatchObject({ open: '2', isCertain: true })
})

test('what the previous owner wrote after the start counts once', async () => {
  const store = memoryStore()
  const before = record(store)
  before.end(placed(mx('1', '3'), 'a', '3'))
  before.end(placed(mx('1', '2'), 'b'))
  const next = record(store)
  await next.positions.load(1)
  // Its response came late, and it put what it knew into a sum.
  before.end(placed(mx('4', '1'), 'c', '1'))
  before.learnt('b', { filled: '2' })
  await before.merge()
  expect([...store.rows.values()]).toMatchObject([{ filled: '4' }])
  next.end(placed(mx('1', '1'), 'd', '1'))
  next.learnt('b', { filled: '2' })
  await next.merge()
  expect(next.open()).toMatchObject({ open: '5', isCertain: true })
  await next.merge()
  expect([...store.rows.values()]).toMatchObject([{ journalId: null, filled: '5' }])
})

test('a change gives back what its own kind of order takes, not one with the same client id', () => {
  const { end, positions } = record()
  const z = { clientOrderId: 'z' }
  const stop = { ...z, plan: 'planorder' }
  end(placed(mx('1', '9'), 'a', '9'), placed(mx('4', '1', z), 'b'), placed(mx('4', '2', stop), 'c'))
  const without = (ids: object) => positions.openOf(1, 'mx', 5, MX, 'long', ids).open
  expect(without({})).toBe('6')
  expect(without(stop)).toBe('8')
  expect(without({ ...z, plan: undefined })).toBe('7')
  // Which of the two it is, nobody knows.
  expect(without(z)).toBe('6')
  expect(without({ orderId: 'c' })).toBe('8')
})
