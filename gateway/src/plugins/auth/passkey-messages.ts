import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { PasskeyChallenge } from './waiting-sign-ins.ts'

/** Ed25519, P-256 and RSA (RFC 8152, 8.1 and 8.2; RFC 8812): what authenticators have. */
export const PASSKEY_ALGORITHMS = [-8, -7, -257]

/** A passkey as it is stored; key and id in base64url. */
export interface StoredPasskey {
  readonly credentialId: string
  readonly publicKey: string
  readonly counter: number
}

/** A passkey that a browser has just made. */
export interface NewPasskey extends StoredPasskey {
  readonly transports: readonly string[]
}

/** What is checked. */
export type PasskeyCheck =
  | {
      readonly type: 'registration'
      readonly expected: PasskeyChallenge
      readonly response: RegistrationResponseJSON
    }
  | {
      readonly type: 'assertion'
      readonly expected: PasskeyChallenge
      readonly response: AuthenticationResponseJSON
      readonly passkey: StoredPasskey
    }

/** What the thread is asked. */
export interface ToPasskeyWorker {
  readonly id: number
  readonly check: PasskeyCheck
}

/** What the thread answers: the passkey as it is to be stored, or why it is refused. */
export type FromPasskeyWorker =
  | { readonly id: number; readonly passkey: NewPasskey }
  | { readonly id: number; readonly refused: string }
