import { hash } from 'node:crypto'
import { IdempotencyKeyInvalidError } from '../orders/errors.ts'

/**
 * Reads the Idempotency-Key of a request (IETF draft-07): a quoted string as in the draft, or a
 * bare one.
 * @returns null when there is none
 * @throws IdempotencyKeyInvalidError
 */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  const text = Array.isArray(header) ? header.join(',') : header.trim()
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1]
  const key = quoted === undefined ? text : quoted.replaceAll(/\\(["\\])/g, '$1')
  // Node joins repeated headers with a comma: the result is not one key.
  const isOne = quoted !== undefined || !/[",]/.test(key)
  if (!/^[\x20-\x7e]{1,255}$/.test(key) || !isOne) throw new IdempotencyKeyInvalidError()
  return key
}

/**
 * A hash of a request that does not depend on the white space and the order of fields in its JSON.
 */
export function fingerprintOf(method: string, url: string, body: unknown): string {
  return hash('sha256', JSON.stringify([method, url, body], sortedKeys), 'base64url')
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
