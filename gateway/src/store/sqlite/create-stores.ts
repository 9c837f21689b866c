import Database from 'better-sqlite3'
import { databasePath, MEMORY_PATH } from '../database-path.ts'
import { DiskFullError, StoreGoneError } from '../errors.ts'
import { HELD_KEYS_NAME } from '../fact-store.ts'
import { passOverDamage } from '../failures.ts'
import type { StoreFile } from '../store-file.ts'
import type { Stores } from '../stores.ts'
import { createAdminSessionStore } from './admin-session-store.ts'
import { createAdminStore } from './admin-store.ts'
import { createApiKeyStore } from './api-key-store.ts'
import { createApprovalStore } from './approval-store.ts'
import { createAuditStore } from './audit-store.ts'
import { checkPages } from './check-pages.ts'
import { createClientStore } from './client-store.ts'
import { isDamage } from './damage.ts'
import { type DiskReserve, isDiskFull, openReserve, removeReserve } from './disk-reserve.ts'
import { createFactStore } from './fact-store.ts'
import { createHeartbeatStore } from './heartbeat-store.ts'
import { isBackupRunning } from './is-running.ts'
import { createJournalStore } from './journal-store.ts'
import { lockStore } from './lock.ts'
import { createLogStore } from './log-store.ts'
import { type Db, openStore, type Store } from './open.ts'
import { createOpenIdStore } from './openid-store.ts'
import { createOwnPositionStore } from './own-position-store.ts'
import { checkAllPages } from './page-check.ts'
import { createQueueMinuteStore } from './queue-minute-store.ts'
import { createSecondFactorStore } from './second-factor-store.ts'
import { createSecretStore } from './secret-store.ts'
import { createStopStore } from './stop-store.ts'
import { createTokenStore } from './token-store.ts'
import { createWorkingOrderStore } from './working-order-store.ts'

/** Locks a database file for this process and creates all its stores. */
export function createStores(databaseUrl: string, patienceMs?: number, reserveBytes = 0): Stores {
  const databaseFile = databasePath(databaseUrl)
  const reserve = openReserve(databaseFile, reserveBytes)
  const unlock = withReserve(reserve, () => lockStore(databaseFile))
  if (reserve === undefined) removeReserve(databaseFile)
  const store = withReserve(reserve, () => openStore(databaseUrl, patienceMs))
  const { db, path } = store
  if (reserve !== undefined) db.commits.onDiskFull(() => reserve.giveUp())
  const thread = path === MEMORY_PATH ? undefined : { path, toReadError: toReadErrorOf(db) }
  const facts = createFactStore(db)
  return {
    facts,
    announceKeys: (keyIds) => facts.set(HELD_KEYS_NAME, keyIds.join()),
    admins: createAdminStore(db),
    adminSessions: createAdminSessionStore(db),
    openIds: createOpenIdStore(db),
    secondFactors: createSecondFactorStore(db),
    approvals: createApprovalStore(db),
    clients: createClientStore(db),
    secrets: createSecretStore(db),
    tokens: createTokenStore(db),
    apiKeys: createApiKeyStore(db),
    log: createLogStore(db, thread),
    journal: createJournalStore(db),
    queueMinutes: createQueueMinuteStore(db),
    audit: createAuditStore(db),
    stops: createStopStore(db),
    heartbeats: createHeartbeatStore(db),
    workingOrders: createWorkingOrderStore(db),
    ownPositions: createOwnPositionStore(db),
    file: createStoreFile(store, reserve),
    requireSound() {
      if (!store.isInPlace()) throw new StoreGoneError()
      db.damage.requireNone()
    },
    pendingMigrations: async () => store.pendingMigrations(),
    async close() {
      store.close()
      unlock()
    },
  }
}

function createStoreFile(
  { db, path, onCheckpointFailed }: Store,
  reserve: DiskReserve | undefined,
): StoreFile {
  return {
    path,
    reserve,
    isOnReserve: () => reserve?.state === 'given-up',
    requireRoom() {
      if (reserve?.state === 'given-up') throw new DiskFullError()
    },
    checkPages() {
      try {
        const found = checkPages(db.$client)
        if (found !== undefined) db.damage.report(found)
      } catch (error) {
        passOverDamage(error)
      }
    },
    async checkAllPages(signal) {
      if (path === MEMORY_PATH) return
      const found = await checkAllPages(path, signal)
      if (found === undefined) return
      if (found instanceof Database.SqliteError && !isDamage(found)) throw found
      db.damage.report(found)
    },
    onDamage: (listener) => db.damage.onFound(listener),
    onCheckpointFailed,
    isBackupRunning: () => isBackupRunning(path),
  }
}

const toReadErrorOf = (db: Db) => (message: string, code: string) =>
  db.damage.classify(new Database.SqliteError(message, code))

/** Does a step of the start, and once more when the disk was full and its reserve is given up. */
function withReserve<T>(reserve: DiskReserve | undefined, step: () => T): T {
  try {
    return step()
  } catch (error) {
    if (isDiskFull(error) && reserve?.giveUp() === true) return step()
    throw error
  }
}
