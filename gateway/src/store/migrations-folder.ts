import { fileURLToPath } from 'node:url'

/**
 * The generated SQL, beside `src` wherever the gateway is installed. This file is as far from it as
 * the bundle is.
 */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../drizzle', import.meta.url))
