import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { StoreUnopenableError } from '../errors.ts'

/** Where a database is, and how it is reached. */
export interface DatabaseAddress {
  /** For messages: the URL without the password and without what follows the database's name. */
  readonly name: string
  readonly host: string
  readonly port: number
  readonly user: string
  /** Absent when the server wants none, or the role's certificate is enough. */
  readonly password?: string
  readonly database: string
  readonly ssl: ConnectionOptions | false
}

const PARAMETERS = ['host', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'] as const
const MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const

/**
 * Reads `postgres://user:password@host:port/database?sslmode=verify-full`. A host that begins with
 * a slash is the folder of a Unix socket: `postgres:///sluice?host=/run/postgresql`.
 * @throws StoreUnopenableError, whose message never has the password
 */
export function readDatabaseUrl(databaseUrl: string): DatabaseAddress {
  const url = parse(databaseUrl)
  for (const given of url.searchParams.keys())
    if (!PARAMETERS.some((known) => known === given))
      throw unusable(`its parameter "${given}" is not known; possible are ${PARAMETERS.join(', ')}`)
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname)
  const port = Number(url.port || 5432)
  const user = decodeURIComponent(url.username)
  const database = decodeURIComponent(url.pathname.slice(1))
  if (host === '') throw unusable('it names no host')
  if (host.includes(',')) throw unusable(SEVERAL_HOSTS)
  if (user === '') throw unusable('it names no user')
  if (database === '') throw unusable('it names no database')
  const name = `postgres://${user}@${host}:${port}/${database}`
  const password = decodeURIComponent(url.password)
  return {
    ...{ name, host, port, user, database },
    ...(password === '' ? {} : { password }),
    ssl: readTls(url.searchParams, host, name),
  }
}

const SEVERAL_HOSTS =
  'it names several hosts; give one name or address that leads to the primary server (docs/operations/postgresql.md)'

function parse(databaseUrl: string): URL {
  try {
    const url = new URL(databaseUrl)
    for (const part of [url.username, url.password, url.hostname, url.pathname])
      decodeURIComponent(part)
    return url
  } catch {
    // A port after each host is no URL at all.
    if (/^[^/]*\/\/[^/]*,[^/@]*\//.test(databaseUrl)) throw unusable(SEVERAL_HOSTS)
    throw unusable(
      'it is not a URL such as postgres://user:password@host:5432/database?sslmode=verify-full (characters such as @ : / # ? % in a password are written as %40 %3A %2F %23 %3F %25)',
    )
  }
}

function readTls(parameters: URLSearchParams, host: string, name: string) {
  const mode = parameters.get('sslmode') ?? (isLocal(host) ? 'disable' : undefined)
  if (mode === undefined)
    throw new StoreUnopenableError(
      name,
      'DATABASE_URL has to say whether the connection is encrypted: add ?sslmode=verify-full, or ?sslmode=disable where nobody else can read the network',
    )
  if (!MODES.some((known) => known === mode))
    throw new StoreUnopenableError(
      name,
      `sslmode "${mode}" in DATABASE_URL is not possible; possible are ${MODES.join(', ')}`,
    )
  if (mode === 'disable') return false
  const read = (parameter: string): Buffer | undefined => {
    const path = parameters.get(parameter)
    if (path === null) return undefined
    try {
      return readFileSync(path)
    } catch (cause) {
      throw new StoreUnopenableError(name, `its ${parameter} "${path}" cannot be read`, { cause })
    }
  }
  const [ca, cert, key] = [read('sslrootcert'), read('sslcert'), read('sslkey')]
  return {
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(isIP(host) === 0 ? { servername: host } : {}),
    // What the modes mean to libpq (postgresql.org/docs/current/libpq-ssl.html, 34.19.3): `require`
    // encrypts, and verifies the certificate only against a root certificate that is given.
    rejectUnauthorized: mode !== 'require' || ca !== undefined,
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  } satisfies ConnectionOptions
}

/** Whether a host is this machine. */
export function isLocal(host: string): boolean {
  return host.startsWith('/') || ['localhost', '127.0.0.1', '::1', '[::1]'].includes(host)
}

/** The URL cannot be shown: what is wrong with it may be the password. */
const unusable = (reason: string) =>
  new StoreUnopenableError('postgres://…', `${reason}, see DATABASE_URL`)
