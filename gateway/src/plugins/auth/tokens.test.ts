import { generateKeySync } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import type { Claims } from './tokens.ts'
import { VerifiedTokens } from './tokens.ts'

const claims: Claims = { jti: 'a', sub: 'bot', iat: 1, exp: 2 }
const [key, nextKey] = [1, 2].map(() => generateKeySync('hmac', { length: 256 }))

test('a signature is verified once, and again when the key that verified it is not loaded', () => {
  if (key === undefined || nextKey === undefined) throw new Error('No key was made')
  const tokens = new VerifiedTokens()
  const verify = vi.fn(() => ({ key, claims }))
  for (let times = 0; times < 3; times += 1)
    expect(tokens.get('token', [nextKey, key], verify)).toBe(claims)
  expect(verify).toHaveBeenCalledOnce()
  const rejects = () => {
    throw new RangeError('signed by no key that is loaded')
  }
  expect(() => tokens.get('token', [nextKey], rejects)).toThrow(RangeError)
  expect(() => tokens.get('another token', [key], rejects)).toThrow(RangeError)
})

test('a token whose signature is wrong is verified each time', () => {
  const tokens = new VerifiedTokens()
  const verify = vi.fn(() => {
    throw new RangeError('wrong')
  })
  for (let times = 0; times < 2; times += 1)
    expect(() => tokens.get('forged', [], verify)).toThrow(RangeError)
  expect(verify).toHaveBeenCalledTimes(2)
})
