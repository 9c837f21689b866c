import Database from 'better-sqlite3'
import { databasePath, MEMORY_PATH } from '../database-path.ts'
import {
  DiskFullError,
  passOverDamage,
  ReserveInUseError,
  StoreGoneError,
  StoreUrlError,
} from '../errors.ts'
import { HELD_KEYS_NAME } from '../fact-store.ts'
import { createSharedStores } from '../shared-stores.ts'
import type { CallsLock, StoreFile, Stores, StoresBeside } from '../stores.ts'
import { createDatabase } from './database.ts'
import {
  type DiskReserve,
  isDiskFull,
  isReserveInUse,
  openReserve,
  removeReserve,
} from './disk-reserve.ts'
import { eraseFreed } from './erase-freed.ts'
import { createJournalStore } from './journal-store.ts'
import {
  lockCalls as hold,
  isBackupRunning,
  isGatewayRunning,
  lockMasterKey,
  lockStore,
} from './lock.ts'
import { createLogStore } from './log-store.ts'
import { type Db, openBeside, openStore, type Store } from './open.ts'
import { checkAllPages, checkPages } from './page-check.ts'
import { isDamage } from './sqlite-error.ts'

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
  const shared = createSharedStores(createDatabase(db))
  return {
    ...shared,
    announceKeys: (keyIds) => shared.facts.set(HELD_KEYS_NAME, keyIds.join()),
    log: createLogStore(db, thread),
    journal: createJournalStore(db),
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

/** As `lockCalls` of `store/create-stores.ts`. */
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
