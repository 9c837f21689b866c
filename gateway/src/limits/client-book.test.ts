import { expect, test } from 'vitest'
import { ClientBooks, DaySum, MinuteCount } from './client-book.ts'

const MINUTE = 60_000
const DAY = 1_440 * MINUTE

test('a value counts for 24 hours and at most a minute longer', () => {
  for (const atMs of [0, 1, MINUTE - 1, 7 * MINUTE + 30_000]) {
    const sum = new DaySum()
    sum.add(5, atMs)
    expect(sum.total(atMs + DAY)).toBe(5)
    expect(sum.total(atMs + DAY + MINUTE)).toBe(0)
  }
})

test('what is taken back no longer counts, and what has aged out is not taken back twice', () => {
  const sum = new DaySum()
  const minute = sum.add(5, 0)
  sum.add(7, DAY)
  sum.takeBack(minute, 5)
  expect(sum.total(DAY)).toBe(7)
  expect(sum.total(DAY + 2 * MINUTE)).toBe(7)
  sum.takeBack(minute, 5)
  expect(sum.total(DAY + 2 * MINUTE)).toBe(7)
})

test('a count forgets what is a minute old, however many there were', () => {
  const count = new MinuteCount()
  for (let at = 0; at < 5_000; at += 1) count.add(1, at * 10)
  expect(count.count(49_990)).toBe(5_000)
  expect(count.count(60_000 + 24_990)).toBe(2_500)
  expect(count.count(200_000)).toBe(0)
})

test('what was not sent does not count, what its exchange may have got does, and once', () => {
  let nowMs = 1_000
  const books = new ClientBooks(
    () => nowMs,
    () => true,
  )
  const { minute, exitMinute } = books.of(1)
  const counted = () => [minute.count(nowMs), exitMinute.count(nowMs)]
  expect(books.count('sent', 1, 2)).toBe(1_000)
  expect(books.count('exits', 1, 1, 3)).toBe(1_000)
  nowMs = 2_000
  expect(books.count('exits', 1, 1, 3)).toBe(1_000)
  expect(counted()).toEqual([3, 3])
  books.notSent('exits')
  books.reached('sent')
  books.notSent('sent')
  books.notSent('never counted')
  expect(counted()).toEqual([2, 0])
})

test('an exit that was judged as an entry gives back what it took, when it is known to be one', () => {
  let isEnough = true
  const books = new ClientBooks(
    () => 60_000,
    () => isEnough,
  )
  const { day, minute, exitMinute } = books.of(1)
  const exit = { clientRef: 1, exchange: 'bg', place: 'spot BTCUSDT', side: 'long' } as const
  const more = { keysId: 5, kind: 'now' } as const
  const took = { valueMicros: 9, isValued: true, opening: 0, release: () => {} }
  const admit = (id: string, sizes: readonly string[], isShared = false) => {
    books.reserve(id, 1, took)
    minute.add(sizes.length, 59_999)
    const exits = sizes.map((size) => ({ ...exit, ...more, size, isShared }))
    books.remember(id, 1, exits, 59_999)
  }
  const learnt = (journalId: string, size: string, isOwn = true, isOwnOfShared = isOwn) =>
    books.learnt({ journalId, place: exit.place, side: exit.side, size, isOwn, isOwnOfShared })
  const used = () => [day.total(60_000), minute.count(60_000), exitMinute.count(60_000)]
  admit('one', ['1'])
  admit('two', ['1', '2'])
  admit('refused', ['1'])
  expect(used()).toEqual([27, 4, 0])
  expect(learnt('one', '1')).toBeUndefined()
  expect(learnt('unknown', '1')).toBeUndefined()
  books.ended('refused', true)
  expect(['one', 'two'].map((id) => books.ended(id, false))).toEqual([1, undefined])
  expect(books.earlyOf(1).map(({ size }) => size)).toEqual(['1', '2'])
  expect(learnt('two', '2')).toBeUndefined()
  expect(learnt('two', '1')).toBe(1)
  expect(used()).toEqual([0, 1, 3])
  // What an attached stop loss may have closed before is nobody's on a key of several clients.
  admit('shared', ['1'], true)
  books.ended('shared', false)
  expect(learnt('shared', '1', true, false)).toBeUndefined()
  expect(learnt('shared', '1')).toBeUndefined()
  admit('beyond', ['1'])
  books.ended('beyond', false)
  expect(learnt('beyond', '1', false)).toBeUndefined()
  expect(learnt('beyond', '1')).toBeUndefined()
  // Those that rest would close what others opened.
  isEnough = false
  admit('beside', ['1'])
  books.ended('beside', false)
  expect(learnt('beside', '1')).toBeUndefined()
  expect(books.earlyOf(1)).toEqual([])
  expect(books.earlyOf(2)).toEqual([])
})
