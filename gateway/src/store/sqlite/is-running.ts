import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { MEMORY_PATH } from '../database-path.ts'
import { StoreUnopenableError } from '../errors.ts'
import { openReason } from '../open-reason.ts'
import { backupLockFileOf, lockFileOf } from './lock.ts'

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
