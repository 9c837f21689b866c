import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { OpenIdProof } from 'schema'
import type { OpenIdFlow } from './openid-flow.ts'
import type { OpenIdClaims } from './openid-provider.ts'

const LIFE_MS = 60_000
const KEPT_MAX = 1_000

interface Kept {
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
  readonly #kept = new Map<string, Kept>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  make(flow: Kept['flow'], claims: OpenIdClaims): string {
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest)
    const code = randomBytes(32).toString('base64url')
    this.#kept.set(code, { flow, claims, expiresAtMs: this.#nowMs() + LIFE_MS })
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
    if (leftMs <= 0 || leftMs > LIFE_MS) return undefined
    const shown = createHash('sha256').update(verifier).digest()
    const expected = Buffer.from(kept.flow.challenge, 'base64url')
    const isRight = expected.length === shown.length && timingSafeEqual(shown, expected)
    return isRight ? kept.claims : undefined
  }
}
