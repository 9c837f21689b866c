import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import {
  checkValue,
  deriveKey,
  fitsCheck,
  keyIdOf,
  toMasterKey,
  toMasterKeys,
} from './master-key.ts'

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
])('a key that is not 32 bytes in base64 is rejected by name: %s', (_what, given) => {
  expect(() => toMasterKey(given, 'MASTER_KEY')).toThrow(
    expect.objectContaining({
      code: 'INVALID_MASTER_KEY',
      message: expect.stringContaining('MASTER_KEY cannot be used: it is not 32 bytes'),
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
])('a key that was not drawn at random is rejected and not shown: %s', (_what, bytes) => {
  const given = bytes.toString('base64')
  const refuse = () => toMasterKey(given, 'MASTER_KEY')
  expect(refuse).toThrow('it does not look random')
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

test('a check value names its key and fits no other, not even one with the same id', () => {
  const master = toMasterKey(text, 'MASTER_KEY')
  const other = toMasterKey(randomBytes(32).toString('base64'), 'MASTER_KEY')
  const check = checkValue(master)
  expect(keyIdOf(check)).toBe(master.keyId)
  expect(fitsCheck(master, check)).toBe(true)
  expect(fitsCheck(other, check)).toBe(false)
  expect(fitsCheck({ ...other, keyId: master.keyId }, check)).toBe(false)
  expect(check).not.toContain(text.slice(0, 6))
})

test('several keys are read from one text in their order, each once', () => {
  const texts = [text, randomBytes(32).toString('base64'), text]
  const ids = texts.map((one) => toMasterKey(one, 'MASTER_KEY').keyId)
  for (const all of [texts.join('\n'), `${texts.join(',')}\n`, texts.join(' , ')])
    expect(toMasterKeys(all, 'MASTER_KEY').map(({ keyId }) => keyId)).toEqual([ids[0], ids[1]])
  expect(() => toMasterKeys(`${text},short`, 'MASTER_KEY')).toThrow('it is not 32 bytes')
  expect(() => toMasterKeys('', 'MASTER_KEY')).toThrow('it is not 32 bytes')
})
