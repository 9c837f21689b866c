import { expect, test } from 'vitest'
import { matching } from './match.ts'

const entries = ['Spot Orders', 'Stop and cancel grid-bot', 'Halt grid-bot', 'Stop Bitget'].map(
  (label) => ({ label, words: label === 'Spot Orders' ? 'POST /api/bg/v1/placeOrder' : undefined }),
)
const found = (text: string) => matching(entries, text).map(({ label }) => label)

test('every word has to occur, in any order and case', () => {
  expect(found('halt grid')).toEqual(['Halt grid-bot'])
  expect(found('GRID stop')).toEqual(['Stop and cancel grid-bot'])
  expect(found('halt bitget')).toEqual([])
})

test('what begins with the text comes first, and other words find too', () => {
  expect(found('stop')).toEqual(['Stop and cancel grid-bot', 'Stop Bitget'])
  expect(found('bit')).toEqual(['Stop Bitget'])
  expect(found('placeorder')).toEqual(['Spot Orders'])
})

test('at most eight are shown', () => {
  const many = Array.from({ length: 20 }, (_, at) => ({ label: `client-${at}` }))
  expect(matching(many, 'client')).toHaveLength(8)
})
