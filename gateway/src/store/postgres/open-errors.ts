import { StoreUnopenableError } from '../errors.ts'
import { reported, toStoreError } from './postgres-error.ts'

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
  'there was no answer; check the address in DATABASE_URL, the network and the firewall'
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
