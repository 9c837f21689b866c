import { expect, test } from 'vitest'
import { compareText, readSort, sorted, writeSort } from './rows-table.tsx'

test('a sort is read as it is written, and what is no column is none', () => {
  const columns = ['created', 'client'] as const
  for (const text of ['created', '-client']) {
    const sort = readSort(text, columns)
    expect(sort && writeSort(sort)).toBe(text)
  }
  expect(readSort('', columns)).toBeUndefined()
  expect(readSort('--created', columns)).toBeUndefined()
  expect(readSort('toString', columns)).toBeUndefined()
})

test('text is sorted as a person does, and equal rows keep their order both ways', () => {
  const rows = ['bot-10', 'Bot-9', 'bot-9']
  expect(sorted(rows, compareText, false)).toEqual(['Bot-9', 'bot-9', 'bot-10'])
  expect(sorted(rows, compareText, true)).toEqual(['bot-10', 'Bot-9', 'bot-9'])
})
