import { expect, test } from 'vitest'
import { BackOff } from './back-off.ts'

const hit = (sentMs: number, nowMs: number, retryAfterMs?: number) => ({
  ...{ sentMs, nowMs, retryAfterMs },
})

test.each([
  ['what the exchange states', 30_000, 30_000],
  ['none when the exchange states no number', Number.NaN, 1_000],
  ['none when the exchange states no end', Number.POSITIVE_INFINITY, 1_000],
  ['none when the exchange states a time before', -5, 1_000],
  ['a day at most, also of a ban of a week', 7 * 86_400_000, 86_400_000],
])('the pause is %s', (_, statedMs, pausedMs) => {
  const backOff = new BackOff(() => 0)
  backOff.limited(hit(0, 100, statedMs))
  expect(backOff.pausedUntilMs).toBe(100 + pausedMs)
})

test('unstated pauses are random up to 2, 4, 8 … 60 s and never under 1 s', () => {
  const pauses = (random: number) => {
    const backOff = new BackOff(() => random)
    let nowMs = 0
    return Array.from({ length: 7 }, () => {
      backOff.limited(hit(nowMs, nowMs, undefined))
      const pausedMs = backOff.pausedUntilMs - nowMs
      nowMs = backOff.pausedUntilMs
      return pausedMs
    })
  }
  expect(pauses(1)).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
  expect(pauses(0)).toEqual([1000, 1000, 1000, 1000, 1000, 1000, 1000])
})

test('each rate limit hit halves the rate down to an eighth, each good response gives a twentieth back', () => {
  const backOff = new BackOff(() => 0)
  const factors = [0, 2000, 4000, 6000].map((ms) => {
    backOff.limited(hit(ms, ms))
    return backOff.rateFactor
  })
  expect(factors).toEqual([0.5, 0.25, 0.125, 0.125])
  backOff.accepted(7000)
  expect(backOff.rateFactor).toBeCloseTo(0.175)
  for (let i = 0; i < 30; i += 1) backOff.accepted(7000)
  expect(backOff.rateFactor).toBe(1)
})

test('calls that were on their way when the pause began neither slow the lane further nor speed it up', () => {
  const backOff = new BackOff(() => 0)
  backOff.limited(hit(1000, 2000, 5000))
  backOff.limited(hit(1500, 2100, 6000))
  backOff.accepted(1600)
  expect(backOff.rateFactor).toBe(0.5)
  expect(backOff.pausedUntilMs).toBe(8100)
})

test('a good response after the pause makes the next unstated pause short again', () => {
  const backOff = new BackOff(() => 1)
  backOff.limited(hit(0, 0))
  backOff.limited(hit(5000, 5000))
  backOff.accepted(20_000)
  backOff.limited(hit(30_000, 30_000))
  expect(backOff.pausedUntilMs).toBe(32_000)
})
