import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { memoryPath } from './database-path.ts'
import { StoreInUseError, StoreUnopenableError } from './errors.ts'

/**
 * Holds a database for one gateway: two would keep the pace twice and each fail the other's orders. The lock is the
 * operating system's, on a file beside the database, so that it ends with the process however that ends.
 * Returns what lets go.
 * @throws StoreInUseError, StoreUnopenableError
 */
export function lockStore(path: string): () => void {
  if (path === memoryPath) return () => {}
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // Nobody else may hold it, so nobody else may open it.
    closeSync(openSync(`${path}.lock`, 'a', 0o600))
    const lock = new Database(`${path}.lock`, { timeout: 0 })
    lock.exec('BEGIN EXCLUSIVE')
    return () => void lock.close()
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    if (code.startsWith('SQLITE_BUSY')) throw new StoreInUseError(path, { cause })
    throw new StoreUnopenableError(path, `its lock file cannot be made (${code})`, { cause })
  }
}
