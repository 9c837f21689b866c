import { expect, test } from 'vitest'
import { createSeededRandom } from '../../test/lane-simulation/seeded-random.ts'
import { BaseDelay } from './base-delay.ts'

const MINUTE_MS = 60_000

function baseOf(delaysMs: readonly number[]): BaseDelay {
  const base = new BaseDelay({ historyMs: 10 * MINUTE_MS, excessMsMax: 400 })
  delaysMs.forEach((delayMs, i) => {
    base.add(delayMs, i * 500)
  })
  return base
}

test('calls that all take as long leave no reserve once there are 16 of them', () => {
  expect(baseOf(Array(3).fill(80)).ms).toBe(Number.NEGATIVE_INFINITY)
  expect(baseOf(Array(4).fill(80)).ms).toBe(30)
  expect(baseOf(Array(15).fill(80)).ms).toBe(30)
  expect(baseOf(Array(16).fill(80)).ms).toBe(80)
})

test('the reserve is four times the mean excess, over the root of the number of calls', () => {
  // 100 calls, 10 to 20 ms: the mean excess over 10 is 5.
  const delaysMs = Array.from({ length: 100 }, (_, i) => 10 + 10 * (i % 2))
  expect(baseOf(delaysMs).ms).toBeCloseTo(10 - 2, 9)
  // Whether the quickest call comes first or last makes no difference.
  expect(baseOf(delaysMs.toReversed()).ms).toBeCloseTo(10 - 2, 9)
})

test('a call that takes seconds hardly changes the reserve', () => {
  const delaysMs = Array.from({ length: 400 }, (_, i) => (i === 200 ? 5000 : 10))
  expect(baseOf(delaysMs).ms).toBeCloseTo(10 - (4 * (400 / 400)) / 20, 9)
})

test('a quicker route counts at once, and the reserve with it', () => {
  const base = baseOf(Array(400).fill(80))
  base.add(50, 200_000)
  const meanExcessMs = (30 * 400) / 401
  expect(base.ms).toBeCloseTo(50 - (4 * meanExcessMs) / Math.sqrt(401), 9)
})

test('a route that is gone is forgotten within the history, and counts almost as long', () => {
  const base = new BaseDelay({ historyMs: 10 * MINUTE_MS, excessMsMax: 400 })
  const addUntil = (fromMs: number, untilMs: number, delayMs: number) => {
    for (let ms = fromMs; ms < untilMs; ms += 500) base.add(delayMs, ms)
  }
  addUntil(0, 5 * MINUTE_MS, 20)
  addUntil(5 * MINUTE_MS, 13 * MINUTE_MS, 50)
  expect(base.ms).toBeLessThan(20)
  addUntil(13 * MINUTE_MS, 15.1 * MINUTE_MS, 50)
  expect(base.ms).toBe(50)
})

test('after an idle time longer than the history, the calls before it are forgotten', () => {
  const base = baseOf(Array(400).fill(20))
  for (let i = 0; i < 5; i += 1) base.add(90, 60 * MINUTE_MS)
  expect(base.ms).toBe(90 - 50)
})

test('Unix times lose no fraction of a millisecond', () => {
  const random = createSeededRandom(1)
  const delaysMs = Array.from({ length: 1000 }, () => random() * 10)
  const unixMs = baseOf(delaysMs.map((ms) => 1_700_000_000_000 + ms)).ms - 1_700_000_000_000
  expect(unixMs).toBeCloseTo(baseOf(delaysMs).ms, 2)
})
