import { chownSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { MEMORY_PATH } from '../database-path.ts'
import {
  BackupRunningError,
  CallsRunningError,
  RotationRunningError,
  StoreInUseError,
  StoreUnopenableError,
  WrongUserError,
} from '../errors.ts'
import { openReason } from '../open-reason.ts'

/**
 * Longer than `isGatewayRunning` holds the lock for a test. A lock that is still held after that
 * belongs to a process at work.
 */
const LOOK_MS = 1_000

/** The file that a gateway locks while it uses the database. */
export const lockFileOf = (path: string) => `${path}.lock`
/** The file that a backup locks while it copies the database. */
const backupLockFileOf = (path: string) => `${path}.backup-lock`

/**
 * Locks a database for one gateway. Two gateways would exceed the rate together, and each would
 * settle the other's orders. It is an operating system lock on a file beside the database, so that
 * it ends with the process in every case.
 * @returns a function that unlocks it
 * @throws StoreInUseError, StoreUnopenableError
 */
export function lockStore(path: string): () => void {
  return hold(path, lockFileOf(path), StoreInUseError)
}

/**
 * Locks the master key of a database for one command that changes it, from before it first reads
 * the key file until its end. Two commands would each write the file from what they read, and a key
 * that already seals data would be in no file. A gateway may run at the same time. The lock ends
 * with the process.
 * @returns a function that unlocks it
 * @throws RotationRunningError, StoreUnopenableError, WrongUserError
 */
export function lockMasterKey(path: string): () => void {
  if (path !== MEMORY_PATH) checkOwner(path)
  return hold(path, `${path}.key-lock`, RotationRunningError)
}

/**
 * Locks a database for one backup, while it copies. During it the gateway removes no old rows. The
 * lock ends with the process.
 * @param path of a database that exists
 * @returns a function that unlocks it
 * @throws BackupRunningError, StoreUnopenableError
 */
export function lockBackup(path: string): () => void {
  return holdForOwner(path, backupLockFileOf(path), BackupRunningError)
}

/**
 * Locks the calls to the exchanges for one command: two would exceed the pace together. The lock
 * ends with the process. Before the first start it makes the folder, as that start would.
 * @returns a function that unlocks it
 * @throws CallsRunningError, StoreUnopenableError
 */
export function lockCalls(path: string): () => void {
  return holdForOwner(path, `${path}.calls-lock`, CallsRunningError)
}

/**
 * Root may run the command too. The gateway's user must be able to open what it makes: this gets
 * the owner of the database, or of the folder in which that user would have made the others.
 */
function holdForOwner(path: string, file: string, TakenError: TakenErrors): () => void {
  const there = nearestOf(path)
  const unlock = hold(path, file, TakenError)
  if (process.getuid?.() === 0) {
    const { uid, gid } = statSync(there)
    chownSync(file, uid, gid)
    if (there !== path)
      for (let made = dirname(path); made !== there; made = dirname(made)) chownSync(made, uid, gid)
  }
  return unlock
}

/** The path itself where it exists, and otherwise the first folder above it that does. */
function nearestOf(path: string): string {
  return existsSync(path) ? path : nearestOf(dirname(path))
}

type TakenErrors =
  | typeof StoreInUseError
  | typeof RotationRunningError
  | typeof BackupRunningError
  | typeof CallsRunningError

function hold(path: string, file: string, TakenError: TakenErrors): () => void {
  if (path === MEMORY_PATH) return () => {}
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // No other user may lock the file, so no other user may open it.
    closeSync(openSync(file, 'a', 0o600))
    const lock = new Database(file, { timeout: LOOK_MS })
    lock.exec('BEGIN EXCLUSIVE')
    return () => void lock.close()
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    if (code.startsWith('SQLITE_BUSY')) throw new TakenError(path, { cause })
    throw new StoreUnopenableError(path, `its lock file cannot be made: ${openReason(code)}`, {
      cause,
    })
  }
}

/**
 * Whether a gateway is using the database. Tests its lock without taking it and creates no file, so
 * it never prevents a gateway from starting.
 * @throws StoreUnopenableError
 */
export function isGatewayRunning(path: string): boolean {
  return isHeld(path, lockFileOf(path))
}

/**
 * Whether a backup is copying the database. A backup that was killed does not count.
 * @throws StoreUnopenableError
 */
export function isBackupRunning(path: string): boolean {
  return isHeld(path, backupLockFileOf(path))
}

function isHeld(path: string, file: string): boolean {
  if (path === MEMORY_PATH || !existsSync(file)) return false
  try {
    const lock = new Database(file, { readonly: true, timeout: 0 })
    try {
      lock.prepare('select 1 from sqlite_schema').get()
      return false
    } finally {
      lock.close()
    }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    if (code.startsWith('SQLITE_BUSY')) return true
    throw new StoreUnopenableError(path, `its lock file cannot be read: ${openReason(code)}`, {
      cause,
    })
  }
}

/**
 * Rejects root when the database belongs to another user. Root would replace the key file or the
 * database with one of its own, and the gateway could no longer read it.
 * @param uid of the user that this process runs as; undefined on a system without user ids
 * @throws WrongUserError
 */
export function checkOwner(path: string, uid: number | undefined = process.getuid?.()): void {
  if (uid !== 0) return
  const owner = (
    statSync(path, { throwIfNoEntry: false }) ?? statSync(dirname(path), { throwIfNoEntry: false })
  )?.uid
  if (owner !== undefined && owner !== 0) throw new WrongUserError(path, owner)
}
