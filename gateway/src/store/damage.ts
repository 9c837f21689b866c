import Database from 'better-sqlite3'
import { StoreDamagedError } from './errors.ts'

/**
 * Whether SQLite found the database file damaged. Once known it stays known until the process ends: a damaged file does
 * not heal, and each further write may destroy what could still be saved.
 */
export class Damage {
  #cause: unknown
  #isKnown = false
  readonly #listeners: Array<(error: Error) => void> = []

  get isKnown(): boolean {
    return this.#isKnown
  }

  /** Remembers what was found. The first finding is the one that is reported. */
  report(cause: unknown): void {
    if (this.#isKnown) return
    this.#isKnown = true
    this.#cause = cause
    for (const listener of this.#listeners) listener(this.#toError())
  }

  /** Calls back once, at once when the damage is known already. The listener must not throw. */
  onFound(listener: (error: Error) => void): void {
    if (this.#isKnown) listener(this.#toError())
    else this.#listeners.push(listener)
  }

  /** @throws StoreDamagedError */
  requireNone(): void {
    if (this.#isKnown) throw this.#toError()
  }

  /** The error to throw for one that SQLite threw: a StoreDamagedError when it found damage, else the same. */
  classify(error: unknown): unknown {
    if (!isDamage(error)) return error
    this.report(error)
    return this.#toError()
  }

  /** Makes every statement of a connection report damage, so that no caller has to ask for it. `iterate` is not covered. */
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
    // The statement is the one that better-sqlite3 made; its type parameters are the caller's to name.
    client.prepare = prepare as typeof client.prepare
  }

  /** A new one each time: callers add to an error what it meant for their request. */
  #toError(): Error {
    return new StoreDamagedError({ cause: this.#cause })
  }
}

/** Lets a start go on without the step that failed: readiness, the alert and the refused orders report the damage. */
export function passOverDamage(error: unknown): void {
  if (!(error instanceof StoreDamagedError)) throw error
}

/** Primary result codes and their extended ones (sqlite.org/rescode.html). */
export function isDamage(error: unknown): boolean {
  return (
    error instanceof Database.SqliteError &&
    /^SQLITE_(CORRUPT|NOTADB|IOERR_CORRUPTFS)/.test(error.code)
  )
}
