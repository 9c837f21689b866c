import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { deriveKey, sealingKeyId, toMasterKey, verifyMasterKey } from './master-key.ts'

const text = 'q2V1l0xJ7m0o5Yf3Z9nB4tKcWgA8dHs6RpEuXiTvJbM='

test('the same key has the same id, another key another one', () => {
  const id = toMasterKey(text, 'MASTER_KEY').keyId
  expect(id).toMatch(/^[0-9a-f]{12}$/)
  expect(toMasterKey(` ${text}\n`, 'MASTER_KEY').keyId).toBe(id)
  expect(toMasterKey(randomBytes(32).toString('base64'), 'MASTER_KEY').keyId).not.toBe(id)
})

test('a printed or serialised master key shows nothing of the key', () => {
  const master = toMasterKey(text, 'MASTER_KEY')
  const shown = `${inspect(master, { depth: 9, showHidden: true })} ${JSON.stringify(master)}`
  expect(shown).not.toContain(text.slice(0, 6))
  expect(shown).not.toContain(Buffer.from(text, 'base64').toString('hex').slice(0, 6))
})

test.each([
  ['empty', ''],
  ['a passphrase', 'correct horse battery staple'],
  ['16 bytes', randomBytes(16).toString('base64')],
  ['33 bytes', randomBytes(33).toString('base64')],
  ['hex', randomBytes(32).toString('hex')],
  ['without its padding', text.slice(0, -1)],
])('a key that is not 32 bytes in base64 is refused by name: %s', (_what, given) => {
  expect(() => toMasterKey(given, 'MASTER_KEY')).toThrow(
    expect.objectContaining({
      code: 'INVALID_MASTER_KEY',
      message: expect.stringContaining('MASTER_KEY is refused: it is not 32 bytes'),
    }),
  )
})

test.each([
  ['zeros', Buffer.alloc(32)],
  ['one byte', Buffer.alloc(32, 0xa5)],
  ['a pattern of two', Buffer.alloc(32, 'ab', 'hex')],
  ['half a key twice', Buffer.alloc(32, randomBytes(16))],
  ['a pattern that does not divide', Buffer.alloc(32, randomBytes(7))],
  ['counting up', Buffer.from(Array.from({ length: 32 }, (_, i) => i))],
  [
    'counting down by three',
    Buffer.from(Array.from({ length: 32 }, (_, i) => (200 - 3 * i) & 0xff)),
  ],
  ['a sentence', Buffer.from('please-change-me-before-go-live!')],
  ['few different bytes', Buffer.from(Array.from({ length: 32 }, (_, i) => (i * i) % 11))],
])('a key that was not drawn at random is refused and not shown: %s', (_what, bytes) => {
  const given = bytes.toString('base64')
  const refuse = () => toMasterKey(given, 'MASTER_KEY')
  expect(refuse).toThrow('it was not drawn at random')
  expect(refuse).not.toThrow(given.slice(0, 8))
})

test('a thousand random keys are all accepted', () => {
  const keys = Array.from({ length: 1_000 }, () => randomBytes(32).toString('base64'))
  expect(new Set(keys.map((key) => toMasterKey(key, 'MASTER_KEY').keyId)).size).toBe(1_000)
})

test('keys of two purposes differ, and one purpose always gives the same', () => {
  const { key } = toMasterKey(text, 'MASTER_KEY')
  expect(deriveKey(key, 'seal').equals(deriveKey(key, 'seal'))).toBe(true)
  expect(deriveKey(key, 'seal').equals(deriveKey(key, 'tokens'))).toBe(false)
  expect(deriveKey(key, 'seal').symmetricKeySize).toBe(32)
})

test('a database opens with the key that it met first, and with no other', async () => {
  const kept = new Map<string, string>()
  const settings = {
    get: async (name: string) => kept.get(name),
    set: async (name: string, value: string) => void kept.set(name, value),
  }
  const first = toMasterKey(text, 'MASTER_KEY')
  const other = toMasterKey(randomBytes(32).toString('base64'), 'MASTER_KEY')
  expect(await sealingKeyId(settings)).toBeUndefined()

  await verifyMasterKey(settings, first)
  await verifyMasterKey(settings, first)
  expect(await sealingKeyId(settings)).toBe(first.keyId)
  const before = new Map(kept)
  await expect(verifyMasterKey(settings, other)).rejects.toMatchObject({
    code: 'WRONG_MASTER_KEY',
    message: expect.stringMatching(`${first.keyId}.*${other.keyId}`),
  })
  expect(kept).toEqual(before)
})

test('a check value with the right id but another key behind it is refused', async () => {
  const master = toMasterKey(text, 'MASTER_KEY')
  const forged = `${master.keyId}:${randomBytes(32).toString('base64url')}`
  const settings = { get: async () => forged, set: async () => undefined }
  await expect(verifyMasterKey(settings, master)).rejects.toMatchObject({
    code: 'WRONG_MASTER_KEY',
  })
})
