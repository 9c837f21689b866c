import type { OperationsHistory } from 'schema'
import { expect, test } from 'vitest'
import { joinPoints, sumByTime } from './queue-points.ts'

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
