import { expect, test } from 'vitest'
import { GuessLimit } from './attempt-limits.ts'

function setUp() {
  const clock = { nowMs: 1_700_000_000_000 }
  const limit = new GuessLimit(() => clock.nowMs)
  const guess = (count: number, adminId = 1) => {
    let passed = 0
    for (let n = 0; n < count; n += 1)
      try {
        limit.take(adminId)
        passed += 1
      } catch (error) {
        expect(error).toMatchObject({ code: 'TOO_MANY_ATTEMPTS' })
      }
    return passed
  }
  return { clock, limit, guess }
}

test('of 1,000 guesses ten are let through in a quarter of an hour', () => {
  const { clock, guess } = setUp()
  expect(guess(1_000)).toBe(10)
  clock.nowMs += 899_999
  expect(guess(1_000)).toBe(0)
  clock.nowMs += 1
  expect(guess(1_000)).toBe(10)
})

test("one person's guesses keep nobody else out", () => {
  const { guess } = setUp()
  guess(1_000)
  expect(guess(5, 2)).toBe(5)
})

test('what was right does not count', () => {
  const { limit, guess } = setUp()
  for (let n = 0; n < 100; n += 1) limit.take(1)()
  expect(guess(20)).toBe(10)
})

test('of attempts at the same time, those that were right do not count', () => {
  const { limit, guess } = setUp()
  const takeBack = limit.take(1)
  expect(guess(3)).toBe(3)
  takeBack()
  expect(guess(20)).toBe(7)
})

test('the time to wait is the one until the oldest failure is forgotten', () => {
  const { clock, limit, guess } = setUp()
  guess(1)
  clock.nowMs += 60_000
  guess(9)
  expect(() => limit.take(1)).toThrow(expect.objectContaining({ retryAfterSeconds: 840 }))
})

test('a clock that is set back does not lock anybody out for hours', () => {
  const { clock, guess } = setUp()
  guess(10)
  clock.nowMs -= 3_600_000
  expect(guess(1)).toBe(1)
})
