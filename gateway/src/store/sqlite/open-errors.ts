import Database from 'better-sqlite3'
import { NotOurDatabaseError, StoreUnopenableError } from '../errors.ts'
import { openReason } from '../open-reason.ts'

/**
 * Turns an error while opening or reading a database into one with a message for the operator.
 * Other errors stay as they are.
 */
export function toOpenError(cause: unknown, path: string): unknown {
  const isSystemError = cause instanceof Database.SqliteError || isErrno(cause)
  if (!isSystemError) return cause
  if (cause.code === 'SQLITE_NOTADB') {
    return new NotOurDatabaseError(path, 'it is not an SQLite file', { cause })
  }
  return new StoreUnopenableError(path, openReason(cause.code), { cause })
}

function isErrno(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error
}
