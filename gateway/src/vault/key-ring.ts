import {
  lacksKey,
  MasterKeyFileError,
  MasterKeyUnavailableError,
  MissingMasterKeyError,
  WrongMasterKeyError,
} from './errors.ts'
import { createKeyFile, readKeyFile } from './key-file.ts'
import { checkValue, fitsCheck, keyIdOf, type MasterKey, toMasterKeys } from './master-key.ts'

/** Facts that the database keeps about itself. */
export interface Facts {
  get(name: string): Promise<string | undefined>
  set(name: string, value: string): Promise<void>
}

export interface KeySource {
  /** MASTER_KEY: the keys themselves. */
  readonly value?: string | undefined
  /** MASTER_KEY_FILE: a file that has to be there. */
  readonly file?: string | undefined
  /** Beside the database: read when there, made when the database is new. */
  readonly defaultFile: string
  /** The database's, which say what it is sealed with. */
  readonly facts: Facts
}

/** The fact that names the key that seals and signs: the database says it, so that all agree at one moment. */
export const CHECK_NAME = 'master_key_check'

/** The master keys at hand. One of them is current: it seals and signs; what older ones sealed and signed still opens. */
export interface KeyRing {
  /** The key file; undefined when the keys are in the environment. */
  readonly file: string | undefined
  /** Whether this start made the key file: the person should be told to keep a copy. */
  readonly isNew: boolean
  /** Oldest first; a rotation goes to the last one. */
  keys(): readonly MasterKey[]
  find(keyId: string): MasterKey | undefined
  /** The key that the database names now. @throws MasterKeyUnavailableError when it is not at hand */
  current(): Promise<MasterKey>
  /**
   * Reads the file again. The keys stay as they were when it cannot be read, or lacks the one that the database names:
   * that one is in use. @throws as loadKeyRing
   */
  reload(): Promise<void>
}

/**
 * The keys from the environment, else from their file, else a new one: a database that was sealed before never gets
 * a new one, for it could not be opened with it. A new database is given the newest key.
 *
 * @throws InvalidMasterKeyError, ExposedMasterKeyError, MasterKeyFileError, MissingMasterKeyError, WrongMasterKeyError
 */
export async function loadKeyRing(source: KeySource): Promise<KeyRing> {
  const { value, file, defaultFile, facts } = source
  if (value !== undefined && file !== undefined) {
    throw new MasterKeyFileError(file, 'MASTER_KEY is set as well, keep one of the two')
  }
  const path = value === undefined ? (file ?? defaultFile) : undefined
  const isNew = path === defaultFile && (await makeIfNew(path, facts))
  const load = async () =>
    path === undefined ? toMasterKeys(value ?? '', 'MASTER_KEY') : readNamed(path)
  /** The id that the database names, and the key of it when it is one of these. */
  const named = async (among: readonly MasterKey[]) => {
    const kept = (await facts.get(CHECK_NAME)) ?? 'none:'
    const keyId = keyIdOf(kept)
    return { keyId, key: among.find((key) => key.keyId === keyId && fitsCheck(key, kept)) }
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

/** @returns true when it made the file */
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
