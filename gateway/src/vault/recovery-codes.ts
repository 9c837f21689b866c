import { createHmac, type KeyObject, randomInt } from 'node:crypto'
import { deriveKey } from './master-key.ts'

/** How many codes a person gets at once. */
export const RECOVERY_CODES = 10

// Without 0, 1, l and o, so that a code can be read from paper.
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789'
const GROUP = 5

/**
 * Creates and hashes the recovery codes of administrators. A code has 50 random bits. Its hash is
 * an HMAC-SHA256 with a key that is not in the database: a copy of the database is not enough to
 * guess one.
 * @param key of this database, see `clientSecretKey`; another key is derived from it
 */
export function createRecoveryCodes({ key }: { key: KeyObject }) {
  const hashKey = deriveKey(key, 'recovery code')

  return {
    /** Ten codes, to be shown once. */
    make(): string[] {
      return Array.from({ length: RECOVERY_CODES }, () => `${group()}-${group()}`)
    },

    /** Of a code as it was typed: upper case, spaces and dashes make no difference. */
    hashOf(adminId: number, code: string): string {
      const letters = code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
      return createHmac('sha256', hashKey).update(`${adminId} ${letters}`).digest('base64url')
    },
  }
}
export type RecoveryCodes = ReturnType<typeof createRecoveryCodes>

function group(): string {
  return Array.from({ length: GROUP }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}
