import { expect, test } from 'vitest'
import { DaySum, MinuteCount } from './client-book.ts'

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
