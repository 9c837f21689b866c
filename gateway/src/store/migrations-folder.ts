import { fileURLToPath } from 'node:url'

// Beside `src` wherever the gateway is installed. This file is as far from it as the bundle is.

/** The generated SQL of SQLite. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../drizzle', import.meta.url))

/** The generated SQL of PostgreSQL. */
export const POSTGRES_MIGRATIONS_FOLDER = fileURLToPath(
  new URL('../../drizzle-postgres', import.meta.url),
)
