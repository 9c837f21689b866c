import { isPostgresUrl } from './database-path.ts'
import { createStores as createSqliteStores } from './sqlite/create-stores.ts'
import type { Stores } from './stores.ts'

/**
 * Opens the database that a URL names, and creates all its stores.
 * @param patienceMs how long writes wait for another process that holds the database in a file
 * @param reserveBytes of the file that is given up on a full disk; 0: none
 * @throws StoreUrlError, StoreInUseError and what openStore or openPostgres throws
 */
export async function createStores(
  databaseUrl: string,
  patienceMs?: number,
  reserveBytes?: number,
): Promise<Stores> {
  if (isPostgresUrl(databaseUrl)) {
    // A gateway whose database is a file does not load what speaks to a server.
    const postgres = await import('./postgres/create-stores.ts')
    return postgres.createStores(databaseUrl)
  }
  return createSqliteStores(databaseUrl, patienceMs, reserveBytes)
}
