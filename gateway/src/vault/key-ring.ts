import type { KeyObject } from 'node:crypto'
import { statOf } from '../files/files.ts'
import {
  ExposedMasterKeyError,
  InvalidMasterKeyError,
  lacksKey,
  MasterKeyFileError,
  MasterKeyNeededError,
  MasterKeyUnavailableError,
  MissingMasterKeyError,
  WrongMasterKeyError,
} from './errors.ts'
import {
  checkValue,
  createKeyFile,
  deriveKey,
  fitsCheck,
  keyIdOf,
  type MasterKey,
  readKeyFile,
  toMasterKeys,
} from './master-key.ts'

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

export interface KeyWatchDeps {
  readonly ring: Pick<KeyRing, 'file' | 'keys' | 'reload'>
  /** Tells commands which keys are loaded. */
  readonly announce: (keyIds: readonly string[]) => Promise<void>
  /** Called after the file was read again, with the ids of the loaded keys. */
  readonly onChange: (keyIds: readonly string[]) => void
  /** Called when the file cannot be used. The loaded keys stay. */
  readonly onError: (error: unknown) => void
  /**
   * Called when the database could not be asked which key is current, or the loaded keys could not
   * be recorded in it. The next look tries again.
   */
  readonly onStoreError: (error: unknown) => void
  /** Time between two looks at the file, in ms. */
  readonly everyMs?: number | undefined
}

const LOOK_EVERY_MS = 2_000

/**
 * Loads new keys from the key file while the gateway runs, and records them in the database: a
 * rotation seals nothing with a key before the gateway has loaded it. Polls the file, which works
 * on every file system.
 * @returns a function that stops the watch
 * @throws StoreUnwritableError when the first record fails, and what reading the file throws
 */
export async function watchKeys(deps: KeyWatchDeps): Promise<() => void> {
  const { ring, announce, onChange, onError, onStoreError, everyMs = LOOK_EVERY_MS } = deps
  const { file } = ring
  const loadedIds = () => ring.keys().map(({ keyId }) => keyId)
  let seen: string | undefined
  let recorded: string | undefined

  /** The stamp is taken before the file is read, so that the next look sees a change in between. */
  async function reloadIfChanged(path: string): Promise<boolean> {
    const stamp = await stampOf(path)
    if (stamp === seen) return false
    try {
      await ring.reload()
    } catch (error) {
      if (isAboutFile(error)) seen = stamp
      throw error
    }
    seen = stamp
    return true
  }

  async function record(): Promise<void> {
    const ids = loadedIds().join()
    if (ids === recorded) return
    await announce(loadedIds())
    recorded = ids
  }

  if (file === undefined) {
    await record()
    return () => {}
  }
  // Reads once more, for changes since the start read the file.
  await reloadIfChanged(file)
  await record()

  let isStopped = false
  let timer = setTimeout(look, everyMs, file).unref()
  async function look(path: string): Promise<void> {
    const isChanged = await reloadIfChanged(path).catch((error: unknown) =>
      isAboutFile(error) ? onError(error) : onStoreError(error),
    )
    await record().catch(onStoreError)
    if (isChanged === true) onChange(loadedIds())
    if (!isStopped) timer = setTimeout(look, everyMs, path).unref()
  }
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

/** Whether only another file helps. */
const isAboutFile = (error: unknown): boolean =>
  error instanceof MasterKeyFileError ||
  error instanceof InvalidMasterKeyError ||
  error instanceof ExposedMasterKeyError

/** A text that changes when the file does. For a file that cannot be examined, it is the reason. */
async function stampOf(path: string): Promise<string> {
  const found = await statOf(path).catch((error: NodeJS.ErrnoException) => error)
  if (found === undefined || found instanceof Error) return String(found?.code)
  const { ino, size, mtimeMs, ctimeMs } = found
  return [ino, size, mtimeMs, ctimeMs].join()
}

export interface TokenKeys {
  /** The key that signs new tokens. */
  signing(): Promise<KeyObject>
  /** The keys that may have signed a valid token, newest first. */
  verifying(): readonly KeyObject[]
}

/**
 * The keys of one kind of token. A token signed with an older master key stays valid until that key
 * is removed from the ring.
 */
export function createTokenKeys(
  ring: Pick<KeyRing, 'keys' | 'current'>,
  purpose: 'admin token' | 'client token',
): TokenKeys {
  const derive = oncePerMasterKey(({ key }) => deriveKey(key, purpose))
  return {
    signing: async () => derive(await ring.current()),
    verifying: () => ring.keys().map(derive).toReversed(),
  }
}

/** A key that two nodes share because they have the same master key. */
export interface NodeKey {
  /** The id of the master key. It is sent in clear, and reveals nothing about the key. */
  readonly identity: string
  readonly psk: Buffer
}

export interface NodeKeys {
  /** What a node offers when it connects to another one: newest first. */
  offered(): readonly NodeKey[]
  /** The key of an identity; undefined when this node does not have the master key. */
  find(identity: string): NodeKey | undefined
}

/**
 * The keys by which the nodes of a group know each other: one for each master key in the ring, so
 * that a rotation does not separate nodes that have the new key from nodes that do not have it yet.
 */
export function createNodeKeys(ring: Pick<KeyRing, 'keys' | 'find'>): NodeKeys {
  const derive = oncePerMasterKey(({ key, keyId }) => ({
    identity: keyId,
    psk: deriveKey(key, 'node channel').export(),
  }))
  return {
    offered: () => ring.keys().map(derive).toReversed(),
    find(identity) {
      const master = ring.find(identity)
      return master === undefined ? undefined : derive(master)
    },
  }
}

function oncePerMasterKey<Derived>(
  derive: (master: MasterKey) => Derived,
): (master: MasterKey) => Derived {
  const derived = new WeakMap<MasterKey, Derived>()
  return (master) => {
    const known = derived.get(master) ?? derive(master)
    derived.set(master, known)
    return known
  }
}
