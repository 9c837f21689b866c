import { createAuditStore } from '../store/audit-store.ts'
import type { Database } from '../store/database.ts'
import { createFactStore, type FactStore } from '../store/fact-store.ts'
import { createDatabase } from '../store/sqlite/database.ts'
import { checkOwner } from '../store/sqlite/lock.ts'
import { openReadOnly, openStore } from '../store/sqlite/open.ts'
import { byCommand } from './command-line.ts'

/** The fact that says which moment the last good backup has, in milliseconds since 1970. */
const LAST_BACKUP_NAME = 'last_backup_ms'

interface RecordBackupOptions {
  /** Of the database. */
  readonly path: string
  /** The file that is going to be made. */
  readonly target: string
  readonly nowMs: () => number
}

/**
 * Enters a backup into the audit trail before it is made, so that the copy has the entry. A
 * database of an older version has no trail, and is not migrated for it.
 * @returns false when there is no trail
 * @throws StoreUnwritableError, StoreUnopenableError, WrongUserError
 */
export async function recordBackup({ path, target, nowMs }: RecordBackupOptions): Promise<boolean> {
  return write(path, async (db) => {
    const action = 'database.backup-requested'
    const act = { action, subjectKind: 'database', subject: target } as const
    await createAuditStore(db).append(byCommand(nowMs(), act))
  })
}

/**
 * Records that a good backup exists, for the alert, the metric and the doctor. The copy itself
 * knows only of the backup before it.
 * @param atMs the moment that the copy has
 * @returns false when the database is of an older version
 * @throws StoreUnwritableError, StoreUnopenableError, WrongUserError
 */
export function recordGoodBackup(path: string, atMs: number): Promise<boolean> {
  return write(path, (db) => createFactStore(db).set(LAST_BACKUP_NAME, `${atMs}`))
}

/** The moment that the last good backup has, in ms since 1970; undefined when none was made. */
export async function readLastBackup(facts: Pick<FactStore, 'get'>): Promise<number | undefined> {
  const found = await facts.get(LAST_BACKUP_NAME)
  return found === undefined ? undefined : Number(found)
}

/** Writes into a database of this version, and leaves one of an older version as it is. */
async function write(path: string, change: (db: Database) => Promise<void>): Promise<boolean> {
  const { isCurrent, close } = openReadOnly(path)
  close()
  if (!isCurrent) return false
  checkOwner(path)
  const store = openStore(`file:${path}`)
  try {
    await change(createDatabase(store.db))
    return true
  } finally {
    store.close()
  }
}
