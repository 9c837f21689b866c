import { expect, test } from 'vitest'
import { createSeededRandom } from '../../test/lane-simulation/seeded-random.ts'
import { BaseDelay, NetworkDelay } from './network-delay.ts'

const UNIX_MS = 1_700_000_000_000

/** A network that is known from 400 calls of 10 ms there and 10 ms back. */
function known(hasTime: boolean) {
  const network = new NetworkDelay()
  let sentMs = 0
  const lateMs = (thereMs: number, backMs: number, aheadMs = UNIX_MS) => {
    sentMs += 500
    const arrivedMs = sentMs + thereMs
    return network.lateMs({
      sentMs,
      respondedMs: arrivedMs + backMs,
      exchangeTimeMs: hasTime ? arrivedMs + aheadMs : undefined,
    })
  }
  for (let i = 0; i < 400; i += 1) lateMs(10, 10)
  return lateMs
}

test('without the exchange’s time the whole excess of the round trip may have been on the way there', () => {
  const lateMs = known(false)
  expect(lateMs(10, 10)).toBe(0)
  expect(lateMs(17, 10)).toBeCloseTo(7, 1)
  expect(lateMs(10, 17)).toBeCloseTo(7, 1)
  expect(lateMs(17, 17)).toBeCloseTo(14, 1)
})

test('the exchange’s time shows what of it was on the way there', () => {
  const lateMs = known(true)
  expect(lateMs(17, 10)).toBeCloseTo(7, 1)
  expect(lateMs(10, 17)).toBeCloseTo(0, 1)
  expect(lateMs(17, 40)).toBeCloseTo(7, 1)
})

test('when the exchange’s clock is set forward, the round trip counts', () => {
  const lateMs = known(true)
  expect(lateMs(10, 13, UNIX_MS + 5000)).toBeCloseTo(3, 1)
})

test('when the exchange’s clock is set back, no call counts as late by more than its round trip', () => {
  const lateMs = known(true)
  expect(lateMs(10, 13, UNIX_MS - 5000)).toBeGreaterThanOrEqual(0)
  for (let i = 0; i < 20; i += 1) expect(lateMs(10, 13, UNIX_MS - 5000)).toBeLessThan(3.1)
})

test('of a network that is not known yet the whole round trip counts, then up to 50 ms of it', () => {
  const network = new NetworkDelay()
  const lateMs = [250, 250, 250, 250, 30].map((respondedMs) =>
    network.lateMs({ sentMs: 0, respondedMs, exchangeTimeMs: UNIX_MS + 10 }),
  )
  expect(lateMs).toEqual([250, 250, 250, 50, 30])
})

test('a call counts as late by more than 400 ms only if the exchange’s time says so', () => {
  expect(known(false)(8000, 10)).toBe(400)
  expect(known(true)(10, 8000)).toBeCloseTo(0, 1)
  expect(known(true)(8000, 10)).toBeCloseTo(7990, 0)
})

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
