import { expect, test } from 'vitest'
import { createWindowWatch } from './window-watch.ts'

test('two calls in any 1,000 ms are within a rate of 2, a third is one too many', () => {
  const isTooMany = createWindowWatch(2)
  expect([0, 500, 1000, 1500].map(isTooMany)).toEqual([false, false, false, false])
  expect(isTooMany(1999.9)).toBe(true)
  expect(isTooMany(2999.9)).toBe(false)
})

test('a window that begins anywhere counts, not only those that begin with a full second', () => {
  const isTooMany = createWindowWatch(2)
  expect([900, 950, 1899, 1900].map(isTooMany)).toEqual([false, false, true, true])
})

test('a rate under one a second allows one call in a second', () => {
  const isTooMany = createWindowWatch(0.5)
  expect([0, 2000, 2999].map(isTooMany)).toEqual([false, false, true])
})
