import {
  lacksKey,
  MasterKeyFileError,
  MasterKeyNeededError,
  MasterKeyUnavailableError,
  MissingMasterKeyError,
  WrongMasterKeyError,
} from './errors.ts'
import { createKeyFile, readKeyFile } from './key-file.ts'
import { checkValue, fitsCheck, keyIdOf, type MasterKey, toMasterKeys } from './master-key.ts'

/** The facts that the database keeps about itself. */
export interface Facts {
  get(name: string): Promise<string | undefined>
  set(name: string, value: string): Promise<void>
}

export interface KeySource {
  /** MASTER_KEY: the keys themselves. */
  readonly value?: string | undefined
  /** MASTER_KEY_FILE: a file that must exist. */
  readonly file?: string | undefined
  /**
   * The file beside the database: read when it exists, created when the database is new. Undefined
   * for a database that is not a file: then the key must be given.
   */
  readonly defaultFile: string | undefined
  /** The facts of the database say which key sealed it. */
  readonly facts: Facts
}

/**
 * The fact that names the current key. It is in the database, so that all processes switch at the
 * same moment.
 */
export const CHECK_NAME = 'master_key_check'

/**
 * The loaded master keys. The current one seals and signs; older ones still open what they sealed
 * and verify what they signed.
 */
export interface KeyRing {
  /** The key file; undefined when the keys come from the environment. */
  readonly file: string | undefined
  /** Whether this start created the key file: the operator should keep a copy of it. */
  readonly isNew: boolean
  /** Oldest first. A rotation makes the last one current. */
  keys(): readonly MasterKey[]
  find(keyId: string): MasterKey | undefined
  /**
   * The key that the database names now.
   * @throws MasterKeyUnavailableError when it is not loaded
   */
  current(): Promise<MasterKey>
  /**
   * Reads the file again. When the file cannot be read, or lacks the current key, the loaded keys
   * stay.
   * @throws as loadKeyRing
   */
  reload(): Promise<void>
}

/**
 * Loads the keys from the environment, else from their file, else creates one. A database that is
 * already sealed never gets a new key, because that key could not open it. A new database uses the
 * newest key.
 * @throws InvalidMasterKeyError, ExposedMasterKeyError, MasterKeyFileError, MasterKeyNeededError,
 * MissingMasterKeyError, WrongMasterKeyError
 */
export async function loadKeyRing(source: KeySource): Promise<KeyRing> {
  const { value, file, defaultFile, facts } = source
  if (value !== undefined && file !== undefined) {
    throw new MasterKeyFileError(file, 'MASTER_KEY is set as well, keep one of the two')
  }
  const path = value === undefined ? (file ?? defaultFile) : undefined
  if (value === undefined && path === undefined) throw new MasterKeyNeededError()
  const isNew = path !== undefined && path === defaultFile && (await makeIfNew(path, facts))
  const load = async () =>
    path === undefined ? toMasterKeys(value ?? '', 'MASTER_KEY') : readNamed(path)
  let last:
    | { kept: string; among: readonly MasterKey[]; keyId: string; key: MasterKey | undefined }
    | undefined
  /** The id of the key that the database names, and that key if it is among these. */
  const named = async (among: readonly MasterKey[]) => {
    const kept = (await facts.get(CHECK_NAME)) ?? 'none:'
    // Each token that is issued asks for the current key; comparing it takes 30 µs.
    if (kept === last?.kept && among === last.among) return last
    const keyId = keyIdOf(kept)
    const key = among.find((each) => each.keyId === keyId && fitsCheck(each, kept))
    last = { kept, among, keyId, key }
    return last
  }
  let keys = await load()

  const ring: KeyRing = {
    file: path,
    isNew,
    keys: () => keys,
    find: (keyId) => keys.find((key) => key.keyId === keyId),
    async current() {
      const { keyId, key } = await named(keys)
      if (key !== undefined) return key
      throw new MasterKeyUnavailableError({ cause: new WrongMasterKeyError(keyId, idsOf(keys)) })
    },
    async reload() {
      const found = await load()
      const { keyId, key } = await named(found)
      if (key === undefined) throw new MasterKeyFileError(path ?? 'MASTER_KEY', lacksKey(keyId))
      keys = found
    },
  }
  const newest = keys.at(-1)
  if (newest !== undefined && (await facts.get(CHECK_NAME)) === undefined)
    await facts.set(CHECK_NAME, checkValue(newest))
  const { keyId, key } = await named(keys)
  if (key === undefined) throw new WrongMasterKeyError(keyId, idsOf(keys))
  return ring
}

const idsOf = (keys: readonly MasterKey[]) => keys.map(({ keyId }) => keyId).join(', ')

/** @returns true when it created the file */
async function makeIfNew(path: string, facts: Facts): Promise<boolean> {
  if ((await readKeyFile(path)) !== undefined) return false
  const kept = await facts.get(CHECK_NAME)
  if (kept !== undefined) throw new MissingMasterKeyError(keyIdOf(kept), path)
  return createKeyFile(path)
}

async function readNamed(path: string): Promise<readonly MasterKey[]> {
  const keys = await readKeyFile(path)
  if (keys === undefined) throw new MasterKeyFileError(path, 'there is no such file')
  return keys
}
