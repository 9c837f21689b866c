import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rowsIn, withoutRows } from './json-rows.ts'
import { isRecord } from './untrusted.ts'

const without = (text: string, id: string) =>
  withoutRows(
    text,
    rowsIn(text, (name) => name === 'id').rows.filter(({ fields }) =>
      fields.some(([, value]) => value === id),
    ),
  )

test.each([
  ['[{"id":1},{"id":2},{"id":3}]', '[{"id":1},{"id":3}]'],
  ['[{"id":2},{"id":2},{"id":3},{"id":2}]', '[{"id":3}]'],
  ['[ {"id":2} ,\n {"id":3, "price":0.10} ]', '[ {"id":3, "price":0.10} ]'],
  ['[7,{"id":2},{"id":2}]', '[7]'],
  [
    '{"a" : 1.00,"data":{"list":[{"id":"2"}],"next":"x"}}',
    '{"a" : 1.00,"data":{"list":[],"next":"x"}}',
  ],
  ['[{"id":1,"parts":[{"id":2},{"id":4}]},[{"id":2}]]', '[{"id":1,"parts":[{"id":4}]},[]]'],
  ['[{"id":2,"parts":[{"id":2}]},{"id":5}]', '[{"id":5}]'],
  ['[{"i\\u0064":"\\u0032"},{"x":{"id":2}},{"x":[{"id":2}]}]', '[{"x":[]}]'],
  ['{"id":2}', '{"id":2}'],
  ['[[],{},"{\\"id\\":2}",1e5]', '[[],{},"{\\"id\\":2}",1e5]'],
  ['<html>[{"id":', '<html>[{"id":'],
])('%s without the rows of order 2', (text, left) => {
  expect(without(text, '2')).toBe(left)
})

test('what is in no row is known with its name', () => {
  const text = '{"id":1,"data":{"id":"2","list":[{"id":3}],"next":[{"id":4},5]}}'
  expect(rowsIn(text, (name) => name === 'id').outside).toEqual([
    ['id', '1'],
    ['id', '2'],
  ])
})

test('what rows are taken from reads as if they had never been there', () => {
  const isOdd = (row: object) => Object.keys(row).length % 2 === 1
  const expected = (value: unknown): unknown => {
    if (Array.isArray(value))
      return value.filter((each) => !isRecord(each) || !isOdd(each)).map(expected)
    if (!isRecord(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, expected(each)]))
  }
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: 'medium' }), fc.constantFrom(0, 1), (value, space) => {
      const text = JSON.stringify(value, null, space)
      expect(withoutRows(text, [])).toBe(text)
      const odd = rowsIn(text, () => true).rows.filter(({ start, end }) =>
        isOdd(JSON.parse(text.slice(start, end))),
      )
      expect(JSON.parse(withoutRows(text, odd))).toEqual(expected(JSON.parse(text)))
    }),
  )
})
