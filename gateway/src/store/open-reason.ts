import {
  CommitUnknownError,
  isStoreFailure,
  StoreLostError,
  StoreReplacedError,
  StoreSilentError,
  StoreUnwritableError,
} from './errors.ts'

/**
 * The message for an operator when a process cannot write the database at its start: the error's
 * own message is for callers and mentions a request. Undefined for any other error.
 */
export function unwritableText(error: unknown): string | undefined {
  if (!(error instanceof StoreUnwritableError)) return undefined
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'it takes nothing'
  return `The database cannot be written: ${openReason(code)}`
}

/** What a running gateway with a database that says nothing reports to an operator. */
export const SILENT_TEXT = 'the store cannot be written: the database does not respond'

/**
 * Why a running gateway cannot use its database, for an operator. Undefined for an error that is no
 * failure of the database.
 */
export function storeFailureText(error: unknown): string | undefined {
  if (!isStoreFailure(error)) return undefined
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const [why = ''] = openReason(code).split(';')
  // All errors with one code are instances of one another.
  switch (error.constructor) {
    case StoreSilentError:
      return SILENT_TEXT
    case StoreReplacedError:
      return 'PostgreSQL was replaced by a standby or a backup: this process ends'
    case StoreLostError:
    case CommitUnknownError:
      return `the store cannot be written: PostgreSQL cannot be reached${code === '' ? '' : ` (${code})`}`
    case StoreUnwritableError:
      return `the store cannot be written: ${why === '' ? 'it takes nothing' : why}`
    default:
      return error.message
  }
}

/**
 * Why a file cannot be opened or written, by the error code of the system or of SQLite, and what to
 * do.
 */
export function openReason(code: string): string {
  if (code.startsWith('SQLITE_CORRUPT')) return DAMAGED
  return reasons[code] ?? (code.startsWith('SQLITE_IOERR') ? `${IO} (${code})` : code)
}

const FULL =
  'the disk is full; make room, a few MB are enough, and start it again. What was stored is safe'
const DAMAGED =
  'it is damaged; keep a copy of the database files, check them with "npm run doctor", and restore the latest backup, or what "npm run salvage" can still read'
const IO = 'the disk is full or fails; make room, or see to the disk, and start it again'

const reasons: Partial<Record<string, string>> = {
  EACCES: 'this user may not write it',
  EISDIR: 'it is a folder',
  ENOENT: 'its folder cannot be made',
  ENOSPC: FULL,
  ENOTDIR: 'a part of its path is not a folder',
  EROFS: 'the file system is read-only',
  SQLITE_BUSY: 'another process holds it',
  SQLITE_CANTOPEN: 'it is not there, or this user may not use it',
  SQLITE_FULL: FULL,
  SQLITE_READONLY: 'it is read-only',
}
