import { expect, test } from 'vitest'
import { formatDuration, formatRoughly } from './format.ts'

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
