import { argon2id, hash } from 'argon2'
import { expect, test } from 'vitest'
import { createPasswords, generatePassword } from './password.ts'

test('a password fits its hash, another one does not', async () => {
  const passwords = createPasswords()
  const kept = await passwords.hash('hunter22')
  expect(kept).toMatch(/^\$argon2id\$v=19\$(?=.*\bm=19456\b)(?=.*\bt=2\b)(?=.*\bp=1\b)/)
  expect(await passwords.verify('hunter22', kept)).toBe(true)
  expect(await passwords.verify('hunter23', kept)).toBe(false)
})

test('a password fits however its letters were composed', async () => {
  const passwords = createPasswords()
  const kept = await passwords.hash('caf\u00e9-1')
  expect(await passwords.verify('cafe\u0301-1', kept)).toBe(true)
})

test('a hash of another cost needs a rehash, one of the current cost does not', async () => {
  const passwords = createPasswords()
  const cheap = await hash('hunter22', {
    ...{ type: argon2id, memoryCost: 8_192, timeCost: 1, parallelism: 1 },
  })
  expect(passwords.needsRehash(cheap)).toBe(true)
  expect(passwords.needsRehash(await passwords.hash('hunter22'))).toBe(false)
})

test('an unknown e-mail costs as much as a known one: one hash in the same queue', async () => {
  const passwords = createPasswords()
  const burns = Array.from({ length: 52 }, () => passwords.burn('x'))
  await expect(passwords.burn('x')).rejects.toMatchObject({
    code: 'SIGN_IN_BUSY',
    statusCode: 503,
  })
  await Promise.all(burns)
  await expect(passwords.burn('x')).resolves.toBeUndefined()
})

test('a generated password is 20 letters and digits that cannot be mistaken for each other', () => {
  const made = Array.from({ length: 100 }, generatePassword)
  for (const password of made)
    expect(password).toMatch(/^([a-km-np-z2-9]{5}-){3}[a-km-np-z2-9]{5}$/)
  expect(new Set(made).size).toBe(100)
})
