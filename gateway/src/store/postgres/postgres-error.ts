import { DrizzleQueryError } from 'drizzle-orm/errors'
import pg from 'pg'
import {
  CommitUnknownError,
  PostgresDamagedError,
  StoreDamagedError,
  StoreLostError,
  StoreUnopenableError,
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

/** Whether two transactions conflicted, and nothing of this one was done. */
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
function reported(error: unknown): PostgresError | undefined {
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

/** Whether PostgreSQL reported damaged data (XX001, XX002). Nothing is written from then on. */
export class Damage {
  #found: Error | undefined
  #listener: ((error: Error) => void) | undefined

  /** Takes note of an error that says so, and returns it. */
  watch(error: unknown): unknown {
    if (!(error instanceof StoreDamagedError)) return error
    const isFirst = this.#found === undefined
    this.#found ??= error
    if (isFirst) this.#listener?.(error)
    return error
  }

  /** @throws StoreDamagedError */
  requireNone(): void {
    if (this.#found !== undefined) throw this.#found
  }

  /** Calls back once, when damage is found. The listener must not throw. */
  onFound(listener: (error: Error) => void): void {
    this.#listener = listener
    if (this.#found !== undefined) listener(this.#found)
  }
}

/**
 * Turns an error while connecting or migrating into one with a message for the operator. An error
 * that has nothing to do with the database stays as it is.
 * @param name of the database, without the password
 */
export function toOpenError(thrown: unknown, name: string): unknown {
  const found = reasonOf(thrown)
  return found === undefined
    ? thrown
    : new StoreUnopenableError(name, found.reason, { cause: found.cause })
}

/** What PostgreSQL reported, for an operator; undefined when it is no error of it. */
export function reasonOf(thrown: unknown): { reason: string; cause: Error } | undefined {
  const cause = reported(toStoreError(thrown))
  return cause && { reason: openReason(cause.code, cause.message), cause }
}

/** What is wrong, by the error's code, and what to do. */
function openReason(code: string, message: string): string {
  if (reasons[code] !== undefined) return reasons[code]
  if (code.startsWith('XX00')) return `it is damaged (${message}); restore a backup, or fail over`
  if (code.startsWith('53')) return `it has no room (${message}); see to the server`
  for (const [pattern, reason] of byMessage) if (pattern.test(message)) return reason
  if (/CERT|SIGNED|ISSUER|ALTNAME/.test(code)) return `${CERTIFICATE} (${code})`
  return code === '' || code === message ? message : `${message} (${code})`
}

const UNANSWERED =
  'there was no response; check the address in DATABASE_URL, the network and the firewall'
const CERTIFICATE =
  'its certificate could not be verified; give the root certificate as sslrootcert in DATABASE_URL, and the host name that the certificate is for'

const reasons: Partial<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; start PostgreSQL, or correct the address in DATABASE_URL',
  ENOENT: 'the socket is not there; start PostgreSQL, or correct the host in DATABASE_URL',
  EACCES: 'this user may not use the socket',
  ENOTFOUND: 'the host name is not known; correct it in DATABASE_URL',
  EAI_AGAIN: 'the host name cannot be resolved right now; check the DNS of this machine',
  ETIMEDOUT: UNANSWERED,
  EHOSTUNREACH: UNANSWERED,
  ENETUNREACH: UNANSWERED,
  ERR_TLS_CERT_ALTNAME_INVALID: CERTIFICATE,
  '08P01': 'what listens there does not speak as PostgreSQL does',
  '25006': 'it is read-only, as a standby is; name the primary server in DATABASE_URL',
  '28000': 'the server does not let this user in; see pg_hba.conf, and sslmode in DATABASE_URL',
  '28P01': 'the user or the password is wrong; correct DATABASE_URL',
  '3D000': 'there is no such database; create it: create database NAME owner USER',
  '42501':
    'this user may not create tables in it; make it the owner: alter database NAME owner to USER',
  '53100': 'the disk of the server is full; make room, and start again. What was stored is safe',
  '53300': 'it has too many connections; raise max_connections, or close others',
  '57P03': 'it is starting or stopping; start again in a moment',
}

const byMessage: readonly (readonly [RegExp, string])[] = [
  [
    /client password must be a(?: non-empty)? string/,
    'the server wants a password; add it to DATABASE_URL',
  ],
  [/timeout|timed out/i, UNANSWERED],
  [
    /does not support SSL/,
    'it does not encrypt connections; switch TLS on there, or say sslmode=disable where nobody else can read the network',
  ],
  [/^Connection (terminated|ended)/, 'it closed the connection; see its log'],
]
