import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decodeText,
  mapValues,
  queryText,
  readPairs,
  sortedByName,
  withoutNames,
} from './query-text.ts'

test.each([
  ['', ''],
  ['a b', 'a b'],
  ['a+b%20c', 'a b c'],
  ['%E5%B8%81$', '\u5e01$'],
  ['a&b=%26%3D', 'a&b=&='],
  ['%zz%', '%zz%'],
  ['%ff', '\ufffd'],
])('%s decodes to %s', (text, decoded) => {
  expect(decodeText(text)).toBe(decoded)
})

test('what is written as a query is read again as it was', () => {
  const pair = fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(fc.array(pair), (pairs) => {
      const wellFormed = pairs.map((texts) => texts.map((text) => text.toWellFormed()))
      expect(readPairs(queryText(pairs))).toEqual(wellFormed)
    }),
  )
})

test.each([
  ['', ''],
  ['b=1&a=2', 'a=2&b=1'],
  ['a=2&%61=1&A=3', 'A=3&a=2&%61=1'],
  ['a=%20&b=+&b=&b', 'a=%20&b=+&b=&b'],
  ['a=1&&b=2', 'a=1&&b=2'],
  ['b=1&&a=2', 'a=2&b=1'],
])('%s by name is %s', (query, sorted) => {
  expect(sortedByName(query)).toBe(sorted)
})

test('pairs are taken out by their decoded name, and the rest is left as it is written', () => {
  const isX = (name: string) => name === 'x'
  expect(withoutNames('x=1&a=%20+&%78=2&&b&x', isX)).toBe('a=%20+&&b')
  expect(withoutNames('xx=1&a=x', isX)).toBe('xx=1&a=x')
})

test.each([
  ['x=1&y=%20+&&x', 'x=1.&y=%20+&&x=.'],
  ['%78=a+%2C&xx=1', '%78=a%20%2C.&xx=1'],
  ['x=%ff&y=1', 'x=%ff&y=1'],
  ['y=1', 'y=1'],
  ['', ''],
])('%s with its x changed is %s', (query, changed) => {
  expect(mapValues(query, 'x', (value) => `${value}.`)).toBe(changed)
  expect(mapValues(query, 'x', () => undefined)).toBe(query)
})

const asciiText = fc.oneof(
  fc.string({ unit: 'binary-ascii' }),
  fc
    .array(fc.constantFrom('%', '+', '&', '=', '%2', '%e2%82%ac', '%FF', '%ef%bb%bf', 'a', '4'))
    .map((parts) => parts.join('')),
)

test('ASCII is decoded as URLSearchParams decodes it', () => {
  fc.assert(
    fc.property(asciiText, (text) => {
      expect(decodeText(text)).toBe(new URLSearchParams(`=${text.replaceAll('&', '%26')}`).get(''))
    }),
    { numRuns: 3_000 },
  )
})

test('text beside a percent sign that encodes nothing stays what it is', () => {
  expect(decodeText('%é+\u20ac%C3%A9')).toBe('%é \u20acé')
})
