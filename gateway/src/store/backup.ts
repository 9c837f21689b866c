import { randomBytes } from 'node:crypto'
import { open, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { giveName } from '../files/give-name.ts'
import { statOf } from '../files/stat-of.ts'
import { syncFile, syncFolder } from '../files/sync.ts'
import { checkNotEmpty } from './backup-file.ts'
import { BackupTargetError } from './errors.ts'
import { type DatabaseSummary, examineDatabase } from './examine.ts'
import { checkDatabase } from './migrations.ts'
import { toOpenError } from './open-errors.ts'

export interface Backup extends DatabaseSummary {
  readonly bytes: number
}

/**
 * Copies a consistent snapshot of a database into one file, also while a gateway uses it: a reader
 * does not block writers. The copy is verified before it gets its name: a file with that name is
 * always a good backup.
 * @param path of the database
 * @param target a file that does not exist yet
 * @throws BackupTargetError, DamagedDatabaseError, NotOurDatabaseError, StoreTooNewError,
 * StoreUnopenableError
 */
export async function backUp(path: string, target: string): Promise<Backup> {
  // The name is unique: other files that end in .part are not ours to remove.
  const draft = `${target}.${randomBytes(6).toString('hex')}.part`
  try {
    if ((await statOf(target)) !== undefined)
      throw new BackupTargetError(target, 'it already exists')
    // Created here with mode 0600: SQLite would make it readable by others.
    await (await open(draft, 'wx', 0o600)).close()
    copy(path, draft)
    const summary = examineDatabase(draft, path)
    checkNotEmpty(path, summary.rows)
    await syncFile(draft)
    await giveName(draft, target)
    await syncFolder(dirname(target))
    return { ...summary, bytes: (await stat(target)).size }
  } catch (cause) {
    throw toTargetError(cause, target)
  } finally {
    await rm(draft, { force: true })
  }
}

function copy(path: string, draft: string): void {
  try {
    const client = new Database(path, { readonly: true, fileMustExist: true, timeout: 5_000 })
    try {
      checkDatabase(client, path)
      client.prepare('vacuum into ?').run(draft)
    } finally {
      client.close()
    }
  } catch (error) {
    throw toOpenError(error, path)
  }
}

function toTargetError(cause: unknown, target: string): unknown {
  if (!(cause instanceof Error && 'syscall' in cause && 'code' in cause)) return cause
  return new BackupTargetError(target, reasons[String(cause.code)] ?? String(cause.code), { cause })
}

const reasons: Partial<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EEXIST: 'it already exists',
  ENOENT: 'there is no such folder',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
}
