import { chmod, copyFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { giveName, statOf, syncFile, syncFolder } from '../files/files.ts'
import type { AuditHead } from '../store/audit-chain.ts'
import { createAuditStore } from '../store/audit-store.ts'
import { databasePath, MEMORY_PATH } from '../store/database-path.ts'
import { RestoreOverwritesError, StoreUrlError } from '../store/errors.ts'
import { createSharedStores } from '../store/shared-stores.ts'
import {
  checkBackupFile,
  checkNotEmpty,
  checkObjects,
  createRestoreStore,
  mergeLog,
} from '../store/sqlite/backup-file.ts'
import { createDatabase } from '../store/sqlite/database.ts'
import { type DatabaseSummary, examineDatabase } from '../store/sqlite/examine.ts'
import { lockMasterKey, lockStore } from '../store/sqlite/lock.ts'
import { openReadOnly, openStore } from '../store/sqlite/open.ts'
import { toOpenError } from '../store/sqlite/sqlite-error.ts'
import { loadKeyRing } from '../vault/key-ring.ts'
import { createSealing } from '../vault/sealing.ts'
import { byCommand } from './command-line.ts'
import { checkSealedRows, type SealedCheck } from './sealed-rows.ts'

interface RestoreOptions {
  readonly config: Pick<Config, 'databaseUrl' | 'masterKey'>
  /** The backup. */
  readonly file: string
  /** Whether an existing database may be moved aside. */
  readonly replace: boolean
  readonly nowMs: () => number
}

export interface Restored extends DatabaseSummary {
  readonly path: string
  /** The new path of the previous database; undefined when there was none. */
  readonly keptAs: string | undefined
  /** The time of the last event in the backup; undefined when it has none. */
  readonly lastMs: number | undefined
  /**
   * Orders that were queued when the backup was made. Whether they were sent after that is unknown.
   */
  readonly inDoubt: number
  readonly sealed: SealedCheck
  /**
   * The e-mail addresses that can sign in after the restore: a backup does not prove who wrote it.
   */
  readonly admins: readonly string[]
}

/**
 * Replaces the database with a backup. The backup is first copied beside the database, verified,
 * migrated and opened with the master key. Nothing is changed until all of that has succeeded; then
 * one rename replaces the database. Neither a gateway nor a rotation of the master key may run.
 * @throws BackupUnusableError, StoreInUseError, RotationRunningError, WrongUserError,
 * RestoreOverwritesError, and what opening a database or a master key throws
 */
export async function restore({ config, file, replace, nowMs }: RestoreOptions): Promise<Restored> {
  const path = databasePath(config.databaseUrl)
  if (path === MEMORY_PATH) throw new StoreUrlError(MEMORY_PATH)
  await checkBackupFile(file)
  using locks = new DisposableStack()
  locks.defer(lockMasterKey(path))
  locks.defer(lockStore(path))
  const draft = `${path}.restoring`
  try {
    const isThere = (await statOf(path)) !== undefined
    if (isThere && !replace) throw new RestoreOverwritesError(path)
    await removeDatabase(draft)
    await copyDatabase(file, draft, path)
    const summary = examineDatabase(draft, file)
    checkNotEmpty(file, summary.rows)
    const prepared = await prepare({ draft, path, file }, config, nowMs)
    await syncFile(draft)
    const aside = await putAside(path, isThere, nowMs())
    await rename(draft, path)
    await syncFolder(dirname(path))
    return { path, keptAs: isThere ? aside : undefined, ...summary, ...prepared }
  } finally {
    await removeDatabase(draft)
  }
}

async function copyDatabase(file: string, draft: string, path: string): Promise<void> {
  try {
    await copyFile(file, draft)
    await chmod(draft, 0o600)
  } catch (error) {
    throw toOpenError(error, path)
  }
}

/**
 * Migrates the copy, opens its sealed values, marks orders that were queued in the backup as
 * unknown, and stops both exchanges: a gateway that starts on the copy sends nothing at first.
 */
async function prepare(
  { draft, path, file }: { readonly draft: string; readonly path: string; readonly file: string },
  config: RestoreOptions['config'],
  nowMs: () => number,
): Promise<Pick<Restored, 'lastMs' | 'inDoubt' | 'sealed' | 'admins'>> {
  const store = openStore(draft)
  try {
    checkObjects(store.db.$client, file)
    const stores = createSharedStores(createDatabase(store.db))
    const ring = await loadKeyRing({
      ...config.masterKey,
      defaultFile: join(dirname(path), 'master.key'),
      facts: stores.facts,
    })
    const sealed = await checkSealedRows(stores, createSealing(ring))
    const restored = createRestoreStore(store.db)
    const lastMs = await restored.lastMs(nowMs())
    const inDoubt = await restored.doubtQueuedOrders()
    const atMs = nowMs()
    const mark = { sinceMs: lastMs ?? 0, restoredAtMs: atMs }
    await restored.stopAndMark({ reason: stopReason(lastMs), mark, nowMs: atMs })
    await restored.skipClientIds()
    const people = await stores.admins.list()
    await stores.audit.append(
      byCommand(nowMs(), {
        ...{ action: 'database.restored', subjectKind: 'database', subject: path },
        before: { auditHead: await headAt(path) },
        after: { from: file, lastEventAt: lastMs === undefined ? null : toText(lastMs), inDoubt },
      }),
    )
    const admins = people.map(({ email, disabledAtMs }) =>
      disabledAtMs === null ? email : `${email} (disabled)`,
    )
    return { lastMs, inDoubt, sealed, admins }
  } finally {
    store.close()
  }
}

function stopReason(lastMs: number | undefined): string {
  const of = lastMs === undefined ? 'an empty backup' : `a backup of ${toText(lastMs)}`
  return `Restored from ${of}. Resume when you have checked what "After a restore" in docs/operations/backup.md lists`
}

/** The last entry of the trail that is replaced; null when it cannot be read. */
async function headAt(path: string): Promise<AuditHead | null> {
  try {
    const { db, isCurrent, close } = openReadOnly(path)
    try {
      const head = isCurrent ? await createAuditStore(createDatabase(db)).head() : undefined
      return head ?? null
    } finally {
      close()
    }
  } catch {
    return null // It is missing or damaged, which is why a backup is restored.
  }
}

function toText(atMs: number): string {
  return new Date(atMs).toISOString()
}

/**
 * Renames the current database, with the changes that are still in its write-ahead log. A log whose
 * database is gone is renamed as well: SQLite would apply it to the next file with the database's
 * name.
 */
async function putAside(path: string, isThere: boolean, nowMs: number): Promise<string> {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')
  const aside = `${path}.before-restore-${stamp}`
  if (isThere) {
    mergeLog(path)
    await giveName(path, aside)
  }
  for (const part of ['-wal', '-shm', '-journal'])
    await rename(`${path}${part}`, `${aside}${part}`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
  return aside
}

async function removeDatabase(path: string): Promise<void> {
  for (const part of ['', '-wal', '-shm']) await rm(`${path}${part}`, { force: true })
}
