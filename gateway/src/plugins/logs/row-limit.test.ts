import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { NewLogRow } from '../../store/log-store.ts'
import { systemTime } from '../../time.ts'
import { createRowLimit } from './record-requests.ts'

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }))
afterEach(() => void vi.useRealTimers())

const ROW: NewLogRow = {
  ...{ atMs: 0, method: 'GET', endpoint: '/x', statusCode: 401, responseMs: 1, queueMs: 0 },
  ...{ upstreamMs: null, clientRef: null, clientId: null, requestId: 'a', exchange: 'mx' },
  ...{ code: 'TOKEN_INVALID', shared: false, note: null, message: null },
}

function limited() {
  const reported: [clientId: string | null, dropped: number][] = []
  const limit = createRowLimit({
    time: systemTime,
    onDropped: ({ clientId }, dropped) => reported.push([clientId, dropped]),
  })
  const call = (times: number, clientId: string | null = null) =>
    Array.from({ length: times }, () => limit.admits({ ...ROW, clientId }, 3)).filter(Boolean)
      .length
  return { limit, call, reported }
}

test('so many requests of a minute have a row, and the next minute begins anew', () => {
  const { call, reported } = limited()
  expect(call(2)).toBe(2)
  expect(call(5)).toBe(1)
  vi.setSystemTime(Date.now() + 60_000)
  expect(reported).toEqual([])
  expect(call(4)).toBe(3)
  expect(reported).toEqual([[null, 4]])
})

test('each client has a limit and a report of its own', () => {
  const { limit, call, reported } = limited()
  expect([call(5), call(3, 'ann'), call(4, 'bob')]).toEqual([3, 3, 3])
  limit.drop({ ...ROW, clientId: 'ann' })
  limit.close()
  expect(reported).toEqual([
    [null, 2],
    ['bob', 1],
    ['ann', 1],
  ])
})

test('0 sets no limit', () => {
  const { limit } = limited()
  for (let n = 0; n < 100; n += 1) expect(limit.admits(ROW, 0)).toBe(true)
})

test('the number without a row is reported once, also after the flood', () => {
  const { limit, call, reported } = limited()
  call(10)
  vi.advanceTimersByTime(60_000)
  expect(reported).toEqual([[null, 7]])
  vi.advanceTimersByTime(600_000)
  limit.close()
  expect(reported).toEqual([[null, 7]])
})

test('a clock that is set back begins a new minute', () => {
  const { call } = limited()
  call(9)
  vi.setSystemTime(Date.now() - 3_600_000)
  expect(call(9)).toBe(3)
})
