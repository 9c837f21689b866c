import { expect, test } from 'vitest'
import { NetworkDelay } from './network-delay.ts'

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
