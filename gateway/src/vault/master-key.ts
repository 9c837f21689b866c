import {
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { link, mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from '../files/files.ts'
import {
  ExposedMasterKeyError,
  InvalidMasterKeyError,
  lacksKey,
  MasterKeyFileError,
} from './errors.ts'

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

/**
 * Reads the keys of a file, oldest first.
 * @returns undefined when there is no such file
 * @throws InvalidMasterKeyError, ExposedMasterKeyError, MasterKeyFileError
 */
export async function readKeyFile(path: string): Promise<readonly MasterKey[] | undefined> {
  try {
    const { mode } = await stat(path)
    // Windows has no such modes and reports every file as readable by all.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new ExposedMasterKeyError(path, (mode & 0o777).toString(8).padStart(4, '0'))
    }
    return toMasterKeys(await readFile(path, 'utf8'), `the file "${path}"`)
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined
    throw toFileError(cause, path)
  }
}

/**
 * Creates a file with a new key, completely or not at all, also when the power fails or two
 * gateways start at once. The file is written and synced under another name and then linked to its
 * own, which fails when that name exists.
 * @returns false when the file already existed
 * @throws MasterKeyFileError
 */
export async function createKeyFile(path: string): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeDraft(path, [newKey()], (draft) => link(draft, path))
    return true
  } catch (cause) {
    if (systemCode(cause) === 'EEXIST') return false
    throw toFileError(cause, path)
  }
}

/**
 * Adds a new key to the end of a file, completely or not at all.
 * @param currentId of the key that the database names
 * @throws MasterKeyFileError
 */
export async function addToKeyFile(path: string, currentId: string): Promise<void> {
  await replaceKeyFile(path, currentId, (texts) => [...texts, newKey()])
}

/**
 * Removes keys from a file, completely or not at all.
 * @param currentId of the key that the database names
 * @throws MasterKeyFileError
 */
export async function removeFromKeyFile(
  path: string,
  keyIds: readonly string[],
  currentId: string,
): Promise<void> {
  await replaceKeyFile(path, currentId, (texts) =>
    texts.filter((text) => !keyIds.includes(toMasterKey(text, `the file "${path}"`).keyId)),
  )
}

/**
 * Replaces a key file, but never with one that lacks the current key: that key would exist nowhere
 * else. Follows a link and replaces its target.
 */
async function replaceKeyFile(
  named: string,
  currentId: string,
  change: (texts: readonly string[]) => readonly string[],
): Promise<void> {
  let path = named
  try {
    path = await realpath(named)
    const texts = change((await readFile(path, 'utf8')).trim().split(/[\s,]+/))
    if (!texts.some((text) => toMasterKey(text, `the file "${path}"`).keyId === currentId))
      throw new MasterKeyFileError(path, lacksKey(currentId))
    await removeDrafts(path)
    await writeDraft(path, texts, (draft) => rename(draft, path))
  } catch (cause) {
    throw toFileError(cause, path)
  }
}

/**
 * Removes the drafts that a killed command left beside the file, because they contain keys. Only
 * one command at a time changes a file. A person's copy, such as `master.key.202601311200`, is not
 * a draft.
 */
async function removeDrafts(path: string): Promise<void> {
  const folder = dirname(path)
  const isDraft = (name: string) =>
    name.startsWith(`${basename(path)}.`) && /\.[0-9a-f]{12}\.draft$/.test(name)
  for (const name of (await readdir(folder)).filter(isDraft)) await rm(join(folder, name))
}

async function writeDraft(
  path: string,
  texts: readonly string[],
  give: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.draft`
  try {
    await writeSynced(draft, `${texts.join('\n')}\n`)
    await give(draft)
    await syncFolder(dirname(path))
  } finally {
    await rm(draft, { force: true })
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  await file.writeFile(text)
  await file.sync()
}

const newKey = () => randomBytes(32).toString('base64')

function toFileError(cause: unknown, path: string): unknown {
  const code = systemCode(cause)
  return code === undefined ? cause : new MasterKeyFileError(path, reasons[code] ?? code, { cause })
}

function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error
    ? String(error.code)
    : undefined
}

const reasons: Partial<Record<string, string>> = {
  EACCES: 'this user may not read or make it',
  EBUSY: 'it is a mount of its own and cannot be replaced; change it at its source',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file',
  ENOSPC: 'the disk is full',
  EROFS: 'it is on a read-only file system; change it at its source',
}
