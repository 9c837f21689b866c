import { expect, test } from 'vitest'
import { cleanWords, decimalOf, recordsOf, textOf } from './untrusted.ts'

test('words of an exchange cannot forge a log line or hide text', () => {
  expect(cleanWords('bad\r\n2026-01-01 INFO forged\u0000\u202e!')).toBe(
    'bad 2026-01-01 INFO forged !',
  )
  expect(cleanWords('x'.repeat(10_000))).toHaveLength(200)
  expect(cleanWords({ toString: 'no' })).toBe('')
  expect(cleanWords(`${'x'.repeat(199)}😀`).isWellFormed()).toBe(true)
})

test.each([
  ['0.00100', '0.001'],
  ['1e-8', '0.00000001'],
  [10, '10'],
  ['-2.5', '-2.5'],
  ['1e999', undefined],
  ['', undefined],
  ['12a', undefined],
  ['1'.repeat(61), undefined],
  [null, undefined],
  [Number.NaN, undefined],
])('%j read as a decimal is %j', (value, decimal) => {
  expect(decimalOf(value)).toBe(decimal)
})

test('what is not text or a list is read as nothing', () => {
  expect(textOf(true)).toBeUndefined()
  expect(textOf('')).toBeUndefined()
  expect(recordsOf('x')).toEqual([])
  expect(recordsOf([1, { a: 1 }, [], null])).toEqual([{ a: 1 }])
})
