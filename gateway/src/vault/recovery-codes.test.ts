import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createRecoveryCodes } from './password.ts'

const newCodes = () => createRecoveryCodes({ key: createSecretKey(randomBytes(32)) })

test('there are ten different codes of ten characters that nobody mixes up', () => {
  const codes = newCodes().make()
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^[a-km-np-z2-9]{5}-[a-km-np-z2-9]{5}$/)
})

test('a code may be typed in upper case, and with or without the dash', () => {
  const codes = newCodes()
  const [code = ''] = codes.make()
  const hash = codes.hashOf(1, code)
  for (const typed of [code.toUpperCase(), code.replace('-', ''), ` ${code.replace('-', ' ')} `])
    expect(codes.hashOf(1, typed)).toBe(hash)
})

test('a hash is for one administrator, and worth nothing without the key', () => {
  const codes = newCodes()
  const [code = '', other = ''] = codes.make()
  const hash = codes.hashOf(1, code)
  expect(codes.hashOf(2, code)).not.toBe(hash)
  expect(codes.hashOf(1, other)).not.toBe(hash)
  expect(newCodes().hashOf(1, code)).not.toBe(hash)
  // The number of the administrator and the code cannot run into each other.
  expect(codes.hashOf(11, 'abcde')).not.toBe(codes.hashOf(1, '1abcde'))
})
