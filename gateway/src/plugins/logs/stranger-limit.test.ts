import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStrangerLimit } from './stranger-limit.ts'

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }))
afterEach(() => void vi.useRealTimers())

function limited() {
  const told: number[] = []
  const limit = createStrangerLimit({
    rowsPerMinute: 3,
    nowMs: Date.now,
    onDropped: (dropped) => told.push(dropped),
  })
  const call = (times: number) =>
    Array.from({ length: times }, () => limit.admits()).filter(Boolean).length
  return { limit, call, told }
}

test('so many calls of a minute have a row, and the next minute begins anew', () => {
  const { call, told } = limited()
  expect(call(2)).toBe(2)
  expect(call(5)).toBe(1)
  vi.setSystemTime(Date.now() + 60_000)
  expect(told).toEqual([])
  expect(call(4)).toBe(3)
  expect(told).toEqual([4])
})

test('how many have none is told once, also when the flood is over', () => {
  const { call, told } = limited()
  call(10)
  vi.advanceTimersByTime(60_000)
  expect(told).toEqual([7])
  vi.advanceTimersByTime(600_000)
  expect(told).toEqual([7])
})

test('what was not told yet is told when the gateway stops', () => {
  const { limit, call, told } = limited()
  call(4)
  limit.close()
  limit.close()
  expect(told).toEqual([1])
})

test('a clock that is set back begins a new minute', () => {
  const { call } = limited()
  call(9)
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(call(9)).toBe(3)
})
