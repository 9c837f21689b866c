import { createStores as createSqliteStores } from './sqlite/create-stores.ts'
import type { Stores } from './stores.ts'

/**
 * Opens the database that a URL names, and creates all its stores.
 * @param patienceMs how long writes wait for another process that holds the database
 * @param reserveBytes of the file that is given up on a full disk; 0: none
 * @throws StoreUrlError, StoreInUseError and what openStore throws
 */
export async function createStores(
  databaseUrl: string,
  patienceMs?: number,
  reserveBytes?: number,
): Promise<Stores> {
  return createSqliteStores(databaseUrl, patienceMs, reserveBytes)
}
