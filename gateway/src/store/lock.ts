import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { checkOwner } from './check-owner.ts'
import { MEMORY_PATH } from './database-path.ts'
import { RotationRunningError, StoreInUseError, StoreUnopenableError } from './errors.ts'
import { openReason } from './open-errors.ts'

/** Longer than a look at the lock holds it up (`isGatewayRunning`); who has the lock for good is refused after it. */
const LOOK_MS = 1_000

/** The file that a gateway locks while it runs on the database. */
export const lockFileOf = (path: string) => `${path}.lock`

/**
 * Holds a database for one gateway: two would keep the pace twice and each fail the other's orders. The lock is the
 * operating system's, on a file beside the database, so that it ends with the process however that ends.
 * Returns what lets go.
 * @throws StoreInUseError, StoreUnopenableError
 */
export function lockStore(path: string): () => void {
  return hold(path, lockFileOf(path), StoreInUseError)
}

/**
 * Holds the master key of a database for one command that changes it, from before its first look at the key file until
 * its end: two would write the file from what each read, and a key that seals already would be in no file. Beside a
 * gateway; ends with the process as the other lock does. Returns what lets go.
 * @throws RotationRunningError, StoreUnopenableError, WrongUserError
 */
export function lockMasterKey(path: string): () => void {
  if (path !== MEMORY_PATH) checkOwner(path)
  return hold(path, `${path}.key-lock`, RotationRunningError)
}

function hold(
  path: string,
  file: string,
  TakenError: typeof StoreInUseError | typeof RotationRunningError,
): () => void {
  if (path === MEMORY_PATH) return () => {}
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // Nobody else may hold it, so nobody else may open it.
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
