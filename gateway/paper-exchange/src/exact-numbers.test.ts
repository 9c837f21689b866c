import { expect, test } from 'vitest'
import { decimal, readJson, writeJson } from './exact-numbers.ts'

test('ids above 2^53 and decimals are written with all their digits', () => {
  const response = {
    id: 101716841474621953n,
    price: decimal('0.10000000000000000001'),
    gone: undefined,
    none: null,
  }
  expect(writeJson(response)).toBe(
    '{"id":101716841474621953,"price":0.10000000000000000001,"none":null}',
  )
})

test('text and lists are written as JSON has them', () => {
  expect(writeJson(['a"b', true, 1.5, []])).toBe('["a\\"b",true,1.5,[]]')
})

test('a number is read as the text of its digits', () => {
  expect(readJson('[101716841474621953, {"price": 59000.10}, "x", true, null]')).toEqual([
    '101716841474621953',
    { price: '59000.10' },
    'x',
    true,
    null,
  ])
})

test('text that is not JSON is rejected', () => {
  expect(() => readJson('{"a":')).toThrow(SyntaxError)
})
