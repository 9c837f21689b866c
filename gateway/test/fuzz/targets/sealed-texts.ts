import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { UnreadableSecretError } from '../../../src/vault/errors.ts'
import { toMasterKey } from '../../../src/vault/master-key.ts'
import { createSealer, type SealBinding } from '../../../src/vault/sealing.ts'
import { editedText, hostileText } from '../hostile.ts'
import type { Target } from '../target.ts'

const binding: fc.Arbitrary<SealBinding> = fc.oneof(
  fc.record({
    clientRef: fc.oneof(fc.constantFrom(1, 2, 11), fc.nat()),
    exchange: fc.constantFrom('mx', 'bg', '', '1'),
    field: fc.constantFrom('apiKey' as const, 'apiSecret' as const, 'passphrase' as const),
  }),
  fc.record({
    adminId: fc.constantFrom(1, 2, 11),
    factorRef: fc.constantFrom(1, 2, 11),
    field: fc.constant('totpSecret' as const),
  }),
  fc.constant({ field: 'clientSecretKey' as const }),
)

const change = fc.oneof(
  fc.record({
    kind: fc.constant('byte' as const),
    at: fc.nat(),
    bits: fc.integer({ min: 1, max: 255 }),
  }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('edit' as const), with: editedText(fc.constant('\u0000')) }),
  fc.record({ kind: fc.constant('text' as const), at: fc.nat(), put: hostileText }),
  fc.record({
    kind: fc.constant('tail' as const),
    put: fc.constantFrom('.', '=', '==', ' ', '.x', '\n', 'A'),
  }),
  fc.record({ kind: fc.constant('move' as const), to: binding }),
  fc.record({ kind: fc.constant('key' as const) }),
  fc.record({ kind: fc.constant('nothing' as const) }),
)

const input = fc.record({ text: hostileText, binding, change })

/** A sealed text opens as it was sealed, for its row and field, and in no other case. */
export const sealedTexts: Target = {
  name: 'sealed-texts',
  about: 'sealed texts of the vault: changed, cut, moved to another row or field',
  weight: 120,
  open: async () => {
    const newKey = () => toMasterKey(randomBytes(32).toString('base64'), 'the fuzzer')
    const [sealer, other] = [createSealer(newKey()), createSealer(newKey())]
    return {
      property: fc.property(input, ({ text: given, binding: own, change: made }) => {
        const text = given.toWellFormed()
        const sealed = sealer.seal(text, own)
        const changed = applyChange(sealed, made)
        const at = made.kind === 'move' ? made.to : own
        const opener = made.kind === 'key' ? other : sealer
        const isSame =
          changed === sealed &&
          made.kind !== 'key' &&
          JSON.stringify(sorted(at)) === JSON.stringify(sorted(own))
        try {
          const opened = opener.open(changed, at)
          assert.ok(isSame, `it opens although it was changed (${made.kind})`)
          assert.equal(opened, text)
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error
          assert.ok(error instanceof UnreadableSecretError, `another error: ${error}`)
          assert.ok(!isSame, 'it does not open although nothing was changed')
          const said = `${error.message} ${error.stack}`
          assert.ok(text.length < 12 || !said.includes(text), 'the error has the plain text')
        }
      }),
    }
  },
}

const sorted = (binding: SealBinding) => Object.entries(binding).toSorted()

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function applyChange(sealed: string, made: Change): string {
  switch (made.kind) {
    case 'byte': {
      const [version, keyId, body = ''] = sealed.split('.')
      const bytes = Buffer.from(body, 'base64url')
      const at = made.at % bytes.length
      bytes[at] = (bytes[at] ?? 0) ^ made.bits
      return `${version}.${keyId}.${bytes.toString('base64url')}`
    }
    case 'cut':
      return sealed.slice(0, made.at % sealed.length)
    case 'edit':
      return made.with.replaceAll('\u0000', sealed)
    case 'text': {
      const at = made.at % sealed.length
      return sealed.slice(0, at) + made.put + sealed.slice(at)
    }
    case 'tail':
      return sealed + made.put
    default:
      return sealed
  }
}
