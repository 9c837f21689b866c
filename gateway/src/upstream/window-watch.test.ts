import { expect, test } from 'vitest'
import { Events } from './events.ts'
import { createWindowWatch, watchPace } from './window-watch.ts'

test('two calls in any 1,000 ms are within a rate of 2, a third is one too many', () => {
  const isTooMany = createWindowWatch(2)
  expect([0, 500, 1000, 1500].map(isTooMany)).toEqual([false, false, false, false])
  expect(isTooMany(1999.9)).toBe(true)
  expect(isTooMany(2999.9)).toBe(false)
})

test('a window that begins anywhere counts, not only those that begin with a full second', () => {
  const isTooMany = createWindowWatch(2)
  expect([900, 950, 1899, 1900].map(isTooMany)).toEqual([false, false, true, true])
})

test('a rate under one a second allows one call in a second', () => {
  const isTooMany = createWindowWatch(0.5)
  expect([0, 2000, 2999].map(isTooMany)).toEqual([false, false, true])
})

test('a call too many at one exchange is an event, and calls to the other one do not count', () => {
  const events = new Events({ error: () => {} })
  const violated: unknown[] = []
  events.on('paceViolated', (event) => violated.push(event))
  watchPace(events, 2)
  const send = (exchange: 'mx' | 'bg', sentAtMs: number) =>
    events.emit('dispatch', {
      exchange,
      dispatch: { jobClass: 'order', waitedMs: 0, leavingMs: 0, sentAtMs },
    })
  for (const sentAtMs of [0, 500])
    for (const exchange of ['mx', 'bg'] as const) send(exchange, sentAtMs)
  expect(violated).toEqual([])
  send('bg', 999)
  expect(violated).toEqual([{ exchange: 'bg', ratePerSecond: 2 }])
})
