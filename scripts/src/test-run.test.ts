import { expect, test } from 'vitest'
import { readTimes } from './test-run.ts'

test.each([
  ['0m0.004s 0m0.001s\n1m2.500s 0m7.495s\n', 70_000],
  ['0m0,00s 0m0,00s\n0m1,25s 0m0,75s\n', 2_000],
  ['', 0],
])('the times that a shell prints as %j are %i ms of CPU', (text, ms) => {
  expect(readTimes(text)).toBeCloseTo(ms)
})
