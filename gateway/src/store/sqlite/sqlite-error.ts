import Database from 'better-sqlite3'
import {
  NotOurDatabaseError,
  StoreDamagedError,
  StoreUnopenableError,
  StoreUnwritableError,
} from '../errors.ts'
import { openReason } from '../open-reason.ts'

// Primary result codes of SQLite (sqlite.org/rescode.html); extended codes begin with them.
const UNWRITABLE = /^SQLITE_(FULL|BUSY|LOCKED|READONLY|IOERR|CANTOPEN|NOMEM|PERM|AUTH)/

/**
 * Turns an SQLite error about the disk into an error that a caller may see; returns any other error
 * unchanged.
 */
export function toStoreError(error: unknown): unknown {
  return error instanceof Database.SqliteError && UNWRITABLE.test(error.code)
    ? new StoreUnwritableError({ cause: error })
    : error
}

/** Whether a write failed because another row already has the value. */
export function isTaken(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_CONSTRAINT_UNIQUE'
}

/** Whether a write failed because the row that it refers to does not exist. */
export function isOrphan(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_CONSTRAINT_FOREIGNKEY'
}

/** Primary result codes and their extended codes (sqlite.org/rescode.html). */
export function isDamage(error: unknown): boolean {
  return (
    error instanceof Database.SqliteError &&
    /^SQLITE_(CORRUPT|NOTADB|IOERR_CORRUPTFS)/.test(error.code)
  )
}

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

/**
 * Whether SQLite has found damage in the database file. Once found, it is reported until the
 * process ends: a damaged file does not repair itself, and each further write may destroy data that
 * could still be saved.
 */
export class Damage {
  #cause: unknown
  #isKnown = false
  readonly #listeners: Array<(error: Error) => void> = []

  get isKnown(): boolean {
    return this.#isKnown
  }

  /** Records damage. Only the first report counts. */
  report(cause: unknown): void {
    if (this.#isKnown) return
    this.#isKnown = true
    this.#cause = cause
    for (const listener of this.#listeners) listener(this.#toError())
  }

  /** Calls back once, immediately if damage is already known. The listener must not throw. */
  onFound(listener: (error: Error) => void): void {
    if (this.#isKnown) listener(this.#toError())
    else this.#listeners.push(listener)
  }

  /** @throws StoreDamagedError */
  requireNone(): void {
    if (this.#isKnown) throw this.#toError()
  }

  /**
   * Returns a StoreDamagedError for an SQLite error about damage, and any other error unchanged.
   */
  classify(error: unknown): unknown {
    if (!isDamage(error)) return error
    this.report(error)
    return this.#toError()
  }

  /**
   * Makes every statement of a connection report damage, so that callers need not check. `iterate`
   * is not covered.
   */
  watch(client: Database.Database): void {
    const guarded =
      <A extends unknown[], R>(call: (...args: A) => R) =>
      (...args: A): R => {
        try {
          return call(...args)
        } catch (error) {
          throw this.classify(error)
        }
      }
    const prepare = guarded((sql: string) => {
      const statement = Database.prototype.prepare.call(client, sql)
      statement.run = guarded(statement.run.bind(statement))
      statement.get = guarded(statement.get.bind(statement))
      statement.all = guarded(statement.all.bind(statement))
      return statement
    })
    // better-sqlite3 made the statement; the caller names its type parameters.
    client.prepare = prepare as typeof client.prepare
  }

  /** A new error each time, because callers add properties for their request to it. */
  #toError(): Error {
    return new StoreDamagedError({ cause: this.#cause })
  }
}
