import Database from 'better-sqlite3'
import { StoreDamagedError, StoreUnwritableError } from './errors.ts'
import type { Db } from './open.ts'

// Primary result codes of SQLite (sqlite.org/rescode.html); extended ones begin with them.
const UNWRITABLE = /^SQLITE_(FULL|BUSY|LOCKED|READONLY|IOERR|CANTOPEN|NOMEM|PERM|AUTH)/

/**
 * Runs a write, again and again while another process holds the database. What the disk or that process causes becomes
 * a StoreUnwritableError, so that a caller is told to try again; anything else, such as a broken constraint, passes as
 * it is. A database that is known to be damaged is not written any more.
 *
 * @param work must do all or nothing: one statement, or a transaction that begins as `immediate`
 * @throws StoreUnwritableError, StoreDamagedError
 */
export async function writing<T>(
  { patiently, damage }: Pick<Db, 'patiently' | 'damage'>,
  work: () => T,
): Promise<T> {
  damage.requireNone()
  try {
    return await patiently(work)
  } catch (error) {
    throw toStoreError(damage.classify(error))
  }
}

/**
 * The error a caller may see for one thrown by SQLite; the same one when it is not about the disk.
 */
export function toStoreError(error: unknown): unknown {
  return error instanceof Database.SqliteError && UNWRITABLE.test(error.code)
    ? new StoreUnwritableError({ cause: error })
    : error
}

/** Whether the database itself failed, and every other write would too. */
export function isStoreFailure(error: unknown): error is Error {
  return error instanceof StoreUnwritableError || error instanceof StoreDamagedError
}

/** Whether a write failed because the value stands in another row already. */
export function isTaken(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_CONSTRAINT_UNIQUE'
}

/** Whether a write failed because the row that it refers to is gone. */
export function isOrphan(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY'
}
