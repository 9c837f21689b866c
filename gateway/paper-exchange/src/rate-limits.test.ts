import { expect, test } from 'vitest'
import { RateLimits } from './rate-limits.ts'

test('no window of the given length, less the network jitter, holds more requests than the limit', () => {
  let nowMs = 0
  const limits = new RateLimits(() => nowMs)
  const take = () => limits.take('orders', { max: 2, windowMs: 1_000 })
  expect([take(), take(), take()]).toEqual([1, 0, null])
  nowMs = 989
  expect(take()).toBeNull()
  nowMs = 990
  expect(take()).toBe(1)
})

test('a request with more weight uses up the limit sooner, and each name has its own limit', () => {
  const limits = new RateLimits(() => 0)
  const heavy = { max: 10, windowMs: 1_000, weight: 6 }
  expect([limits.take('a', heavy), limits.take('a', heavy), limits.take('b', heavy)]).toEqual([
    4,
    null,
    4,
  ])
  expect(limits.take('a', { max: 10, windowMs: 1_000, weight: 4 })).toBe(0)
})
