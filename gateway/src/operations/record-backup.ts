import { createAuditStore } from '../store/audit-store.ts'
import { checkOwner } from '../store/check-owner.ts'
import { openStore } from '../store/open.ts'
import { openReadOnly } from '../store/open-read-only.ts'
import { byCommand } from './command-line.ts'

export interface RecordBackupOptions {
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
  const { isCurrent, close } = openReadOnly(path)
  close()
  if (!isCurrent) return false
  checkOwner(path)
  const store = openStore(`file:${path}`)
  try {
    const act = { action: 'database.backup-requested', subjectKind: 'database', subject: target }
    await createAuditStore(store.db).append(byCommand(nowMs(), act))
    return true
  } finally {
    store.close()
  }
}
