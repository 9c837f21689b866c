import { expect, test } from 'vitest'
import type { Family } from '../exchanges/exchange.ts'
import { readTime, timeCall } from '../exchanges/public-data.ts'
import { createExchangeClock } from './clock.ts'

function setUp() {
  const time = { monotonic: 1_000, wall: 1_772_721_000_000 }
  const clock = createExchangeClock({ monotonicMs: () => time.monotonic, wallMs: () => time.wall })
  const pass = (ms: number) => {
    time.monotonic += ms
    time.wall += ms
  }
  return { clock, time, pass }
}

test('before it is measured the clock is our own and asks to be measured', () => {
  const { clock, pass } = setUp()
  pass(250.4)
  expect(clock.nowMs()).toBe(1_772_721_000_250)
  expect(clock.offsetMs()).toBe(0)
  expect(clock.needsMeasure()).toBe(true)
})

test('the exchange read its clock halfway between question and response', () => {
  const { clock, time, pass } = setUp()
  const sentAt = time.monotonic
  pass(100)
  clock.learn(1_772_721_009_000, sentAt, time.monotonic)
  expect(clock.nowMs()).toBe(1_772_721_009_050)
  expect(clock.offsetMs()).toBe(8_950)
  pass(1_000)
  expect(clock.nowMs()).toBe(1_772_721_010_050)
})

test.each([3_600_000, -3_600_000])(
  'a step of the wall clock by %i ms changes no timestamp',
  (step) => {
    const { clock, time, pass } = setUp()
    clock.learn(1_772_721_000_500, time.monotonic, time.monotonic)
    time.wall += step
    pass(10)
    expect(clock.nowMs()).toBe(1_772_721_000_510)
    expect(clock.needsMeasure()).toBe(false)
  },
)

test('a measurement is good for five minutes, or until the clock is called stale', () => {
  const { clock, time, pass } = setUp()
  const measure = () => clock.learn(time.wall, time.monotonic, time.monotonic)
  measure()
  pass(300_000)
  expect(clock.needsMeasure()).toBe(false)
  pass(1)
  expect(clock.needsMeasure()).toBe(true)
  measure()
  expect(clock.needsMeasure()).toBe(false)
  clock.markStale()
  expect(clock.needsMeasure()).toBe(true)
})

const response = (body: string, status = 200) => ({
  ...{ status, headers: {}, body: Buffer.from(body), upstreamMs: 1 },
})

test.each<[Family, string, string]>([
  ['mexc-spot', '/api/v3/time', '{"serverTime":1772721022000}'],
  ['mexc-futures', '/api/v1/contract/ping', '{"success":true,"code":0,"data":1772721022000}'],
  [
    'bitget',
    '/api/v2/public/time',
    '{"code":"00000","msg":"success","requestTime":1,"data":{"serverTime":"1772721022000"}}',
  ],
])('the time of %s is read from %s', (family, path, body) => {
  expect(timeCall(family)).toMatchObject({ method: 'GET', path, signed: false })
  expect(readTime(family, response(body))).toBe(1_772_721_022_000)
})

test.each([
  ['{"serverTime":1772721022}', 200],
  ['{"serverTime":"soon"}', 200],
  ['{}', 200],
  ['<html>', 200],
  ['{"serverTime":1772721022000}', 503],
])('%s with status %i is no time', (body, status) => {
  expect(readTime('mexc-spot', response(body, status))).toBeUndefined()
})
