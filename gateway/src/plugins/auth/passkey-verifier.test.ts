import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { SoftwareAuthenticator } from '../../../test/support/software-authenticator.ts'
import { PATIENCE_MS, PasskeyVerifier, type PasskeyVerifierOptions } from './passkey-verifier.ts'
import type { PasskeyCheck } from './passkeys.ts'

const CHECK: PasskeyCheck = {
  type: 'assertion',
  expected: { challenge: 'q', origin: 'http://localhost', rpId: 'localhost' },
  passkey: { credentialId: 'AQ', publicKey: 'oA', counter: 0 },
  response: {
    ...{ id: 'AQ', rawId: 'AQ', type: 'public-key', clientExtensionResults: {} },
    response: { clientDataJSON: 'e30', authenticatorData: 'AQ', signature: 'AQ' },
  },
}

function verifier(options: PasskeyVerifierOptions = {}) {
  const made = new PasskeyVerifier(options)
  onTestFinished(() => made.close())
  return made
}

test('what the library throws is a refusal that says why, and the thread keeps running', async () => {
  const passkeys = verifier()
  for (let n = 0; n < 3; n += 1)
    await expect(passkeys.check(CHECK)).rejects.toMatchObject({
      ...{ code: 'PASSKEY_REFUSED' },
      cause: { message: expect.stringContaining('response type') },
    })
})

// To check one, the library would ask servers that its certificates name. One thread checks all:
// to start one takes longer than a check.
const passkeys = new PasskeyVerifier({})
afterAll(() => passkeys.close())

test.each(['tpm', 'android-key', 'apple', 'fido-u2f', 'android-safetynet'])(
  'the certificates of an attestation by %s are not looked at',
  async (format) => {
    const { expected } = CHECK
    const key = new SoftwareAuthenticator({ origin: expected.origin })
    const response: RegistrationResponseJSON = {
      ...key.create(expected, {}, format),
      ...{ type: 'public-key', authenticatorAttachment: 'cross-platform' },
      clientExtensionResults: {},
      response: { ...key.create(expected, {}, format).response, transports: ['usb'] },
    }
    await expect(passkeys.check({ type: 'registration', expected, response })).rejects.toThrow(
      expect.objectContaining({ cause: new Error('No attestation was asked for') }),
    )
  },
)

test('the thread ends when it has nothing to do, and starts again', async () => {
  const passkeys = verifier({ idleMs: 1 })
  expect(passkeys.isRunning).toBe(false)
  for (let n = 0; n < 2; n += 1) {
    await expect(passkeys.check(CHECK)).rejects.toMatchObject({ code: 'PASSKEY_REFUSED' })
    await expect.poll(() => passkeys.isRunning).toBe(false)
  }
})

test('a check that takes too long, and one too many, asks to try again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const slow = verifier()
  const late = slow.check(CHECK)
  vi.advanceTimersByTime(PATIENCE_MS)
  await expect(late).rejects.toMatchObject({ code: 'SIGN_IN_BUSY' })
  expect(slow.isRunning).toBe(false)
  const full = verifier()
  const checks = Array.from({ length: 50 }, () => full.check(CHECK))
  expect(() => full.check(CHECK)).toThrow(expect.objectContaining({ code: 'SIGN_IN_BUSY' }))
  const results = await Promise.allSettled(checks)
  expect(results.map(({ status }) => status)).toEqual(Array(50).fill('rejected'))
})

test('when the gateway stops, what is still checked fails', async () => {
  const passkeys = verifier()
  const check = passkeys.check(CHECK)
  await Promise.all([expect(check).rejects.toThrow('stops'), passkeys.close()])
})
