import { type LogEntry, listLogs } from 'schema'
import { expect, test } from 'vitest'
import {
  countByTime,
  summariseLogs,
  summariseSteps,
  sumWithin,
  toTimeCounts,
} from './log-counts.ts'
import { foldRefusals, toLogLines } from './log-lines.ts'

const [sample] = listLogs.sample.response
const NOW_MS = Date.parse('2026-03-05T14:30:00.000Z')
const MINUTE_MS = 60_000

/** Entries with the newest first, so many minutes old. */
const linesOf = (...entries: readonly (Partial<LogEntry> & { readonly age: number })[]) =>
  toLogLines(
    entries.map(({ age, ...changes }, index) => ({
      ...{
        ...sample,
        id: 100 - index,
        timestamp: new Date(NOW_MS - age * MINUTE_MS).toISOString(),
      },
      ...changes,
    })),
  )
const refused = (age: number, clientId = 'grid') => ({
  ...{ age, clientId, statusCode: 422, code: 'LIMIT_ORDER_VALUE', upstreamTime: null },
})
const never = () => false
const shownOf = (lines: ReturnType<typeof linesOf>, isOpen: (kind: string) => boolean, open = '') =>
  foldRefusals(lines, isOpen, open).map(({ key, fold }) =>
    fold ? `${key}x${fold.lines.length}` : key,
  )

test('three refusals of one client that are alike are one line, at the place of the newest', () => {
  const lines = linesOf(refused(0), { age: 1 }, refused(2), refused(3, 'other'), refused(4))
  expect(shownOf(lines, never)).toEqual(['100x3', '99', '97'])
  expect(shownOf(lines, () => true)).toEqual(['100x3', '98', '96', '99', '97'])
  // The one whose details are shown is never hidden.
  expect(shownOf(lines, never, '96')).toEqual(['100x3', '98', '96', '99', '97'])
  expect(shownOf(lines, never, '100')).toEqual(['100x3', '99', '97'])
})

test('two of them, those after a pause, and what an exchange rejected, stay one by one', () => {
  expect(shownOf(linesOf(refused(0), refused(1)), never)).toEqual(['100', '99'])
  const apart = linesOf(refused(0), refused(1), refused(2), refused(20), refused(21), refused(22))
  expect(shownOf(apart, never)).toEqual(['100x3', '97x3'])
  const rejected = { statusCode: 400, upstreamTime: 12, age: 1 }
  expect(shownOf(linesOf(rejected, rejected, rejected), never)).toEqual(['100', '99', '98'])
  // Served from a kept response: nothing was sent, and it succeeded.
  const kept = { upstreamTime: null, shared: true, age: 1 }
  expect(shownOf(linesOf(kept, kept, kept), never)).toEqual(['100', '99', '98'])
})

test('the steps of the gateway and the lines themselves have the same figures', () => {
  const stepMs = 15 * MINUTE_MS
  const lines = linesOf(
    refused(0),
    { age: 1, statusCode: 500 },
    { age: 16 },
    { age: 1_439, statusCode: 301 },
  )
  const at = (age: number) =>
    new Date(Math.floor((NOW_MS - age * MINUTE_MS) / stepMs) * stepMs).toISOString()
  const none = {
    success: 0,
    failed: 0,
    refused: 0,
    other: 0,
    avgQueueMs: null,
    avgUpstreamMs: null,
  }
  const steps = [
    { ...none, at: at(1_439), other: 1, avgResponseMs: 143 },
    { ...none, at: at(16), success: 1, avgResponseMs: 143 },
    { ...none, at: at(1), failed: 1, avgResponseMs: 143 },
    { ...none, at: at(0), failed: 1, refused: 1, avgResponseMs: 143 },
  ]
  expect(summariseSteps(steps)).toEqual(summariseLogs(lines))
  expect(summariseLogs(lines)).toMatchObject({ total: 4, errorRate: 50, refusedRate: 25 })
  const counts = toTimeCounts(steps, stepMs, NOW_MS)
  expect(counts).toEqual(countByTime(lines, stepMs))
  const { success, failed, refused: apart, other } = counts
  expect([success, failed, apart, other].map((all) => all.reduce((a, b) => a + b))).toEqual([
    ...[1, 1, 1, 1],
  ])
  const fromMs = Date.parse(at(1))
  expect(sumWithin(steps, stepMs, undefined)).toBe(4)
  expect(sumWithin(steps, stepMs, { fromMs, toMs: fromMs + stepMs })).toBe(1)
  expect(sumWithin(steps, stepMs, { fromMs: fromMs + 1, toMs: fromMs + stepMs })).toBeUndefined()
})
