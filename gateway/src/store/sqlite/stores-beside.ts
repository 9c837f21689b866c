import { databasePath, MEMORY_PATH } from '../database-path.ts'
import { ReserveInUseError, StoreUrlError } from '../errors.ts'
import { HELD_KEYS_NAME } from '../fact-store.ts'
import { createSharedStores } from '../shared-stores.ts'
import type { CallsLock, StoresBeside } from '../stores-beside.ts'
import { createDatabase } from './database.ts'
import { isReserveInUse } from './disk-reserve.ts'
import { eraseFreed } from './erase-freed.ts'
import { isGatewayRunning } from './is-running.ts'
import { createJournalStore } from './journal-store.ts'
import { lockCalls as hold, lockMasterKey } from './lock.ts'
import { type Db, openStore } from './open.ts'
import { openBeside } from './open-beside.ts'

/** Opens a database file. @throws what openBeside throws */
export function openStoresBeside(databaseUrl: string): StoresBeside {
  const { db, path, close } = openBeside(databaseUrl)
  return storesBeside(db, path, close)
}

/**
 * Opens a database file, and keeps other commands from its master key until it is closed.
 * @throws RotationRunningError, WrongUserError, ReserveInUseError, and what openBeside throws
 */
export function openForMasterKey(databaseUrl: string): StoresBeside {
  const path = databasePath(databaseUrl)
  if (isReserveInUse(path)) throw new ReserveInUseError(path)
  const unlock = lockMasterKey(path)
  try {
    const stores = openStoresBeside(databaseUrl)
    return { ...stores, close: () => stores.close().finally(unlock) }
  } catch (error) {
    unlock()
    throw error
  }
}

/** As `lockCalls` of open-beside.ts. */
export function lockCalls(databaseUrl: string): CallsLock {
  const path = databasePath(databaseUrl)
  if (path === MEMORY_PATH) throw new StoreUrlError(MEMORY_PATH)
  const unlock = hold(path)
  return {
    isGatewaySending: async () => isGatewayRunning(path),
    close: async () => unlock(),
  }
}

/** The stores of a database file that is open. */
export function storesBeside(db: Db, path: string, close: () => void): StoresBeside {
  const shared = createSharedStores(createDatabase(db))
  return {
    ...{ ...shared, name: path, path },
    journal: createJournalStore(db),
    async gateways() {
      if (!isGatewayRunning(path)) return []
      const keyIds = ((await shared.facts.get(HELD_KEYS_NAME)) ?? '').split(',')
      return [{ node: 'this machine', keyIds }]
    },
    eraseFreed: (patienceMs) => eraseFreed(db, patienceMs),
    isAuditGuarded: async () => isAuditGuarded(db),
    close: async () => close(),
  }
}

/** Whether the triggers are there, unchanged, that refuse to change the audit trail. */
function isAuditGuarded(db: Db): boolean {
  const guards = guardsOf(db)
  return expectedGuards().every((guard) => guards.has(guard))
}

function expectedGuards(): string[] {
  const { db, close } = openStore(':memory:')
  try {
    return [...guardsOf(db)]
  } finally {
    close()
  }
}

/** The triggers of the table, as SQL. */
function guardsOf(db: Db): Set<string> {
  return new Set(
    db.$client
      .prepare<[], string>(
        `select sql from sqlite_schema where type = 'trigger' and tbl_name = 'audit_entries'`,
      )
      .pluck()
      .all(),
  )
}
