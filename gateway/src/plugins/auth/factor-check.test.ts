import { expect, test } from 'vitest'
import { codeAt, stepAt, stepOf, toBase32, totpUri } from './factor-check.ts'

const SECRET = Buffer.from('12345678901234567890')

// RFC 6238, appendix B, SHA-1. The codes there have eight digits; the last six are the shorter
// code.
test.each([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
])('the code at %i seconds is that of RFC 6238', (seconds, code) => {
  expect(codeAt(SECRET, stepAt(seconds * 1000))).toBe(code.slice(2))
})

test('a code of the step before and of the next one is taken, and of no other', () => {
  const atMs = 1_111_111_111_000
  const now = stepAt(atMs)
  const found = [-2, -1, 0, 1, 2].map((steps) =>
    stepOf(codeAt(SECRET, now + steps), SECRET, { atMs, lastStep: null }),
  )
  expect(found).toEqual([undefined, now - 1, now, now + 1, undefined])
})

test('a code that was used, and one before it, is refused', () => {
  const atMs = 1_111_111_111_000
  const now = stepAt(atMs)
  const found = [-1, 0, 1].map((steps) =>
    stepOf(codeAt(SECRET, now + steps), SECRET, { atMs, lastStep: now }),
  )
  expect(found).toEqual([undefined, undefined, now + 1])
})

test('what is no code fits nothing', () => {
  const atMs = 59_000
  for (const code of ['', '28708', '2870822', '94287082', '２８７０８２'])
    expect(stepOf(code, SECRET, { atMs, lastStep: null })).toBeUndefined()
  expect(stepOf('287082', SECRET, { atMs, lastStep: null })).toBe(1)
})

test('at the beginning of time there is no step before', () => {
  expect(stepOf(codeAt(SECRET, 0), SECRET, { atMs: 0, lastStep: null })).toBe(0)
})

// RFC 4648, section 10.
test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('%j in base32 is %s', (text, encoded) => {
  expect(toBase32(Buffer.from(text))).toBe(encoded)
})

test('the address for an app names issuer and account', () => {
  expect(totpUri(SECRET, 'Sluice', 'ada+x@example.com')).toBe(
    'otpauth://totp/Sluice:ada%2Bx%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Sluice&algorithm=SHA1&digits=6&period=30',
  )
})
