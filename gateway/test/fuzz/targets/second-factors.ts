import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { parseLossless } from '../../../src/exchanges/protocol/lossless.ts'
import { codeAt, stepAt, stepOf } from '../../../src/plugins/auth/factor-check.ts'
import { PasskeyVerifier } from '../../../src/plugins/auth/passkey-verifier.ts'
import type { PasskeyCheck } from '../../../src/plugins/auth/passkeys.ts'
import { createRecoveryCodes } from '../../../src/vault/password.ts'
import { SoftwareAuthenticator } from '../../support/software-authenticator.ts'
import { isDeclared } from '../declared.ts'
import { editedText, hostileText, mutatedJson } from '../hostile.ts'
import type { Target } from '../target.ts'

const ORIGIN = 'https://console.test'
const EXPECTED = { challenge: 'Y2hhbGxlbmdl', origin: ORIGIN, rpId: 'console.test' }

const key = new SoftwareAuthenticator({ origin: ORIGIN })
const made = key.create(EXPECTED)
const shown = key.get(EXPECTED)

const code = fc.record({
  type: fc.constant('code' as const),
  text: fc.oneof(
    fc.stringMatching(/^\d{6}$/),
    hostileText,
    fc.constantFrom('', '000000', '١٢٣٤٥٦', '123 456', '-12345', '1e5000'),
    fc.constantFrom('right', 'right', 'before', 'after', 'old'),
  ),
  edit: fc.option(editedText(fc.constant('\u0000')), { nil: undefined }),
  lastStep: fc.option(fc.integer({ min: -3, max: 3 }), { nil: null }),
})
const recovery = fc.record({
  type: fc.constant('recovery' as const),
  edit: fc.oneof(
    editedText(fc.constant('\u0000')),
    fc.constantFrom('\u0000', ' \u0000', '\u0000-'),
  ),
})
const passkey = fc.record({
  type: fc.constantFrom('registration' as const, 'assertion' as const),
  text: fc.oneof(mutatedJson(made), mutatedJson(shown), mutatedJson({ response: made.response })),
})
const input = fc.oneof(
  { weight: 4, arbitrary: code },
  { weight: 2, arbitrary: recovery },
  { weight: 1, arbitrary: passkey },
)

/** Only the code of now, each once; only what the passkey of the account has signed. */
export const secondFactors: Target = {
  name: 'second-factors',
  about: 'codes of authenticator apps, recovery codes, messages of passkeys',
  weight: 60,
  open: async () => {
    const secret = randomBytes(20)
    const codes = createRecoveryCodes({ key: createSecretKey(randomBytes(32)) })
    const verifier = new PasskeyVerifier()
    // Its thread does not keep the process running, as a listening gateway does.
    const awake = setInterval(() => {}, 60_000)
    // What an honest key signs is accepted: otherwise every refusal below would prove nothing.
    const stored = await verifier.check(checkOf('registration', made))
    await verifier.check({ ...checkOf('assertion', shown), passkey: stored } as PasskeyCheck)
    return {
      property: fc.asyncProperty(input, async (given) => {
        if (given.type === 'code') return checkCode(given, secret)
        if (given.type === 'recovery') return checkRecovery(given.edit, codes)
        const response = parse(given.text)
        if (typeof response !== 'object' || response === null) return
        const check = { ...checkOf(given.type, response), passkey: stored } as PasskeyCheck
        try {
          const { credentialId, publicKey } = await verifier.check(check)
          assert.equal(publicKey, stored.publicKey, 'another key is accepted')
          assert.equal(credentialId, stored.credentialId, 'another passkey is accepted')
        } catch (error) {
          if (!isDeclared(error)) throw error
          assert.equal(error.code, 'PASSKEY_REFUSED')
        }
      }),
      async close() {
        clearInterval(awake)
        await verifier.close()
      },
    }
  },
}

function checkOf(type: PasskeyCheck['type'], response: unknown): PasskeyCheck {
  return { type, expected: EXPECTED, response } as PasskeyCheck
}

function checkCode(
  { text, edit, lastStep }: typeof code extends fc.Arbitrary<infer T> ? T : never,
  secret: Buffer,
): void {
  const atMs = 1_790_000_000_000
  const now = stepAt(atMs)
  const named: Record<string, number> = { right: 0, before: -1, after: 1, old: -2 }
  const ahead = Object.hasOwn(named, text) ? named[text] : undefined
  const base = ahead === undefined ? text : codeAt(secret, now + ahead)
  const given = edit === undefined ? base : edit.replaceAll('\u0000', base)
  const last = lastStep === null ? null : now + lastStep
  const step = stepOf(given, secret, { atMs, lastStep: last })
  const right = [now - 1, now, now + 1].find(
    (each) => each > (last ?? -1) && codeAt(secret, each) === given,
  )
  assert.equal(step, right, 'a code counts that should not, or one does not that should')
}

function checkRecovery(edit: string, codes: ReturnType<typeof createRecoveryCodes>): void {
  const [real = '', other = ''] = codes.make()
  const typed = edit.replaceAll('\u0000', real)
  const letters = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  const isSame = codes.hashOf(1, typed) === codes.hashOf(1, real)
  assert.equal(isSame, letters(typed) === letters(real), 'another code has the same hash')
  assert.notEqual(codes.hashOf(1, real), codes.hashOf(2, real), 'a code counts for two people')
  assert.notEqual(codes.hashOf(1, real), codes.hashOf(1, other))
}

/** As a route reads a body: what is no JSON, or nested too deep, does not reach passkeys. */
function parse(text: string): unknown {
  return parseLossless(text)?.value
}
