import { expect, test } from 'vitest'
import {
  barsOf,
  type ChartSeries,
  formatChartTime,
  lineOf,
  mostOf,
  type Scale,
  timeTicks,
  valueTicks,
} from './chart-scale.ts'

const at = (time: string) => Date.parse(`2026-03-05T${time}Z`)
const clock = (ticks: readonly number[]) =>
  ticks.map((tick) => new Date(tick).toISOString().slice(11, 19))

test.each([
  ['13:30:22', '13:35:22', ['13:31:00', '13:32:00', '13:33:00', '13:34:00', '13:35:00']],
  ['13:00:00', '14:00:00', ['13:00', '13:10', '13:20', '13:30', '13:40', '13:50', '14:00']],
  ['00:10:00', '23:59:00', ['03:00', '06:00', '09:00', '12:00', '15:00', '18:00', '21:00']],
])('the ticks from %s to %s are whole steps of the clock', (from, to, expected) => {
  const seconds = expected.map((tick) => tick.padEnd(8, ':00'))
  expect(clock(timeTicks(at(from), at(to), 'UTC'))).toEqual(seconds)
})

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [79, [0, 20, 40, 60, 80]],
  [21_500, [0, 10_000, 20_000, 30_000]],
])('an axis up to %i has round steps', (most, expected) => {
  expect(valueTicks(most, 100)).toEqual(expected)
})

test('a low chart has fewer steps: their labels would overlap', () => {
  expect(valueTicks(4, 44)).toEqual([0, 2, 4])
})

test('a time has what its step and its span need', () => {
  const time = at('13:30:22')
  const zone = 'UTC'
  expect(formatChartTime(time, { stepMs: 5000, spanMs: 300_000, zone })).toBe('13:30:22')
  expect(formatChartTime(time, { stepMs: 60_000, spanMs: 3_600_000, zone })).toBe('13:30')
  expect(formatChartTime(time, { stepMs: 600_000, spanMs: 86_400_000, zone })).toBe('Thu 13:30')
})

const scale: Scale = { times: [0, 10], stepMs: 10, fromMs: 0, toMs: 20, top: 10 }
const series = (values: ChartSeries['values']): ChartSeries => ({
  name: 'x',
  colour: 'blue',
  values,
})
const pair = [series([2, 3]), series([5, null])]

test('bars stand on each other, lines do not', () => {
  expect(mostOf(pair, 'bars')).toBe(7)
  expect(mostOf(pair, 'lines')).toBe(5)
  expect(barsOf(scale, pair, 0)).toBe('M50 100V80H450V100zM550 100V70H950V100z')
  expect(barsOf(scale, pair, 1)).toBe('M50 80V30H450V80z')
})

test('a line breaks where a value is unknown', () => {
  const wide: Scale = { ...scale, times: [0, 10, 20, 30], toMs: 40 }
  expect(lineOf(wide, series([0, 10, null, 5]))).toBe('M125 100h.1L375 0M875 50h.1')
})
