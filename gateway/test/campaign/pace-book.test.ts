import { expect, test } from 'vitest'
import type { ReceivedRequest } from '../../paper-exchange/src/received.ts'
import { checkPace } from './pace-book.ts'

const requestAt = (arrivedAtMonotonicMs: number, seq: number) =>
  ({ exchange: 'mx', method: 'GET', path: '/', seq, arrivedAtMonotonicMs }) as ReceivedRequest

const check = (arrivalsMs: number[], lookedBeforeMs: number) =>
  checkPace(arrivalsMs.map(requestAt), 2, { before: (notedMs) => notedMs - lookedBeforeMs })

test('three requests in 999 ms are one too many, however they were noted', () => {
  expect(check([5_000, 5_500, 5_997], 2).violations).toEqual([
    'mx got 3 requests in 997.0 ms (at most 999.0 ms): 0 GET / to 2 GET /',
  ])
})

test('three requests in 1,000 ms keep the pace', () => {
  expect(check([5_000, 5_500, 6_000], 2)).toEqual({ judged: 1, windows: 1, violations: [] })
})

test('a window that is too short only because its first request was noted late is not judged', () => {
  expect(check([5_000, 5_500, 5_997], 3)).toEqual({ judged: 0, windows: 1, violations: [] })
})
