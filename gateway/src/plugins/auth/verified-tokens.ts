import { hash, type KeyObject } from 'node:crypto'
import type { Claims } from './tokens.ts'

/** The most tokens that are remembered; the oldest make room. */
const TOKENS_MAX = 10_000

export interface VerifiedToken {
  /** The key that verified the signature. */
  readonly key: KeyObject
  readonly claims: Claims
}

/**
 * Remembers which tokens have a valid signature, because verifying one costs more than everything
 * else that is checked of a request. Only the signature and the claims are remembered, by the hash
 * of the token: whether the token was revoked, has expired or belongs to an active client is
 * checked at each request. A token counts as long as the key that verified it is loaded.
 */
export class VerifiedTokens {
  readonly #tokens = new Map<string, VerifiedToken>()

  /**
   * @param verifying the keys that are loaded
   * @param verify called for a token that is not remembered; what it throws is passed on
   */
  get(token: string, verifying: readonly KeyObject[], verify: () => VerifiedToken): Claims {
    const digest = hash('sha256', token, 'base64')
    const known = this.#tokens.get(digest)
    if (known !== undefined && verifying.includes(known.key)) return known.claims
    const verified = verify()
    this.#tokens.delete(digest)
    if (this.#tokens.size >= TOKENS_MAX) {
      const [oldest] = this.#tokens.keys()
      if (oldest !== undefined) this.#tokens.delete(oldest)
    }
    this.#tokens.set(digest, verified)
    return verified.claims
  }
}
