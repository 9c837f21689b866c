import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStrangerLimit } from './stranger-limit.ts'

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }))
afterEach(() => void vi.useRealTimers())

function limited() {
  const reported: number[] = []
  const limit = createStrangerLimit({
    rowsPerMinute: 3,
    nowMs: Date.now,
    onDropped: (dropped) => reported.push(dropped),
  })
  const call = (times: number) =>
    Array.from({ length: times }, () => limit.admits()).filter(Boolean).length
  return { limit, call, reported }
}

test('so many calls of a minute have a row, and the next minute begins anew', () => {
  const { call, reported } = limited()
  expect(call(2)).toBe(2)
  expect(call(5)).toBe(1)
  vi.setSystemTime(Date.now() + 60_000)
  expect(reported).toEqual([])
  expect(call(4)).toBe(3)
  expect(reported).toEqual([4])
})

test('the number without a row is reported once, also after the flood', () => {
  const { call, reported } = limited()
  call(10)
  vi.advanceTimersByTime(60_000)
  expect(reported).toEqual([7])
  vi.advanceTimersByTime(600_000)
  expect(reported).toEqual([7])
})

test('the rest is reported when the gateway stops', () => {
  const { limit, call, reported } = limited()
  call(4)
  limit.close()
  limit.close()
  expect(reported).toEqual([1])
})

test('a clock that is set back begins a new minute', () => {
  const { call } = limited()
  call(9)
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(call(9)).toBe(3)
})
