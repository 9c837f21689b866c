import Database from 'better-sqlite3'
import { createAdminSessionStore } from './admin-session-store.ts'
import { createAdminStore } from './admin-store.ts'
import { createApiKeyStore } from './api-key-store.ts'
import { createApprovalStore } from './approval-store.ts'
import { createAuditStore } from './audit-store.ts'
import { checkPages } from './check-pages.ts'
import { createClientStore } from './client-store.ts'
import { isDamage, passOverDamage } from './damage.ts'
import { databasePath, MEMORY_PATH } from './database-path.ts'
import { type DiskReserve, isDiskFull, openReserve, removeReserve } from './disk-reserve.ts'
import { DiskFullError, StoreGoneError } from './errors.ts'
import { createFactStore } from './fact-store.ts'
import { createHeartbeatStore } from './heartbeat-store.ts'
import { isBackupRunning } from './is-running.ts'
import { createJournalStore } from './journal-store.ts'
import { lockStore } from './lock.ts'
import { createLogStore } from './log-store.ts'
import { openStore } from './open.ts'
import { createOpenIdStore } from './openid-store.ts'
import { checkAllPages } from './page-check.ts'
import { createQueueMinuteStore } from './queue-minute-store.ts'
import { createSecondFactorStore } from './second-factor-store.ts'
import { createSecretStore } from './secret-store.ts'
import { createStopStore } from './stop-store.ts'
import { createTokenStore } from './token-store.ts'
import { createWorkingOrderStore } from './working-order-store.ts'

/**
 * Locks a database for this process and creates all its stores.
 * @param patienceMs how long writes wait for another process that holds the database
 * @param reserveBytes of the file that is given up on a full disk; 0: none
 * @throws StoreInUseError and what openStore throws
 */
export function createStores(databaseUrl: string, patienceMs?: number, reserveBytes = 0) {
  const databaseFile = databasePath(databaseUrl)
  const reserve = openReserve(databaseFile, reserveBytes)
  const unlock = withReserve(reserve, () => lockStore(databaseFile))
  if (reserve === undefined) removeReserve(databaseFile)
  const store = withReserve(reserve, () => openStore(databaseUrl, patienceMs))
  const { db, path } = store
  if (reserve !== undefined) db.commits.onDiskFull(() => reserve.giveUp())
  return {
    /** Absent: none is wanted. */
    reserve,
    /** Whether the disk is full and the gateway writes into its reserve. */
    isOnReserve: () => reserve?.state === 'given-up',
    /** @throws DiskFullError while the reserve is given up: it is not for new orders */
    requireRoom(): void {
      if (reserve?.state === 'given-up') throw new DiskFullError()
    },
    /** Absolute path of the file, or `:memory:`. */
    path,
    pendingMigrations: () => store.pendingMigrations(),
    /** @throws StoreGoneError, StoreDamagedError */
    requireSound(): void {
      if (!store.isInPlace()) throw new StoreGoneError()
      db.damage.requireNone()
    },
    /** Searches the file for damage. Damage that it finds is reported from then on. */
    checkPages(): void {
      try {
        const found = checkPages(db.$client)
        if (found !== undefined) db.damage.report(found)
      } catch (error) {
        passOverDamage(error)
      }
    },
    /**
     * Reads every page of the file in a process of its own. Damage is reported from then on.
     * @throws when the check could not be made
     */
    async checkAllPages(signal: AbortSignal): Promise<void> {
      if (path === MEMORY_PATH) return
      const found = await checkAllPages(path, signal)
      if (found === undefined) return
      if (found instanceof Database.SqliteError && !isDamage(found)) throw found
      db.damage.report(found)
    },
    /**
     * Makes the error of a request from the one that SQLite reported on another thread's
     * connection, and reports damage.
     */
    toReadError: (message: string, code: string) =>
      db.damage.classify(new Database.SqliteError(message, code)),
    /** Calls back once, when damage to the file is found. The listener must not throw. */
    onDamage: (listener: (error: Error) => void) => db.damage.onFound(listener),
    onCheckpointFailed: store.onCheckpointFailed,
    facts: createFactStore(db),
    admins: createAdminStore(db),
    adminSessions: createAdminSessionStore(db),
    openIds: createOpenIdStore(db),
    secondFactors: createSecondFactorStore(db),
    approvals: createApprovalStore(db),
    clients: createClientStore(db),
    secrets: createSecretStore(db),
    tokens: createTokenStore(db),
    apiKeys: createApiKeyStore(db),
    log: createLogStore(db),
    journal: createJournalStore(db),
    queueMinutes: createQueueMinuteStore(db),
    audit: createAuditStore(db),
    stops: createStopStore(db),
    heartbeats: createHeartbeatStore(db),
    workingOrders: createWorkingOrderStore(db),
    /** Whether a backup is copying the database now. @throws StoreUnopenableError */
    isBackupRunning: () => isBackupRunning(path),
    /** Call it once nothing writes any more. */
    close(): void {
      store.close()
      unlock()
    },
  }
}

/** Does a step of the start, and once more when the disk was full and its reserve is given up. */
function withReserve<T>(reserve: DiskReserve | undefined, step: () => T): T {
  try {
    return step()
  } catch (error) {
    if (isDiskFull(error) && reserve?.giveUp() === true) return step()
    throw error
  }
}

export type Stores = ReturnType<typeof createStores>
