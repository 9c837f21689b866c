import type { LogHistogramStep, OperationsHistory } from 'schema'
import { expect, test } from 'vitest'
import { joinPoints, sumByTime, toTraffic } from './traffic.ts'

const STEP_MS = 1_800_000
const NOW = Date.parse('2026-03-05T14:40:00.000Z')
const step = (at: string, changes: Partial<LogHistogramStep> = {}): LogHistogramStep => ({
  at: `2026-03-05T${at}:00.000Z`,
  ...{ success: 10, failed: 1, refused: 0, other: 0 },
  ...{ avgResponseMs: 120, avgQueueMs: 20, avgUpstreamMs: 100 },
  ...changes,
})
const traffic = (steps: readonly LogHistogramStep[], stepMs = STEP_MS) =>
  toTraffic({ stepMs, steps: [...steps] }, NOW, 4 * STEP_MS)

test('steps without requests count as zero and have no duration', () => {
  const { times, counts, durations } = traffic([step('13:30', { failed: 3 }), step('14:30')])
  expect(times.map((at) => new Date(at).toISOString().slice(11, 16))).toEqual([
    ...['13:00', '13:30', '14:00', '14:30'],
  ])
  expect(counts.map(({ values }) => values)).toEqual([
    [0, 10, 0, 10],
    [0, 3, 0, 1],
  ])
  expect(durations.map(({ values }) => values)).toEqual([
    [null, 20, null, 20],
    [null, 100, null, 100],
  ])
})

test('other responses have a series of their own once there are any', () => {
  expect(traffic([step('14:30', { other: 2 })]).counts.map(({ name }) => name)).toContain('Other')
})

test('the average wait counts every request once', () => {
  const steps = [
    step('14:00', { success: 1, failed: 0, avgQueueMs: 100 }),
    step('14:30', { success: 2, failed: 1, avgQueueMs: 20 }),
    step('13:30', { success: 90, avgQueueMs: null }),
  ]
  expect(traffic(steps).avgQueueMs).toBe(40)
  expect(traffic([]).avgQueueMs).toBeNull()
})

test('a gateway whose clock is ahead has its newest step shown', () => {
  expect(traffic([step('15:00')]).counts[0]?.values).toEqual([0, 0, 0, 10])
})

test('without requests, and with fields missing, there is nothing to draw', () => {
  expect(traffic([]).times).toEqual([])
  expect(traffic([step('14:30')], Number.NaN).times).toEqual([])
  const incomplete = { at: '2026-03-05T14:30:00.000Z' } as LogHistogramStep
  const { counts, durations } = traffic([incomplete])
  expect(counts[0]?.values).toEqual([0, 0, 0, 0])
  expect(durations[0]?.values).toEqual([null, null, null, null])
})

const pointOf = (atMs: number, order: number) => ({
  at: new Date(atMs).toISOString(),
  ...{ cancel: 0, lookup: 0, order, account: 0, market: 1, sent: 5 },
})

test('what waits at all exchanges is one queue, oldest first', () => {
  const exchanges: OperationsHistory['exchanges'] = [
    { exchange: 'mx', points: [pointOf(5000, 2), pointOf(10_000, 3)] },
    { exchange: 'bg', points: [pointOf(0, 7), pointOf(5000, 4)] },
  ]
  expect(sumByTime({ exchanges })).toEqual([
    { atMs: 0, size: 8 },
    { atMs: 5000, size: 8 },
    { atMs: 10_000, size: 4 },
  ])
  expect(sumByTime(undefined)).toEqual([])
})

test('own readings follow what the gateway remembers, and five minutes are shown', () => {
  const remembered = [0, 100_000, 305_000].map((atMs) => ({ atMs, size: 1 }))
  const own = [
    { atMs: 304_000, size: 2 },
    { atMs: 309_000, size: 3 },
  ]
  expect(joinPoints(remembered, own).map(({ atMs }) => atMs)).toEqual([100_000, 304_000, 309_000])
  expect(joinPoints(remembered, []).map(({ atMs }) => atMs)).toEqual([100_000, 305_000])
})
