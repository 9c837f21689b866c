import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import { InvalidMasterKeyError, WrongMasterKeyError } from './errors.ts'

/**
 * The one key that all others derive from. A KeyObject shows nothing when it is logged or printed.
 */
export interface MasterKey {
  readonly key: KeyObject
  /** Twelve hex digits that tell keys apart and say nothing about them. */
  readonly keyId: string
}

/** Where the check value is kept: the database's settings. */
export interface Settings {
  get(name: string): Promise<string | undefined>
  set(name: string, value: string): Promise<void>
}

const keyBytes = 32
const checkName = 'master_key_check'

/**
 * Reads a master key from its base64 text; white space around it is ignored.
 *
 * @param source what the text came from, for the message: a variable's name or a path
 * @throws InvalidMasterKeyError when it is not 32 bytes, or was plainly not drawn at random
 */
export function toMasterKey(text: string, source: string): MasterKey {
  const bytes = Buffer.from(text.trim(), 'base64')
  if (bytes.length !== keyBytes || bytes.toString('base64') !== text.trim()) {
    throw new InvalidMasterKeyError(source, 'it is not 32 bytes in base64 (44 characters)')
  }
  if (isWeak(bytes)) throw new InvalidMasterKeyError(source, 'it was not drawn at random')
  const key = createSecretKey(bytes)
  const keyId = Buffer.from(hkdfSync('sha256', key, '', 'sluice key id', 6)).toString('hex')
  return { key, keyId }
}

/**
 * A 256-bit key for one purpose, by HKDF-SHA256 (RFC 5869): keys of different purposes tell nothing
 * about each other.
 */
export function deriveKey(master: KeyObject, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', master, '', `sluice ${purpose}`, 32)))
}

/**
 * Makes sure that the database was sealed with this key. The first key that a database meets leaves
 * its check value there.
 *
 * @throws WrongMasterKeyError
 */
export async function verifyMasterKey(settings: Settings, master: MasterKey): Promise<void> {
  const given = checkValue(master)
  const kept = await settings.get(checkName)
  if (kept === undefined) return settings.set(checkName, given)
  const isSame =
    kept.length === given.length && timingSafeEqual(Buffer.from(kept), Buffer.from(given))
  if (!isSame) throw new WrongMasterKeyError(keyIdOf(kept), master.keyId)
}

/** The id of the key that the database was sealed with; undefined for a new database. */
export async function sealingKeyId(settings: Pick<Settings, 'get'>): Promise<string | undefined> {
  const kept = await settings.get(checkName)
  return kept === undefined ? undefined : keyIdOf(kept)
}

function checkValue({ key, keyId }: MasterKey): string {
  const check = createHmac('sha256', deriveKey(key, 'master key check')).update(keyId)
  return `${keyId}:${check.digest('base64url')}`
}

function keyIdOf(check: string): string {
  return check.slice(0, check.indexOf(':'))
}

// Each test fails for a random key less than once in 10^13 keys.
function isWeak(bytes: Buffer): boolean {
  const step = (bytes.readUInt8(1) - bytes.readUInt8(0)) & 0xff
  const isSequence = bytes.every((byte, i) => byte === ((bytes.readUInt8(0) + i * step) & 0xff))
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
  const isRepeated = [...Array(keyBytes / 2).keys()].some((i) =>
    bytes.subarray(i + 1).equals(bytes.subarray(0, keyBytes - i - 1)),
  )
  return isSequence || isText || isRepeated || new Set(bytes).size < 12
}
