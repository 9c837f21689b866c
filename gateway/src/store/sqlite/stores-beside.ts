import { databasePath, MEMORY_PATH } from '../database-path.ts'
import { ReserveInUseError, StoreUrlError } from '../errors.ts'
import { HELD_KEYS_NAME } from '../fact-store.ts'
import type { CallsLock, StoresBeside } from '../stores-beside.ts'
import { createAdminSessionStore } from './admin-session-store.ts'
import { createAdminStore } from './admin-store.ts'
import { createApiKeyStore } from './api-key-store.ts'
import { createApprovalStore } from './approval-store.ts'
import { isAuditGuarded } from './audit-guards.ts'
import { createAuditStore } from './audit-store.ts'
import { isReserveInUse } from './disk-reserve.ts'
import { eraseFreed } from './erase-freed.ts'
import { createFactStore } from './fact-store.ts'
import { isGatewayRunning } from './is-running.ts'
import { createJournalStore } from './journal-store.ts'
import { lockCalls as hold, lockMasterKey } from './lock.ts'
import type { Db } from './open.ts'
import { openBeside } from './open-beside.ts'
import { createSecondFactorStore } from './second-factor-store.ts'
import { createTokenStore } from './token-store.ts'

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
  const facts = createFactStore(db)
  return {
    ...{ name: path, path, facts },
    admins: createAdminStore(db),
    adminSessions: createAdminSessionStore(db),
    secondFactors: createSecondFactorStore(db),
    approvals: createApprovalStore(db),
    tokens: createTokenStore(db),
    apiKeys: createApiKeyStore(db),
    journal: createJournalStore(db),
    audit: createAuditStore(db),
    async gateways() {
      if (!isGatewayRunning(path)) return []
      const keyIds = ((await facts.get(HELD_KEYS_NAME)) ?? '').split(',')
      return [{ node: 'this machine', keyIds }]
    },
    eraseFreed: (patienceMs) => eraseFreed(db, patienceMs),
    isAuditGuarded: async () => isAuditGuarded(db),
    close: async () => close(),
  }
}
