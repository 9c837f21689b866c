import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { makeClientOrderId } from './client-order-id.ts'

test('an id made by the gateway is one that every exchange takes', () => {
  const ids = Array.from({ length: 500 }, () => makeClientOrderId(randomBytes))
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,32}$/)
  expect(new Set(ids).size).toBe(500)
})

test('every character of an id comes from the randomness given', () => {
  expect(makeClientOrderId((count) => new Uint8Array(count))).toBe(`sl-${'A'.repeat(21)}`)
  expect(makeClientOrderId((count) => new Uint8Array(count).fill(255))).toBe(`sl-${'_'.repeat(21)}`)
})
