import { expect, test } from 'vitest'
import { barsOf, type ChartSeries, lineOf, mostOf, type Scale } from './chart-paths.ts'

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
