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
  expect(secrets.match(one.secret, [one.hash])).toBe(0)
  expect(secrets.match(two.secret, [one.hash])).toBe(-1)
  expect(secrets.match(`${one.secret} `, [one.hash])).toBe(-1)
  expect(secrets.match('', [one.hash])).toBe(-1)
})

test('a hash does not hold the secret, and is worth nothing without the key', () => {
  const { secret, hash } = newSecrets().make()
  expect(hash).not.toContain(secret.slice(4, 12))
  expect(newSecrets().match(secret, [hash])).toBe(-1)
})

test('nothing fits the hash of an unknown client, or a damaged one', () => {
  const secrets = newSecrets()
  const { secret, hash } = secrets.make()
  expect(secrets.dummyHash).toHaveLength(hash.length)
  expect(secrets.match(secret, [secrets.dummyHash])).toBe(-1)
  expect(secrets.match(secret, [hash.slice(1)])).toBe(-1)
  expect(secrets.match(secret, [''])).toBe(-1)
})

test('of several hashes the one that the secret fits is named', () => {
  const secrets = newSecrets()
  const [one, two, three] = [secrets.make(), secrets.make(), secrets.make()]
  expect(secrets.match(one.secret, [one.hash, two.hash])).toBe(0)
  expect(secrets.match(two.secret, [one.hash, two.hash])).toBe(1)
  expect(secrets.match(three.secret, [one.hash, two.hash])).toBe(-1)
  expect(secrets.match(one.secret, [])).toBe(-1)
})
