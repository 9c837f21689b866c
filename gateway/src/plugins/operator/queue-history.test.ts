import { expect, test } from 'vitest'
import type { QueueMinuteRow } from '../../store/queue-minute-store.ts'
import { QueueHistory } from './queue-history.ts'

const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 2, 5, 14, 30)
const NONE = { cancel: 0, lookup: 0, order: 0, account: 0, market: 0 }

/** A history of queues that the test fills, with a store that fails while the test says so. */
function testHistory() {
  const state = { nowMs: START_MS, orders: 0, slotsUsed: 0, fails: false }
  const rows = new Map<string, QueueMinuteRow>()
  const saves: number[] = []
  const snapshot = () => ({
    queuedByClass: { ...NONE, order: state.orders },
    slotsUsed: state.slotsUsed,
  })
  const history = new QueueHistory({
    lanes: { mx: { snapshot }, bg: { snapshot: () => ({ queuedByClass: NONE, slotsUsed: 0 }) } },
    store: {
      since: async () => [...rows.values()],
      async save(saved) {
        saves.push(saved.length)
        if (state.fails) throw new Error('the disk is full')
        for (const row of saved) rows.set(`${row.atMs} ${row.exchange}`, row)
      },
    },
    nowMs: () => state.nowMs,
  })
  /** A second in which so many orders waited and were sent. */
  const second = async (orders: number, sent = 0) => {
    state.orders = orders
    state.slotsUsed += sent
    await history.sample()
    state.nowMs += 1_000
  }
  const points = (span: '5m' | '1h' | '24h') => history.read(span).exchanges[0]?.points ?? []
  return { history, state, rows, saves, second, points }
}

test('a point has the most that waited in its step, and all that was sent', async () => {
  const { second, points } = testHistory()
  for (const orders of [1, 9, 4, 0, 2]) await second(orders, 2)
  await second(3)
  expect(points('5m')).toEqual([
    { ...NONE, at: '2026-03-05T14:30:00.000Z', order: 9, sent: 10 },
    { ...NONE, at: '2026-03-05T14:30:05.000Z', order: 3, sent: 0 },
  ])
  expect(points('1h')).toEqual([{ ...NONE, at: '2026-03-05T14:30:00.000Z', order: 9, sent: 10 }])
})

test('each span has its points and no older ones; where nothing ran there are none', async () => {
  const { second, points, state } = testHistory()
  for (let each = 0; each < 600; each += 1) await second(1, 1)
  expect(points('5m')).toHaveLength(60)
  expect(points('1h')).toHaveLength(10)
  expect(points('24h')).toHaveLength(2)
  state.nowMs += 20 * MINUTE_MS
  await second(1)
  expect(points('5m')).toHaveLength(1)
  expect(points('1h')).toHaveLength(11)
  expect(points('24h').map(({ sent }) => sent)).toEqual([300, 300, 0])
  state.nowMs += (24 * 60 + 5) * MINUTE_MS
  await second(1)
  expect(points('24h')).toHaveLength(1)
})

test('a minute is stored once, when it is over; what could not be stored is tried with the next', async () => {
  const { second, state, rows, saves } = testHistory()
  for (let each = 0; each < 60; each += 1) await second(1)
  expect(saves).toEqual([])
  state.fails = true
  await expect(second(1)).rejects.toThrow('the disk is full')
  for (let each = 0; each < 59; each += 1) await second(1)
  expect(saves).toEqual([2])
  state.fails = false
  for (let each = 0; each < 60; each += 1) await second(1)
  expect(saves).toEqual([2, 4])
  const stored = [...rows.values()].map(({ atMs, exchange }) => [exchange, atMs - START_MS])
  expect(stored).toEqual([
    ['mx', 0],
    ['mx', MINUTE_MS],
    ['bg', 0],
    ['bg', MINUTE_MS],
  ])
})

test('what was sent in the last minute is counted exactly, from the start on', async () => {
  const { second, history, state } = testHistory()
  await second(0, 5)
  expect(history.sentLastMinute('mx', state.slotsUsed)).toBe(5)
  for (let each = 0; each < 58; each += 1) await second(0, 1)
  expect(history.sentLastMinute('mx', state.slotsUsed)).toBe(63)
  await second(0, 1)
  expect(history.sentLastMinute('mx', state.slotsUsed)).toBe(59)
})

test('a clock that is set back begins anew from there', async () => {
  const { second, points, state } = testHistory()
  for (let each = 0; each < 10; each += 1) await second(1, 1)
  state.nowMs -= 3 * MINUTE_MS
  await second(7, 1)
  expect(points('5m')).toEqual([{ ...NONE, at: '2026-03-05T14:27:10.000Z', order: 7, sent: 1 }])
})
