import Database from 'better-sqlite3'
import { databasePath, MEMORY_PATH } from '../database-path.ts'
import { DiskFullError, StoreGoneError } from '../errors.ts'
import { HELD_KEYS_NAME } from '../fact-store.ts'
import { passOverDamage } from '../failures.ts'
import { createSharedStores } from '../shared-stores.ts'
import type { StoreFile } from '../store-file.ts'
import type { Stores } from '../stores.ts'
import { checkPages } from './check-pages.ts'
import { isDamage } from './damage.ts'
import { createDatabase } from './database.ts'
import { type DiskReserve, isDiskFull, openReserve, removeReserve } from './disk-reserve.ts'
import { isBackupRunning } from './is-running.ts'
import { createJournalStore } from './journal-store.ts'
import { lockStore } from './lock.ts'
import { createLogStore } from './log-store.ts'
import { type Db, openStore, type Store } from './open.ts'
import { checkAllPages } from './page-check.ts'

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
