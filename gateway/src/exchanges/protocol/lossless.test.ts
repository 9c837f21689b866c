import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseLossless, parsePlain } from './lossless.ts'

test.each([
  ['101716841474621953', '101716841474621953'],
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', '9007199254740993'],
  ['61234.50', '61234.50'],
  ['0.1', '0.1'],
  ['1.0', '1.0'],
  ['1e-8', '1e-8'],
  ['-0', '-0'],
  ['1e400', '1e400'],
  ['42', 42],
  ['-7', -7],
])('the number %s keeps its digits', (text, value) => {
  expect(parseLossless(text)).toEqual({ value })
  expect(parseLossless(`{"a":[${text}]}`)).toEqual({ value: { a: [value] } })
})

test('text, truth values and null stay what they are', () => {
  const text = '{"a":"101716841474621953","b":true,"c":null,"__proto__":{"d":1}}'
  const parsed = parseLossless(text)?.value
  expect(JSON.stringify(parsed)).toBe(text)
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
})

test.each(['', '<html></html>', '{"a":1', '[1,]', 'NaN'])('%j is not JSON', (text) => {
  expect(parseLossless(text)).toBeUndefined()
  expect(parsePlain(text)).toBeUndefined()
})

test('a response that is nested without end is rejected instead of exhausting the stack', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  expect(parseLossless(nested(64))).toBeDefined()
  expect(parseLossless(nested(65))).toBeUndefined()
  expect(parsePlain(nested(200_000))).toBeUndefined()
})

test('brackets inside of text do not count as nesting', () => {
  expect(parseLossless(JSON.stringify(`\\"${'['.repeat(100)}`))).toBeDefined()
})

test('any text of JSON is read as by the reading of each number on its own', () => {
  const number = fc.oneof(
    fc.bigInt().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.constantFrom('-0', '0', '1e5', '1E+2', '0.10', '999999999999999', '1234567890123456'),
  )
  const text = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      number.filter((each) => !/^-?(?:Infinity|NaN)/.test(each)),
      fc.constantFrom('true', 'false', 'null'),
      fc.string().map((each) => JSON.stringify(each)),
      fc.array(tie('value'), { maxLength: 4 }).map((all) => `[${all.join(',')}]`),
      fc
        .array(fc.tuple(fc.string(), tie('value')), { maxLength: 4 })
        .map((all) => `{${all.map(([k, v]) => `${JSON.stringify(k)}:${v}`).join(',')}}`),
    ),
  })).value
  const slowly = (json: string) =>
    JSON.parse(json, (_key, value, { source }: { source?: string } = {}) =>
      typeof value === 'number' && !(Number.isSafeInteger(value) && `${value}` === source)
        ? source
        : value,
    )
  fc.assert(
    fc.property(text, (json) => {
      expect(parseLossless(json)).toEqual({ value: slowly(json) })
    }),
    { numRuns: 1_000 },
  )
})
