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

interface ClientSecret {
  /** `sls_` and 43 characters: 256 random bits. Shown once, never stored. */
  secret: string
  /**
   * HMAC-SHA256 with a key that is not in the database: a copy of the database is not enough to
   * sign in.
   */
  hash: string
  /** The first 8 and the last 4 characters. */
  preview: string
}

/**
 * Creates and verifies the secrets of client credentials.
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

    /**
     * Which of the hashes the secret matches; -1 for none. The time depends on how many hashes
     * there are, not on which one matches.
     */
    match(secret: string, hashes: readonly string[]): number {
      const given = hashOf(secret)
      let match = -1
      for (const [i, hash] of hashes.entries()) {
        const expected = Buffer.from(hash, 'base64url')
        if (expected.length === given.length && timingSafeEqual(expected, given)) match = i
      }
      return match
    },

    /**
     * A hash that no secret matches. Verifying against it for an unknown client takes the same time
     * as for a known one.
     */
    dummyHash: randomBytes(32).toString('base64url'),
  }
}
export type ClientSecrets = ReturnType<typeof createClientSecrets>

/** The fact that holds the key of the client secrets, sealed. */
export const CLIENT_SECRET_KEY_NAME = 'client_secret_key'

/**
 * The key of the keyed hashes. It stays the same when the master key changes, because the hashes
 * cannot be computed again without the secrets: it is derived from a database's first master key
 * and stored sealed from then on.
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
