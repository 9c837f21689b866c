import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { PositionBook } from './position-book.ts'
import { PositionSums } from './position-sums.ts'
import { MX, mx, placed, record } from './test-own-positions.ts'

// What the record of own positions costs when it has many orders. Steps are counted, not time.

const MANY = 1_000

/** A client with orders of which each second one closes. */
function many(count: number, symbol = 'BTC_USDT') {
  const kept = record()
  for (let at = 0; at < count; at += 1)
    kept.end(placed(mx(at % 2 === 0 ? '1' : '4', '1', { symbol }), `${symbol}-${at}`, '1'))
  return kept
}

test('orders are summed up in one pass, and exits know what was open before them', async () => {
  const { merge, positions, store } = many(MANY)
  const isOwn: boolean[] = []
  positions.onExitLearnt = (exit) => isOwn.push(exit.isOwn)
  const add = vi.spyOn(PositionSums.prototype, 'add')
  await merge()
  expect(add).toHaveBeenCalledTimes(MANY)
  add.mockRestore()
  expect(isOwn).toEqual(Array.from({ length: MANY / 2 }, () => true))
  expect(store.rows.size).toBe(0)
})

test('between two positions the orders of others have their turn', async () => {
  const { end, merge } = record()
  for (const symbol of ['A_USDT', 'B_USDT', 'C_USDT'])
    end(placed(mx('1', '1', { symbol }), symbol, '1'))
  let turns = 0
  const isMerged = vi.fn()
  const merged = merge().finally(isMerged)
  for (; isMerged.mock.calls.length === 0; turns += 1) await nextTurn()
  await merged
  expect(turns).toBeGreaterThanOrEqual(3)
})

test('a cancel and a change find their order without a walk over all orders', () => {
  const { change } = many(20)
  const walks = [
    vi.spyOn(PositionBook.prototype, 'positionsOf'),
    vi.spyOn(PositionBook.prototype, 'ofClient'),
  ]
  const cancel: OrderKey = { ...mx('4', '1'), action: 'cancel', orderId: 'BTC_USDT-3' }
  const found = change('c', {
    ...{ order: cancel, became: 'ended', orderId: 'BTC_USDT-3' },
    filled: { size: '1', isFinal: true },
  })
  expect(found?.changed).toMatchObject([{ filled: '1', isFinal: true }])
  for (const walk of walks) {
    expect(walk).not.toHaveBeenCalled()
    walk.mockRestore()
  }
})

test('what is open is counted again only from the first order that changed', () => {
  const { open, end, positions } = many(MANY)
  open()
  const add = vi.spyOn(PositionSums.prototype, 'add')
  const stepsOf = (work: () => void) => {
    add.mockClear()
    work()
    return add.mock.calls.length
  }
  expect(stepsOf(open)).toBeLessThan(32)
  end(placed(mx('1', '7'), 'last', '7'))
  expect(stepsOf(() => expect(open().open).toBe('7'))).toBeLessThan(34)
  expect(stepsOf(() => positions.hasOpen(1, 'mx', 5, MX))).toBeLessThan(34)
  end(placed(mx('4', '2'), 'exit'))
  const left = () => positions.openOf(1, 'mx', 5, MX, 'long', { orderId: 'exit' })
  expect(stepsOf(() => expect(left().open).toBe('7'))).toBeLessThan(36)
  add.mockRestore()
})

test('sums that are kept follow each change of an order, and the time', () => {
  const { open, end, learnt, wait } = many(100)
  end(placed(mx('1', '9'), 'entry', '9'))
  const stop = mx('4', '3', { plan: 'planorder', terms: { side: '4', size: '3', trigger: '9' } })
  end(placed(stop, 'stop'))
  for (let at = 0; at < 100; at += 1) end(placed(mx('1', '1'), `more-${at}`, '1'))
  expect(open()).toMatchObject({ open: '106', isCertain: false })
  learnt('stop', { isOpen: true })
  expect(open()).toMatchObject({ open: '109', resting: { stop: '3' }, isCertain: true })
  wait(29_999)
  expect(open()).toMatchObject({ open: '109', isCertain: false })
  wait(1)
  expect(open()).toMatchObject({ open: '106', resting: { stop: '0' }, isCertain: false })
  learnt('stop', { filled: '1' })
  expect(open()).toMatchObject({ open: '108', isCertain: true })
})

test('of too many orders the oldest one whose fill nobody knows counts as it is', async () => {
  const { end, merge, positions, open } = record()
  end(placed(mx('1', '1'), 'unclear'))
  for (let at = 0; at < MANY - 1; at += 1) end(placed(mx('1', '1'), `at-${at}`, '1'))
  expect(positions.toLearn(1, 'mx', 5)).toHaveLength(1)
  end(placed(mx('1', '1'), 'one more', '1'))
  expect(positions.toLearn(1, 'mx', 5)).toEqual([])
  await merge()
  expect(positions.countOf(1, 'mx')).toBe(1)
  expect(open().open).toBe(`${MANY}`)
})
