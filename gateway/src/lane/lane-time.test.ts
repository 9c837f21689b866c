import { expect, test, vi } from 'vitest'
import { createVirtualTime } from '../../test/lane-simulation/virtual-time.ts'
import { createLaneTime, inBatches } from './lane-time.ts'

test('a timer never comes early by its own clock', async () => {
  const time = createLaneTime()
  const early: number[] = []
  await Promise.all(
    Array.from({ length: 40 }, (_, i) => {
      const ms = 1.3 + i * 0.7
      const startMs = time.monotonicMs()
      return new Promise<void>((resolve) => {
        time.setTimer(ms, () => {
          if (time.monotonicMs() < startMs + ms) early.push(ms)
          resolve()
        })
      })
    }),
  )
  expect(early).toEqual([])
})

test('a timer that is called off does not come', () => {
  vi.useFakeTimers()
  const time = createLaneTime()
  const ring = vi.fn()
  const cancel = time.setTimer(1000, ring)
  vi.advanceTimersByTime(500)
  cancel()
  vi.advanceTimersByTime(10_000)
  expect(ring).not.toHaveBeenCalled()
  vi.useRealTimers()
})

test('a timer for longer than 25 days does not overflow', () => {
  vi.useFakeTimers()
  const ring = vi.fn()
  createLaneTime().setTimer(2 ** 31 + 5000, ring)
  vi.advanceTimersByTime(2 ** 31)
  expect(ring).not.toHaveBeenCalled()
  vi.advanceTimersByTime(5000)
  expect(ring).toHaveBeenCalledOnce()
  vi.useRealTimers()
})

test('the clock does not follow the wall clock', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const time = createLaneTime()
  const beforeMs = time.monotonicMs()
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(time.monotonicMs() - beforeMs).toBeGreaterThanOrEqual(0)
  expect(time.monotonicMs() - beforeMs).toBeLessThan(60_000)
  vi.useRealTimers()
})

test('the first hundred are done at once, the others a hundred per turn', async () => {
  const time = createVirtualTime()
  const done: number[] = []
  const all = inBatches(time, [...Array(250).keys()], (item) => done.push(item))
  expect(done).toHaveLength(100)
  await time.advance(0)
  await all
  expect(done).toEqual([...Array(250).keys()])
})

test('nothing to do is done at once, without a timer', async () => {
  const time = createVirtualTime()
  await inBatches(time, [], () => {})
  expect(time.pending).toBe(0)
})
