import { DrizzleQueryError } from 'drizzle-orm/errors'
import pg from 'pg'
import {
  CommitUnknownError,
  PostgresDamagedError,
  StoreLostError,
  StoreUnwritableError,
} from '../errors.ts'

/**
 * What PostgreSQL or the connection to it reported. It has neither the values of the statement nor
 * the `detail` of the server, which quotes rows: they may be secrets.
 */
export class PostgresError extends Error {
  override readonly name = 'PostgresError'
  /** An SQLSTATE, or the code of a system error; empty when there is none. */
  readonly code: string
  /** The constraint or unique index that was violated. */
  readonly constraint: string | undefined
  /** Whether the connection is over: what was sent last may or may not have had its effect. */
  readonly isLost: boolean

  constructor(cause: Error) {
    // Several addresses of a host that all refuse come as one error without a message.
    super(cause.message === '' ? codeOf(cause) : cause.message)
    this.code = codeOf(cause)
    this.constraint = cause instanceof pg.DatabaseError ? cause.constraint : undefined
    this.isLost = isFromServer(cause) ? ENDS_SESSION.test(this.code) : true
    if (cause.stack !== undefined) this.stack = cause.stack
  }
}

const codeOf = (error: Error): string =>
  'code' in error && typeof error.code === 'string' ? error.code : ''

// SQLSTATEs: postgresql.org/docs/current/errcodes-appendix.html.

/** The server ends the session, or there is none: 57P05 and 25P03 are its time limits. */
const ENDS_SESSION = /^(08...|57P0[1235]|25P03|53300|28...|3D000)$/
/**
 * It cannot be written: no space, memory or connection, a system error, a read-only server, a
 * statement or a lock that took too long, a right that was taken away.
 */
const UNWRITABLE = /^(53...|58...|25006|57014|55P03|42501)$/
const DAMAGED = /^XX00[12]$/
/** Serialization failure and deadlock: the same transaction succeeds when it is run again. */
const CONFLICT = /^40(001|P01)$/

/** A timeout of the pool and a lost connection come without a code. */
const isFromServer = (error: Error): boolean => error instanceof pg.DatabaseError

/**
 * Turns what a statement threw into an error that a caller may see, or into a PostgresError. An
 * error that has nothing to do with the database stays as it is.
 */
export function toStoreError(thrown: unknown): unknown {
  const cause = thrown instanceof DrizzleQueryError ? thrown.cause : thrown
  if (!(cause instanceof Error) || !isOfDatabase(cause)) return cause
  const error = new PostgresError(cause)
  if (DAMAGED.test(error.code)) return new PostgresDamagedError({ cause: error })
  if (error.isLost) return new StoreLostError({ cause: error })
  return UNWRITABLE.test(error.code) ? new StoreUnwritableError({ cause: error }) : error
}

/** What a lost connection becomes when it was lost while a transaction was committed. */
export function toCommitError(thrown: unknown): unknown {
  const error = toStoreError(thrown)
  return isLost(error) ? new CommitUnknownError({ cause: reported(error) }) : error
}

/** Whether there was no connection, so that the server never got the statement. */
export function isUnsent(error: unknown): boolean {
  const { code, message } = reported(error) ?? { code: '', message: '' }
  return NOT_CONNECTED.test(code) || /when trying to connect|connection timeout/.test(message)
}

const NOT_CONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENOENT|57P03|53300|28...|3D000)$/

/** Whether the connection is over. */
export const isLost = (error: unknown): boolean => reported(error)?.isLost === true

/** Whether two transactions were in each other's way, and nothing of this one was done. */
export const isConflict = (error: unknown): boolean => CONFLICT.test(reported(error)?.code ?? '')

/** Whether a lock was not given in time, or only by a deadlock's end: others use the tables. */
export const isInTheWay = (error: unknown): boolean =>
  /^(55P03|40P01)$/.test(reported(toStoreError(error))?.code ?? '')

/** Whether a write failed because another row already has the value. */
export const isTaken = (error: unknown): boolean => reported(error)?.code === '23505'

/** Whether a write failed because a value is null that must not be. */
export const isNullRefused = (error: unknown): boolean => reported(error)?.code === '23502'

/** Whether a write failed because the row that it refers to does not exist. */
export const isOrphan = (error: unknown): boolean => reported(error)?.code === '23503'

/** What PostgreSQL reported, from what `toStoreError` made of it. */
export function reported(error: unknown): PostgresError | undefined {
  if (error instanceof PostgresError) return error
  return error instanceof Error && error.cause instanceof PostgresError ? error.cause : undefined
}

/** Messages of `pg` and `pg-pool`, whose errors have no code and no class. */
const OF_DRIVER =
  /^(Connection terminated|Connection ended|Query read timeout|timeout expired|timeout exceeded when trying to connect|Client (was closed|has encountered a connection error)|Cannot use a pool after calling end|The server does not support SSL|There was an error establishing an SSL)/

function isOfDatabase(error: Error): boolean {
  if (error instanceof PostgresError) return false
  if (isFromServer(error) || OF_DRIVER.test(error.message)) return true
  // Of a socket, of a name that cannot be resolved, or of TLS.
  return 'code' in error && typeof error.code === 'string' && SYSTEM_CODE.test(error.code)
}

const SYSTEM_CODE = /^(E[A-Z_]+|CERT_.+|DEPTH_ZERO_.+|SELF_SIGNED_.+|UNABLE_TO_.+)$/
