import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import { InvalidMasterKeyError } from './errors.ts'

/**
 * A key that other keys derive from. A KeyObject does not reveal its bytes when it is logged or
 * printed.
 */
export interface MasterKey {
  readonly key: KeyObject
  /** Twelve hex digits that identify the key and reveal nothing about it. */
  readonly keyId: string
}

const KEY_BYTES = 32

/**
 * Parses a master key from base64; surrounding white space is ignored.
 * @param source where the text came from, for the message: a variable's name or a path
 * @throws InvalidMasterKeyError when it is not 32 bytes, or is clearly not random
 */
export function toMasterKey(text: string, source: string): MasterKey {
  const bytes = Buffer.from(text.trim(), 'base64')
  if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== text.trim()) {
    throw new InvalidMasterKeyError(source, 'it is not 32 bytes in base64 (44 characters)')
  }
  if (isWeak(bytes)) throw new InvalidMasterKeyError(source, 'it does not look random')
  const key = createSecretKey(bytes)
  const keyId = Buffer.from(hkdfSync('sha256', key, '', 'sluice key id', 6)).toString('hex')
  return { key, keyId }
}

/**
 * Parses keys that are separated by white space or commas, oldest first: a rotation adds the new
 * one at the end.
 * @throws InvalidMasterKeyError when one of them is invalid
 */
export function toMasterKeys(text: string, source: string): readonly MasterKey[] {
  const keys = text
    .trim()
    .split(/[\s,]+/)
    .map((part) => toMasterKey(part, source))
  return [...new Map(keys.map((key) => [key.keyId, key])).values()]
}

/**
 * Derives a 256-bit key for one purpose by HKDF-SHA256 (RFC 5869). A key for one purpose reveals
 * nothing about a key for another.
 */
export function deriveKey(master: KeyObject, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', master, '', `sluice ${purpose}`, 32)))
}

/**
 * What a database stores about its current key: the id, and a value that proves that a given key is
 * that one.
 */
export function checkValue({ key, keyId }: MasterKey): string {
  const check = createHmac('sha256', deriveKey(key, 'master key check')).update(keyId)
  return `${keyId}:${check.digest('base64url')}`
}

/** The id of the key that a check value was computed with. */
export function keyIdOf(check: string): string {
  return check.slice(0, check.indexOf(':'))
}

/** Whether the check value was computed with this key, in constant time. */
export function fitsCheck(master: MasterKey, check: string): boolean {
  const own = Buffer.from(checkValue(master))
  const kept = Buffer.from(check)
  return own.length === kept.length && timingSafeEqual(own, kept)
}

// Each test fails for a random key less than once in 10^13 keys.
function isWeak(bytes: Buffer): boolean {
  const step = (bytes.readUInt8(1) - bytes.readUInt8(0)) & 0xff
  const isSequence = bytes.every((byte, i) => byte === ((bytes.readUInt8(0) + i * step) & 0xff))
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
  const isRepeated = [...Array(KEY_BYTES / 2).keys()].some((i) =>
    bytes.subarray(i + 1).equals(bytes.subarray(0, KEY_BYTES - i - 1)),
  )
  return isSequence || isText || isRepeated || new Set(bytes).size < 12
}
