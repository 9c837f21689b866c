import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import type { SecondFactorRow } from '../../store/second-factor-store.ts'
import { PASSKEY_ALGORITHMS } from './passkey-messages.ts'
import type { PasskeyChallenge } from './waiting-sign-ins.ts'

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
