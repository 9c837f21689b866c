import { expect, test } from 'vitest'
import { toy } from '../../test/toy-exchange/index.ts'
import { TOY } from '../../test/toy-exchange/names.ts'
import type { Family, UpstreamResponse } from './exchange.ts'
import { remainingLimit } from './read-response.ts'
import { createAdapters } from './registry.ts'

function callOf(family: Family) {
  return { family, method: 'GET', path: '/', query: '', body: null, signed: false } as const
}

const HEADER = 'x-mbx-used-remain-limit'
const left = (family: Family, headers: UpstreamResponse['headers']) =>
  remainingLimit(callOf(family), { headers })

test.each([
  ['0', 0],
  ['19', 19],
  ['999999', 999_999],
])('what Bitget says is left (%j) is read', (value, calls) => {
  expect(left('bitget', { [HEADER]: value })).toBe(calls)
})

test.each([
  ...[undefined, '', ' ', '-1', '1.5', '1e3', '0x10', 'many', '1000000', 'Infinity'],
  ['3', '4'],
])('a value that cannot be right (%j) is ignored', (value) => {
  expect(left('bitget', { [HEADER]: value })).toBeUndefined()
})

test('only the header of the API itself is read', () => {
  expect(left('mexc-spot', { [HEADER]: '3' })).toBeUndefined()
  expect(left('mexc-futures', { [HEADER]: '3' })).toBeUndefined()
  const headers = { 'toy-calls-left': '7' }
  expect(remainingLimit(callOf(TOY), { headers }, createAdapters([toy]))).toBe(7)
})
