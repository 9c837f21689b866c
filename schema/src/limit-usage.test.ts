import { expect, test } from 'vitest'
import { NO_LIMITS } from './contracts/limits.ts'
import { effectiveState, limitUse, nearestLimit, wouldHaveRefused } from './limit-usage.ts'

const usage = {
  ...{ dayValue: '580', openOrders: 19, openOrdersReadAt: null, ordersLastMinute: 0 },
  wouldHaveRefused: 4,
}

test('percent is rounded, and 100 means reached', () => {
  const percentOf = (maxDayValue: string, dayValue: string) =>
    limitUse({ ...NO_LIMITS, maxDayValue }, { ...usage, dayValue })[0]?.percent
  expect(percentOf('2000', '580')).toBe(29)
  expect(percentOf('2000', '1999.999999')).toBe(99)
  expect(percentOf('0.000003', '0.000003')).toBe(100)
  expect(percentOf('6', '10')).toBe(167)
})

test('the nearest limit is the one of which most is used; without limits there is none', () => {
  expect(nearestLimit(NO_LIMITS, usage)).toBeNull()
  expect(nearestLimit({ ...NO_LIMITS, maxDayValue: '600', maxOpenOrders: 20 }, usage)).toEqual({
    limit: 'maxDayValue',
    percent: 97,
  })
  expect(nearestLimit({ ...NO_LIMITS, maxOrdersPerMinute: 5 }, usage)).toEqual({
    limit: 'maxOrdersPerMinute',
    percent: 0,
  })
})

test('in shadow mode no limit is near, and what it would have refused is counted', () => {
  const limits = { ...NO_LIMITS, maxOpenOrders: 5 }
  expect(nearestLimit(limits, usage)).toEqual({ limit: 'maxOpenOrders', percent: 380 })
  expect(wouldHaveRefused(limits, usage)).toBeNull()
  const shadow = { ...limits, mode: 'shadow' } as const
  expect(nearestLimit(shadow, usage)).toBeNull()
  expect(wouldHaveRefused(shadow, usage)).toBe(4)
})

test.each([
  ['active', {}, false],
  ['halted', { state: 'halted' }, false],
  ['stopped', { state: 'reducing' }, true],
  ['stopped', { mode: 'shadow' }, true],
  ['active', { mode: 'shadow', state: 'halted', expiresAt: '2026-01-01T00:00:00Z' }, false],
  ['expired', { state: 'halted', expiresAt: '2026-01-01T00:00:00Z' }, false],
  ['active', { expiresAt: '2026-01-01T00:00:01Z' }, false],
] as const)('%s holds for %j, stopped: %s', (holds, limits, isStopped) => {
  const nowMs = Date.parse('2026-01-01T00:00:00Z')
  expect(effectiveState({ ...NO_LIMITS, ...limits }, isStopped, nowMs)).toBe(holds)
})
