import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createClientSecrets } from './client-secret.ts'

const newSecrets = () => createClientSecrets({ key: createSecretKey(randomBytes(32)) })

test('a secret has 256 random bits, and its preview shows 8 and 4 characters', () => {
  const { secret, preview } = newSecrets().make()
  expect(secret).toMatch(/^sls_[\w-]{43}$/)
  expect(preview).toBe(`${secret.slice(0, 8)}...${secret.slice(-4)}`)
})

test('a secret fits its own hash and no other', () => {
  const secrets = newSecrets()
  const [one, two] = [secrets.make(), secrets.make()]
  expect(secrets.verify(one.secret, one.hash)).toBe(true)
  expect(secrets.verify(two.secret, one.hash)).toBe(false)
  expect(secrets.verify(`${one.secret} `, one.hash)).toBe(false)
  expect(secrets.verify('', one.hash)).toBe(false)
})

test('a hash does not hold the secret, and is worth nothing without the key', () => {
  const { secret, hash } = newSecrets().make()
  expect(hash).not.toContain(secret.slice(4, 12))
  expect(newSecrets().verify(secret, hash)).toBe(false)
})

test('nothing fits the hash of an unknown client, or a damaged one', () => {
  const secrets = newSecrets()
  const { secret, hash } = secrets.make()
  expect(secrets.dummyHash).toHaveLength(hash.length)
  expect(secrets.verify(secret, secrets.dummyHash)).toBe(false)
  expect(secrets.verify(secret, hash.slice(1))).toBe(false)
  expect(secrets.verify(secret, '')).toBe(false)
})
