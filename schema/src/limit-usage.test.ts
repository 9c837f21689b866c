import { expect, test } from 'vitest'
import { NO_LIMITS } from './contracts/limits.ts'
import { effectiveState, limitUse, nearestLimit } from './limit-usage.ts'

const usage = { dayValue: '580', openOrders: 19, openOrdersReadAt: null, ordersLastMinute: 0 }

test('percent is rounded down, so that 100 means reached', () => {
  const percentOf = (maxDayValue: string, dayValue: string) =>
    limitUse({ ...NO_LIMITS, maxDayValue }, { ...usage, dayValue })[0]?.percent
  expect(percentOf('2000', '580')).toBe(29)
  expect(percentOf('2000', '1999.999999')).toBe(99)
  expect(percentOf('0.000003', '0.000003')).toBe(100)
  expect(percentOf('1', '2.5')).toBe(250)
})

test('the nearest limit is the one of which most is used; without limits there is none', () => {
  expect(nearestLimit(NO_LIMITS, usage)).toBeNull()
  expect(nearestLimit({ ...NO_LIMITS, maxDayValue: '600', maxOpenOrders: 20 }, usage)).toEqual({
    limit: 'maxDayValue',
    percent: 96,
  })
  expect(nearestLimit({ ...NO_LIMITS, maxOrdersPerMinute: 5 }, usage)).toEqual({
    limit: 'maxOrdersPerMinute',
    percent: 0,
  })
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
