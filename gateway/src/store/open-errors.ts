import Database from 'better-sqlite3'
import { NotOurDatabaseError, StoreUnopenableError } from './errors.ts'

/** What an operator is told of an error that came while a database was opened or read; others stay as they are. */
export function toOpenError(cause: unknown, path: string): unknown {
  const isSystemError = cause instanceof Database.SqliteError || isErrno(cause)
  if (!isSystemError) return cause
  if (cause.code === 'SQLITE_NOTADB') {
    return new NotOurDatabaseError(path, 'it is not an SQLite file', { cause })
  }
  return new StoreUnopenableError(path, reasons[cause.code] ?? cause.code, { cause })
}

function isErrno(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

const reasons: Partial<Record<string, string>> = {
  EACCES: 'this user may not write it',
  EISDIR: 'it is a folder',
  ENOENT: 'its folder cannot be made',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is not a folder',
  EROFS: 'the file system is read-only',
  SQLITE_BUSY: 'another process holds it',
  SQLITE_CANTOPEN: 'it is not there, or this user may not use it',
  SQLITE_CORRUPT: 'it is damaged; restore a backup',
  SQLITE_FULL: 'the disk is full',
  SQLITE_READONLY: 'it is read-only',
}
