import { createSecretKey, randomBytes } from 'node:crypto'
import { argon2id, hash } from 'argon2'
import { expect, test } from 'vitest'
import { cpuMs } from '../../test/support/longest-turn.ts'
import {
  createPasswords,
  createRecoveryCodes,
  createTurnstile,
  generatePassword,
  requireGoodPassword,
} from './password.ts'

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

const newTurnstile = () =>
  createTurnstile({ runningMax: 2, waitingMax: 3, full: () => new Error('full') })

test('two run at once, three wait in their order, the next is rejected', async () => {
  const turnstile = newTurnstile()
  const started: number[] = []
  const ends: Array<() => void> = []
  const enter = (n: number) =>
    turnstile.pass(async () => {
      started.push(n)
      await new Promise<void>((end) => ends.push(end))
      return n
    })
  const works = [1, 2, 3, 4, 5].map(enter)
  await expect(enter(6)).rejects.toThrow('full')
  expect(started).toEqual([1, 2])

  ends.shift()?.()
  await works[0]
  await expect.poll(() => started).toEqual([1, 2, 3])
  while (ends.length > 0) {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  expect(await Promise.all(works)).toEqual([1, 2, 3, 4, 5])
  expect(started).toEqual([1, 2, 3, 4, 5])
})

test('a work that fails gives its place back', async () => {
  const turnstile = newTurnstile()
  const failing = () => turnstile.pass(() => Promise.reject(new Error('broken')))
  for (const _ of Array(6)) await expect(failing()).rejects.toThrow('broken')
  expect(await turnstile.pass(async () => 'through')).toBe('through')
})

test('the reserved lane has places of its own and goes first', async () => {
  const turnstile = newTurnstile()
  const started: string[] = []
  const ends: Array<() => void> = []
  const enter = (name: string, lane?: 'reserved') =>
    turnstile.pass(async () => {
      started.push(name)
      await new Promise<void>((end) => ends.push(end))
    }, lane)
  const works = ['a', 'b', 'c', 'd', 'e'].map((name) => enter(name))
  await expect(enter('f')).rejects.toThrow('full')
  works.push(...['1', '2', '3'].map((name) => enter(name, 'reserved')))
  await expect(enter('4', 'reserved')).rejects.toThrow('full')
  while (started.length < 8) {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  expect(started).toEqual(['a', 'b', '1', '2', '3', 'c', 'd', 'e'])
  for (const end of ends) end()
  await Promise.all(works)
})

const EMAIL = 'ada.lovelace@engine.example'

test.each(['Passw0rd', 'aaaaaa', 'a1b2c3d4e5f', '', '🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑'])(
  '%j is too short for a new password',
  async (password) => {
    await expect(requireGoodPassword(password, EMAIL)).rejects.toMatchObject({
      ...{ code: 'PASSWORD_TOO_SHORT', statusCode: 400 },
      message: 'A new password has at least 12 characters',
    })
  },
)

test.each([
  ['qwerty123456', 'is in the list'],
  ['QWERTY123456', 'is in the list, in lower case'],
  ['password1234', 'is a common one with digits'],
  ['!!!Passw0rd!!!', 'is a common one with lookalikes and signs'],
  ['ch4ng3m3-2026', 'is a common one with lookalikes and a year'],
  ['passwordpassword', 'repeats a common one'],
  ['abcabcabcabc', 'repeats something short'],
  ['aaaaaaaaaaaaaaaa', 'is one letter'],
  ['123456789012', 'counts up'],
  ['zyxwvutsrqpo', 'counts down'],
  ['ada.lovelace@engine.example', 'is the e-mail'],
  ['ada.lovelace1', 'is a part of the e-mail with a digit'],
  ['sluice-123456', 'is the product with digits'],
])('%j is too common for a new password: it %s', async (password) => {
  await expect(requireGoodPassword(password, EMAIL)).rejects.toMatchObject({
    code: 'PASSWORD_TOO_COMMON',
    statusCode: 400,
  })
})

test.each([
  'one-lock-two-gates',
  'correct horse battery staple',
  'pässwörter sind schön',
  'x7#Kq9!vB2mz',
  'monkey-8472619304',
  generatePassword(),
])('%j is good enough', async (password) => {
  await expect(requireGoodPassword(password, EMAIL)).resolves.toBeUndefined()
})

test('a password of the greatest length is checked at once', async () => {
  const startedMs = cpuMs()
  await requireGoodPassword(`${'ab'.repeat(500)}c`, EMAIL)
  await expect(requireGoodPassword('ab'.repeat(512), EMAIL)).rejects.toThrow()
  expect(cpuMs() - startedMs).toBeLessThan(200)
})

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
