import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { SecondFactorRow } from '../../store/second-factor-store.ts'

const CHALLENGE_BYTES = 32
const USER_ID_BYTES = 32
/** How long the browser waits for the person. */
const TIMEOUT_MS = 120_000

/**
 * What a passkey of a page has to sign.
 * @param origin of the request, undefined when there is none
 * @returns undefined when the console is not at that origin, or its host is an address: a passkey
 * is for a host name
 */
export function newChallenge(
  origin: string | undefined,
  consoleOrigins: readonly string[],
): PasskeyChallenge | undefined {
  if (origin === undefined || !consoleOrigins.includes(origin)) return undefined
  const rpId = new URL(origin).hostname
  if (isIP(rpId.replaceAll(/[[\]]/g, '')) !== 0) return undefined
  return { challenge: randomBytes(CHALLENGE_BYTES).toString('base64url'), origin, rpId }
}

type PasskeyRow = Pick<SecondFactorRow, 'credentialId' | 'transports' | 'rpId' | 'kind'>

const descriptorsOf = (rows: readonly PasskeyRow[], rpId: string) =>
  rows.flatMap(({ kind, credentialId, transports, rpId: of }) =>
    kind === 'passkey' && credentialId !== null && of === rpId
      ? [{ id: credentialId, type: 'public-key', transports: [...(transports ?? [])] }]
      : [],
  )

/**
 * What the page gives to `navigator.credentials.get`.
 * @returns undefined when the person has no passkey for this host
 */
export function requestOptions(
  { challenge, rpId }: PasskeyChallenge,
  factors: readonly PasskeyRow[],
): Record<string, unknown> | undefined {
  const allowCredentials = descriptorsOf(factors, rpId)
  if (allowCredentials.length === 0) return undefined
  const userVerification = 'preferred'
  return { challenge, rpId, allowCredentials, userVerification, timeout: TIMEOUT_MS }
}

/**
 * What the page gives to `navigator.credentials.create`. The id of the user is random each time: an
 * authenticator would replace a passkey of the same id, also that of another gateway on this host.
 */
export function creationOptions(
  { challenge, rpId }: PasskeyChallenge,
  email: string,
  factors: readonly PasskeyRow[],
): Record<string, unknown> {
  return {
    challenge,
    rp: { id: rpId, name: 'Sluice' },
    user: {
      id: randomBytes(USER_ID_BYTES).toString('base64url'),
      ...{ name: email, displayName: email },
    },
    pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: descriptorsOf(factors, rpId),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    attestation: 'none',
    timeout: TIMEOUT_MS,
  }
}

/** Ed25519, P-256 and RSA (RFC 8152, 8.1 and 8.2; RFC 8812): what authenticators have. */
export const PASSKEY_ALGORITHMS = [-8, -7, -257]

/** What a passkey signs, and for which page. */
export interface PasskeyChallenge {
  readonly challenge: string
  readonly origin: string
  readonly rpId: string
}

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

/** What the thread sends back: the passkey as it is to be stored, or why it is refused. */
export type FromPasskeyWorker =
  | { readonly id: number; readonly passkey: NewPasskey }
  | { readonly id: number; readonly refused: string }

const CHALLENGE_MS = 300_000
const CHALLENGES_MAX = 1_000

/** What it is asked for, and in which session. */
interface ChallengeKey {
  readonly purpose: 'registration' | 'confirmation'
  readonly jti: string
}

interface StoredChallenge {
  readonly challenge: PasskeyChallenge
  readonly expiresAtMs: number
}

/** What passkeys of people who are signed in have to sign: the last challenge of each, once. */
export class Challenges {
  readonly #nowMs: () => number
  readonly #kept = new Map<string, StoredChallenge>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  keep(key: ChallengeKey, challenge: PasskeyChallenge): void {
    const name = nameOf(key)
    // The oldest one comes first in the map.
    this.#kept.delete(name)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= CHALLENGES_MAX && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(name, { challenge, expiresAtMs: this.#nowMs() + CHALLENGE_MS })
  }

  /** The challenge, which is forgotten now; undefined when there is none. */
  take(key: ChallengeKey): PasskeyChallenge | undefined {
    const name = nameOf(key)
    const kept = this.#kept.get(name)
    this.#kept.delete(name)
    const leftMs = (kept?.expiresAtMs ?? 0) - this.#nowMs()
    // A clock that was set back makes none last longer.
    return leftMs > 0 && leftMs <= CHALLENGE_MS ? kept?.challenge : undefined
  }
}

function nameOf({ purpose, jti }: ChallengeKey): string {
  return `${purpose} ${jti}`
}
