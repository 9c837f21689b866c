import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { expiryOf, formatDuration, formatRoughly } from './format.ts'

const SOURCES = fileURLToPath(new URL('..', import.meta.url))

test('317. the language of numbers and dates is named in one module', () => {
  const naming = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\./.test(name))
    .filter((name) => /'en(-US)?'|toLocale\w+\(/.test(readFileSync(join(SOURCES, name), 'utf8')))
  expect(naming).toEqual([join('components', 'format.ts')])
})

const plain = (text: string) => text.replaceAll('\u202f', ' ')

test.each([
  [-5, '0 ms'],
  [450, '450 ms'],
  [40_400, '40 s'],
  [72_000, '1 min 12 s'],
  [180_000, '3 min'],
  [3_630_000, '1 h'],
  [7_500_000, '2 h 5 min'],
  [187_200_000, '2 d 4 h'],
])('%i ms are %s', (ms, expected) => expect(plain(formatDuration(ms))).toBe(expected))

test.each([
  [0, 'under 1 s'],
  [72_000, '1 min'],
  [7_500_000, '2 h'],
])('%i ms are roughly %s', (ms, expected) => expect(plain(formatRoughly(ms))).toBe(expected))

const NOW = Date.parse('2026-03-05T13:30:22.000Z')

test.each([
  ['2026-05-26T13:30:22.000Z', 'Expires in 82 days', false],
  ['2026-03-19T13:30:22.000Z', 'Expires in 14 days', true],
  ['2026-03-05T13:30:23.000Z', 'Expires in 1 day', true],
  ['2026-03-05T13:30:22.000Z', 'Expired', true],
  ['2026-01-01T00:00:00.000Z', 'Expired', true],
])('a key that lasts until %s is shown as "%s"', (expiresAt, text, isSoon) => {
  expect(expiryOf(expiresAt, NOW)).toEqual({ text, isSoon, isOver: text === 'Expired' })
})

test.each([null, undefined, 'never'])('nothing is shown for %j', (expiresAt) => {
  expect(expiryOf(expiresAt, NOW)).toBeUndefined()
})
