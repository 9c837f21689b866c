import {
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import type { Facts, KeyRing } from './key-ring.ts'
import { deriveKey } from './master-key.ts'
import type { Sealing } from './sealing.ts'

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
 * @param key of this database, see `clientSecretKey`
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

/** The fact in which the key of the client secrets is kept, sealed. */
export const CLIENT_SECRET_KEY_NAME = 'client_secret_key'

/**
 * The key of the keyed hashes. It stays the same when the master key changes, because nobody could make the hashes
 * anew without the secrets: it is derived from the first master key of a database and kept sealed from then on.
 *
 * @throws UnreadableSecretError
 */
export async function clientSecretKey(
  facts: Facts,
  ring: Pick<KeyRing, 'current'>,
  sealing: Sealing,
): Promise<KeyObject> {
  const binding = { field: 'clientSecretKey' } as const
  const sealed = await facts.get(CLIENT_SECRET_KEY_NAME)
  if (sealed !== undefined)
    return createSecretKey(Buffer.from(sealing.open(sealed, binding), 'base64'))
  const key = deriveKey((await ring.current()).key, 'client secret')
  const text = key.export().toString('base64')
  await facts.set(CLIENT_SECRET_KEY_NAME, (await sealing.current()).seal(text, binding))
  return key
}
