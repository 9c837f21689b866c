import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NeedsDatabaseFileError, StoreUrlError } from './errors.ts'

/** SQLite's name for a database in memory, which ends with its connection. */
export const MEMORY_PATH = ':memory:'

/** Whether DATABASE_URL names a PostgreSQL database. */
export const isPostgresUrl = (databaseUrl: string): boolean => /^postgres(ql)?:/i.test(databaseUrl)

/**
 * The absolute path that DATABASE_URL names: `file:./data/x.db`, `file:///srv/x.db`, a plain path,
 * or `:memory:`, which is returned unchanged. A relative path starts at the working directory.
 * @throws NeedsDatabaseFileError for PostgreSQL, StoreUrlError for another scheme
 */
export function databasePath(databaseUrl: string): string {
  if (databaseUrl === MEMORY_PATH || databaseUrl === `file:${MEMORY_PATH}`) return MEMORY_PATH
  if (databaseUrl.startsWith('file://')) return fileURLToPath(databaseUrl)
  if (databaseUrl.startsWith('file:')) return resolve(databaseUrl.slice('file:'.length))
  if (isPostgresUrl(databaseUrl)) throw new NeedsDatabaseFileError()
  const scheme = /^[a-z][a-z0-9+.-]+:/i.exec(databaseUrl)?.[0]
  if (scheme !== undefined || databaseUrl === '') throw new StoreUrlError(scheme ?? '')
  return resolve(databaseUrl)
}

// Beside `src` wherever the gateway is installed. This file is as far from it as the bundle is.

/** The generated SQL of SQLite. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../drizzle', import.meta.url))

/** The generated SQL of PostgreSQL. */
export const POSTGRES_MIGRATIONS_FOLDER = fileURLToPath(
  new URL('../../drizzle-postgres', import.meta.url),
)
