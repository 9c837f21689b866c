import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ExposedMasterKeyError, MasterKeyFileError, MissingMasterKeyError } from './errors.ts'
import { type MasterKey, type Settings, sealingKeyId, toMasterKey } from './master-key.ts'

export interface MasterKeySource {
  /** MASTER_KEY: the key itself, in base64. */
  value?: string | undefined
  /** MASTER_KEY_FILE: a file that has to be there. */
  file?: string | undefined
  /** Beside the database: read when there, made when the database is new. */
  defaultFile: string
  /** The database's, which know whether it was sealed before. */
  settings: Pick<Settings, 'get'>
}

export interface LoadedMasterKey extends MasterKey {
  /** Path of the key file, when this start made it: the person should be told to keep a copy. */
  readonly createdFile?: string
}

/**
 * The master key from the environment, else from its file, else a new one. A database that was
 * sealed before never gets a new one: it could not be opened with it.
 *
 * @throws InvalidMasterKeyError, ExposedMasterKeyError, MasterKeyFileError, MissingMasterKeyError
 */
export async function loadMasterKey(source: MasterKeySource): Promise<LoadedMasterKey> {
  const { value, file, defaultFile, settings } = source
  if (value !== undefined && file !== undefined) {
    throw new MasterKeyFileError(file, 'MASTER_KEY is set as well, keep one of the two')
  }
  if (value !== undefined) return toMasterKey(value, 'MASTER_KEY')
  if (file !== undefined) {
    const named = await readKeyFile(file)
    if (named === undefined) throw new MasterKeyFileError(file, 'there is no such file')
    return named
  }
  const kept = await readKeyFile(defaultFile)
  if (kept !== undefined) return kept
  const expected = await sealingKeyId(settings)
  if (expected !== undefined) throw new MissingMasterKeyError(expected, defaultFile)
  return createKeyFile(defaultFile)
}

async function readKeyFile(path: string): Promise<MasterKey | undefined> {
  try {
    const { mode } = await stat(path)
    // Windows knows no such modes and reports every file as readable by all.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new ExposedMasterKeyError(path, (mode & 0o777).toString(8).padStart(4, '0'))
    }
    return toMasterKey(await readFile(path, 'utf8'), `the file "${path}"`)
  } catch (cause) {
    const code = systemCode(cause)
    if (code === undefined) throw cause
    if (code === 'ENOENT') return undefined
    throw new MasterKeyFileError(path, reasons[code] ?? code, { cause })
  }
}

/**
 * Makes the file in full or not at all, also when the power fails or two gateways start at once:
 * written and synced under another name, then linked to its own, which fails when that exists (the
 * other's key is taken then).
 */
async function createKeyFile(path: string): Promise<LoadedMasterKey> {
  const text = randomBytes(32).toString('base64')
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeSynced(draft, `${text}\n`)
    await link(draft, path)
    await syncFolder(dirname(path))
    return { ...toMasterKey(text, `the file "${path}"`), createdFile: path }
  } catch (cause) {
    const code = systemCode(cause)
    const other = code === 'EEXIST' ? await readKeyFile(path) : undefined
    if (other !== undefined) return other
    throw new MasterKeyFileError(path, reasons[code ?? ''] ?? 'it cannot be made', { cause })
  } finally {
    await rm(draft, { force: true })
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  await file.writeFile(text)
  await file.sync()
}

// A new name survives a power cut once its folder is synced; Windows cannot open folders and needs
// no sync.
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await using folder = await open(path, 'r')
  await folder.sync()
}

function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error
    ? String(error.code)
    : undefined
}

const reasons: Partial<Record<string, string>> = {
  EACCES: 'this user may not read or make it',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
}
