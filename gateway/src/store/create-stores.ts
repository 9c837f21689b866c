import { isPostgresUrl } from './database-path.ts'
import {
  createStores as createSqliteStores,
  lockCalls as lockCallsOfFile,
  openForMasterKey as openFile,
  openStoresBeside,
} from './sqlite/create-stores.ts'
import type { CallsLock, Stores, StoresBeside } from './stores.ts'

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

/**
 * Opens a database for a command that may run beside gateways. It is migrated as at a gateway's
 * start, but not while a gateway uses it: that gateway is older and needs its own tables.
 * @throws GatewayOlderError, and what opening the database throws
 */
export async function openBeside(databaseUrl: string): Promise<StoresBeside> {
  if (isPostgresUrl(databaseUrl)) {
    const postgres = await import('./postgres/create-stores.ts')
    return postgres.openStoresBeside(databaseUrl)
  }
  return openStoresBeside(databaseUrl)
}

/**
 * Opens a database likewise, and keeps other commands from its master key until it is closed.
 * @throws RotationRunningError, WrongUserError, ReserveInUseError, and what openBeside throws
 */
export async function openForMasterKey(databaseUrl: string): Promise<StoresBeside> {
  if (isPostgresUrl(databaseUrl)) {
    const postgres = await import('./postgres/create-stores.ts')
    return postgres.openForMasterKey(databaseUrl)
  }
  return openFile(databaseUrl)
}

/**
 * Call it before a command calls an exchange. The database need not be usable otherwise.
 * @throws CallsRunningError, StandbyCallsError, StoreUrlError for a database in memory, of which
 * nobody else can see whether a gateway uses it, StoreUnopenableError
 */
export async function lockCalls(databaseUrl: string): Promise<CallsLock> {
  if (isPostgresUrl(databaseUrl)) {
    const postgres = await import('./postgres/create-stores.ts')
    return postgres.lockCalls(databaseUrl)
  }
  return lockCallsOfFile(databaseUrl)
}
