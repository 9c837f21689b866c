import { expect, test } from 'vitest'
import { createSetTime } from './set-time.ts'

test('timers fire in the order of their moments, and what they set within the same time too', async () => {
  const time = createSetTime()
  const fired: [what: string, atMs: number][] = []
  const fire = (what: string) => void fired.push([what, time.monotonic()])
  time.setTimeout(() => fire('late'), 5_000)
  time.setTimeout(() => {
    fire('early')
    time.setTimeout(() => fire('nested'), 1_000)
  }, 1_000)
  const every = time.setInterval(() => fire('every'), 2_000)
  time.setTimeout(() => fire('cancelled'), 1_500).cancel()
  await time.advance(4_999)
  expect(fired).toEqual([
    ...[['early', 1_000] as const, ['every', 2_000] as const, ['nested', 2_000] as const],
    ['every', 4_000],
  ])
  every.cancel()
  await time.advance(10_000)
  expect(fired.slice(4)).toEqual([['late', 5_000]])
  expect(time.waiting()).toEqual([])
})

test('both clocks move together, and the wall clock can be stepped alone', async () => {
  const time = createSetTime({ nowMs: 1_000 })
  await time.advance(500)
  time.stepWallClock(-3_600_000)
  expect([time.now(), time.monotonic()]).toEqual([1_500 - 3_600_000, 500])
})

test('a sleep ends in its time, or with its signal', async () => {
  const time = createSetTime()
  const ended: string[] = []
  const abort = new AbortController()
  void time.sleep(10_000).then(() => ended.push('slept'))
  time.sleep(10_000, { signal: abort.signal }).catch(() => ended.push('aborted'))
  abort.abort()
  await time.advance(9_999)
  expect(ended).toEqual(['aborted'])
  await time.advance(1)
  expect(ended).toEqual(['aborted', 'slept'])
  await expect(time.sleep(10_000, { signal: abort.signal })).rejects.toThrow('aborted')
  expect(time.waiting()).toEqual([])
})

test('what waits shortly passes by itself and moves the clocks; what waits longer does not', async () => {
  const time = createSetTime()
  let fired = 0
  time.setTimeout(() => (fired += 1), 101)
  await time.sleep(100)
  expect([time.monotonic(), fired]).toEqual([100, 0])
  await time.sleep(1)
  expect(fired).toBe(1)
})

test('a test learns that something waits, before and after it does', async () => {
  const time = createSetTime()
  const known = time.untilWaiting(10_000, 2)
  time.setTimeout(() => {}, 10_000)
  time.setInterval(() => {}, 10_000)
  await known
  await time.untilWaiting(10_000)
  expect(time.waiting()).toEqual([10_000, 10_000])
})
