import { expect, test } from 'vitest'
import { expiryOf } from './expiry.ts'

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
