import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { toMasterKey } from './master-key.ts'
import { createSealer, type SealBinding } from './sealing.ts'

const newSealer = () => createSealer(toMasterKey(randomBytes(32).toString('base64'), 'MASTER_KEY'))
type OfKeys = Extract<SealBinding, { clientRef: number }>
const binding: OfKeys = { clientRef: 1, exchange: 'mx', field: 'apiSecret' }
const sealer = newSealer()

test.each(['mx0v-secret', '', 'Schlüssel 鍵 🔑', 'x'.repeat(4096)])(
  'a sealed text opens to what it was: %#',
  (text) => {
    expect(sealer.open(sealer.seal(text, binding), binding)).toBe(text)
  },
)

test('a sealed text carries its version and key id, and nothing of the text', () => {
  const sealed = sealer.seal('mx0v-secret', binding)
  expect(sealed).toMatch(new RegExp(`^v1\\.${sealer.keyId}\\.[\\w-]+$`))
  expect(Buffer.from(sealed.split('.')[2] ?? '', 'base64url').includes('secret')).toBe(false)
})

test('the same text sealed twice looks different', () => {
  expect(sealer.seal('a', binding)).not.toBe(sealer.seal('a', binding))
})

test.each<[string, Partial<OfKeys>]>([
  ['another client', { clientRef: 2 }],
  ['the other exchange', { exchange: 'bg' }],
  ['another field', { field: 'apiKey' }],
])('a sealed text that was moved to %s does not open', (_where, moved) => {
  const sealed = sealer.seal('mx0v-secret', binding)
  expect(() => sealer.open(sealed, { ...binding, ...moved })).toThrow(
    expect.objectContaining({ code: 'UNREADABLE_SECRET' }),
  )
})

test.each([
  ['another factor', { adminId: 1, factorRef: 3 }],
  ['another administrator', { adminId: 2, factorRef: 2 }],
])('the secret of an authenticator app that was moved to %s does not open', (_where, moved) => {
  const field = 'totpSecret'
  const sealed = sealer.seal('secret', { adminId: 1, factorRef: 2, field })
  expect(sealer.open(sealed, { adminId: 1, factorRef: 2, field })).toBe('secret')
  expect(() => sealer.open(sealed, { ...moved, field })).toThrow('authenticator app')
})

test('swapping the keys of two clients is found out', () => {
  const [one, two] = [1, 2].map((clientRef) => ({ ...binding, clientRef }))
  const rows = new Map([one, two].map((owner) => [owner, sealer.seal('secret', owner ?? binding)]))
  expect(() => sealer.open(rows.get(two) ?? '', one ?? binding)).toThrow('cannot be opened')
  expect(() => sealer.open(rows.get(one) ?? '', two ?? binding)).toThrow('cannot be opened')
})

test('no byte of a sealed text can be changed unnoticed', () => {
  const [version, keyId, body] = sealer.seal('secret', binding).split('.')
  const bytes = Buffer.from(body ?? '', 'base64url')
  for (const i of bytes.keys()) {
    const altered = Buffer.from(bytes)
    altered.writeUInt8(altered.readUInt8(i) ^ 1, i)
    const text = `${version}.${keyId}.${altered.toString('base64url')}`
    expect(() => sealer.open(text, binding)).toThrow('cannot be opened')
  }
})

// Found by the fuzzer: the decoder of base64url skips what it does not know.
test.each(['.', '.x', '=', '==', ' ', '\n', '!', 'A'])(
  'a sealed text with "%s" behind it or in it does not open',
  (more) => {
    const sealed = sealer.seal('secret', binding)
    for (const text of [sealed + more, `${sealed.slice(0, -4)}${more}${sealed.slice(-4)}`])
      expect(() => sealer.open(text, binding)).toThrow('cannot be opened')
  },
)

test('a sealed text whose last character has other bits left over does not open', () => {
  const sealed = sealer.seal('x', binding)
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const opened = [...letters].filter((letter) => {
    try {
      return sealer.open(sealed.slice(0, -1) + letter, binding) === 'x'
    } catch {
      return false
    }
  })
  expect(opened).toEqual([sealed.at(-1)])
})

test.each(['', 'v1', 'v1.a.b', 'v2.000000000000.AAAA', 'plain text', 'v1..'])(
  'what was never sealed is unreadable, without its text in the error: "%s"',
  (text) => {
    expect(() => sealer.open(text, binding)).toThrow('The stored API secret cannot be opened')
  },
)

test('a text sealed with another master key does not open', () => {
  const sealed = newSealer().seal('secret', binding)
  expect(() => newSealer().open(sealed, binding)).toThrow('cannot be opened')
})

test.each<[SealBinding, string]>([
  [{ ...binding, field: 'passphrase' }, 'an administrator must save the API keys again'],
  [
    { adminId: 1, factorRef: 2, field: 'totpSecret' },
    'use a passkey or a recovery code and add the app again, or have an administrator remove your second factors',
  ],
  [{ field: 'clientSecretKey' }, 'put the right master key back, or restore a backup with its key'],
])('of what does not open the error says what to do: %o', (unreadable, remedy) => {
  const sealed = newSealer().seal('secret', unreadable)
  expect(() => newSealer().open(sealed, unreadable)).toThrow(`of this gateway; ${remedy}`)
})
