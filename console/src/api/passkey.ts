import type { PasskeyAssertion, PasskeyRegistration } from 'schema'
import * as texts from './factor-texts.ts'

/** The browser or the person ended it. The message says what to do. */
export class PasskeyError extends Error {
  constructor(cause: unknown) {
    super(wordsOf(cause), { cause })
    this.name = 'PasskeyError'
  }
}

const load = () => import('@simplewebauthn/browser')
type Library = Awaited<ReturnType<typeof load>>

/**
 * What a passkey signs for options of the gateway.
 * @throws PasskeyError
 */
export async function signWithPasskey(options: object): Promise<PasskeyAssertion> {
  const { startAuthentication } = await load()
  // The gateway makes them with the server's half of the same library.
  const optionsJSON = options as Parameters<Library['startAuthentication']>[0]['optionsJSON']
  return startAuthentication({ optionsJSON }).catch((error: unknown) => {
    throw new PasskeyError(error)
  })
}

/**
 * A new passkey for options of the gateway.
 * @throws PasskeyError
 */
export async function makePasskey(options: object): Promise<PasskeyRegistration> {
  const { startRegistration } = await load()
  const optionsJSON = options as Parameters<Library['startRegistration']>[0]['optionsJSON']
  return startRegistration({ optionsJSON }).catch((error: unknown) => {
    throw new PasskeyError(error)
  })
}

function wordsOf(error: unknown): string {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError' || name === 'AbortError') return texts.passkeyEnded
  if (name === 'InvalidStateError') return texts.passkeyKnown
  if (name === 'SecurityError') return texts.passkeyPlace
  return window.isSecureContext ? texts.passkeyMissing : texts.passkeyPlace
}
