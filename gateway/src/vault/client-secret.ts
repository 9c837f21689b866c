import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'

export interface ClientSecret {
  /** `sls_` and 43 characters: 256 random bits. Shown once, never kept. */
  secret: string
  /**
   * HMAC-SHA256 under a key that is not in the database, so that a copy of the database signs
   * nobody in.
   */
  hash: string
  /** The first 8 and the last 4 characters. */
  preview: string
}

/**
 * Makes and checks the secrets of client credentials.
 *
 * @param key derived from the master key for this purpose
 */
export function createClientSecrets({ key }: { key: KeyObject }) {
  const hashOf = (secret: string) => createHmac('sha256', key).update(secret, 'utf8').digest()

  return {
    make(): ClientSecret {
      const secret = `sls_${randomBytes(32).toString('base64url')}`
      const preview = `${secret.slice(0, 8)}...${secret.slice(-4)}`
      return { secret, hash: hashOf(secret).toString('base64url'), preview }
    },

    /** Whether the secret has the hash, in a time that does not depend on either. */
    verify(secret: string, hash: string): boolean {
      const expected = Buffer.from(hash, 'base64url')
      const given = hashOf(secret)
      return expected.length === given.length && timingSafeEqual(expected, given)
    },

    /**
     * A hash that no secret has: what to verify against when the client is unknown, to take the
     * same time.
     */
    dummyHash: randomBytes(32).toString('base64url'),
  }
}
export type ClientSecrets = ReturnType<typeof createClientSecrets>
