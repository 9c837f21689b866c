import { expect, test } from 'vitest'
import { quantile, toTable } from './table.ts'

test('columns are as wide as their widest cell', () => {
  const table = toTable([
    ['', 'wait'],
    ['a long name', '1 ms'],
  ])
  expect(table.split('\n')).toEqual([
    ...['               wait', '  -----------  ----', '  a long name  1 ms'],
  ])
})

test.each([
  [0.5, 6],
  [0.99, 10],
  [1, 10],
])('the %d quantile of 1 to 10 is %d, in any order', (part, value) => {
  expect(quantile([10, 1, 9, 2, 8, 3, 7, 4, 6, 5], part)).toBe(value)
})

test('nothing has no quantile', () => {
  expect(quantile([], 0.5)).toBeNaN()
})
