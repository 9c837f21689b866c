import { beginOpenId, type OpenIdProof, urlOf } from 'schema'
import { tabNote } from '../components/browser-storage.ts'
import { gatewayUrl } from './gateway-url.ts'

type Purpose = 'sign-in' | 'confirm'

/** What a page keeps while somebody signs in at the provider. */
export interface OpenIdKeys {
  readonly verifier: string
  /** Its SHA-256, which the gateway gets. */
  readonly challenge: string
}

/** What the browser returned with: a one-time code, or the code of an error. */
export interface OpenIdReturn {
  readonly purpose: Purpose
  readonly challenge: string
  readonly code: string
  readonly error: string | null
}

/** @throws DOMException or TypeError on a page that is not secure */
export async function makeOpenIdKeys(): Promise<OpenIdKeys> {
  const verifier = toText(crypto.getRandomValues(new Uint8Array(32)))
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { verifier, challenge: toText(new Uint8Array(hash)) }
}

/** The address that leads to the provider, once the gateway's is known. */
export function openIdAddress({ challenge }: OpenIdKeys, purpose: Purpose): string {
  const query = { challenge, purpose, origin: window.location.origin }
  return `${gatewayUrl()}${urlOf(beginOpenId, { query })}`
}

export function readOpenIdReturn(hash: string): OpenIdReturn {
  const fields = new URLSearchParams(hash.slice(1))
  return {
    purpose: fields.get('purpose') === 'confirm' ? 'confirm' : 'sign-in',
    challenge: fields.get('challenge') ?? '',
    code: fields.get('code') ?? '',
    error: fields.get('error'),
  }
}

/**
 * Windows tell each other on it: the provider's pages part a window from the one that opened it.
 */
export const openIdChannel = () => new BroadcastChannel('sluice.openid')

/** What a sign-in in this tab will need when it returns. */
interface OpenIdNote {
  readonly verifier: string
  /** Where the person was going, path and query. */
  readonly path: string
}

export const openIdNotes = tabNote<OpenIdNote>('sluice.openid')

export const proofOf = (code: string, { verifier }: Pick<OpenIdKeys, 'verifier'>): OpenIdProof => ({
  code,
  verifier,
})

/** Base64url (RFC 4648, 5). */
function toText(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}
