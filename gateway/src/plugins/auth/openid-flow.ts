import {
  createCipheriv,
  createDecipheriv,
  createHash,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import type { OPENID_PURPOSES, OpenIdProof } from 'schema'
import type { OpenIdClaims } from './openid-provider.ts'

/** How long a person may take at the provider. */
export const FLOW_MS = 600_000

/** A sign-in at the provider that is under way: what its browser keeps for the gateway. */
export interface OpenIdFlow {
  readonly purpose: (typeof OPENID_PURPOSES)[number]
  /** The console that the browser returns to. */
  readonly origin: string
  /** The SHA-256 of what the page keeps. */
  readonly challenge: string
  readonly state: string
  readonly nonce: string
  /** Of PKCE. */
  readonly verifier: string
  readonly expiresAtMs: number
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Seals what a browser keeps in a cookie during the sign-in. The key is made anew at each start: a
 * sign-in that is under way then has to begin again.
 */
export class FlowSeal {
  readonly #key = randomBytes(32)
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  seal(flow: OpenIdFlow): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    const sealed = [cipher.update(JSON.stringify(flow), 'utf8'), cipher.final()]
    return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]).toString('base64url')
  }

  /** Undefined when this process did not seal the text, or when it has expired. */
  open(sealed: string): OpenIdFlow | undefined {
    const bytes = Buffer.from(sealed, 'base64url')
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
    const nonce = bytes.subarray(0, NONCE_BYTES)
    const cipher = createDecipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG_BYTES })
    cipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    let text: string
    try {
      text = cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8')
      text += cipher.final('utf8')
    } catch {
      return undefined // A browser that sends another text begins again.
    }
    // Only this class has the key, so it is what `seal` was given.
    const flow = JSON.parse(text) as OpenIdFlow
    const leftMs = flow.expiresAtMs - this.#nowMs()
    // A clock that was set back makes none last longer.
    return leftMs > 0 && leftMs <= FLOW_MS ? flow : undefined
  }
}

const COOKIE = 'sluice_openid'

/** The cookie of a flow; null removes it. It goes to the callback alone, and no script reads it. */
export function cookieOf(sealed: string | null, isSecure: boolean): string {
  return [
    `${COOKIE}=${sealed ?? ''}`,
    `Max-Age=${sealed === null ? 0 : FLOW_MS / 1000}`,
    'Path=/auth/openid',
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ')
}

/** The sealed flow in a Cookie header; empty when there is none. */
export function sealedIn(header: string | undefined): string {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1) ?? ''
}

const CODE_MS = 60_000
const CODES_MAX = 1_000

interface StoredCode {
  readonly flow: Pick<OpenIdFlow, 'purpose' | 'challenge'>
  readonly claims: OpenIdClaims
  readonly expiresAtMs: number
}

/**
 * One-time codes for what the provider said of a person. A page gets one in its address, and shows
 * it with what only that page knows.
 */
export class OpenIdCodes {
  readonly #nowMs: () => number
  readonly #kept = new Map<string, StoredCode>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  make(flow: StoredCode['flow'], claims: OpenIdClaims): string {
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= CODES_MAX && oldest !== undefined) this.#kept.delete(oldest)
    const code = randomBytes(32).toString('base64url')
    this.#kept.set(code, { flow, claims, expiresAtMs: this.#nowMs() + CODE_MS })
    return code
  }

  /**
   * What the provider said; the code is used up, also by a wrong verifier.
   * @returns undefined when there is no such code for the purpose, or the verifier is wrong
   */
  take({ code, verifier }: OpenIdProof, purpose: OpenIdFlow['purpose']): OpenIdClaims | undefined {
    const kept = this.#kept.get(code)
    this.#kept.delete(code)
    if (kept === undefined || kept.flow.purpose !== purpose) return undefined
    const leftMs = kept.expiresAtMs - this.#nowMs()
    // A clock that was set back makes none last longer.
    if (leftMs <= 0 || leftMs > CODE_MS) return undefined
    const shown = createHash('sha256').update(verifier).digest()
    const expected = Buffer.from(kept.flow.challenge, 'base64url')
    const isRight = expected.length === shown.length && timingSafeEqual(shown, expected)
    return isRight ? kept.claims : undefined
  }
}
