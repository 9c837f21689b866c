import { randomBytes } from 'node:crypto'
import { open, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { giveName } from '../../files/give-name.ts'
import { statOf } from '../../files/stat-of.ts'
import { syncFile, syncFolder } from '../../files/sync.ts'
import { BackupTargetError } from '../errors.ts'
import { checkNotEmpty } from './backup-file.ts'
import { type CopyFiles, type CopyOptions, copyPages, leaveWalMode } from './copy-pages.ts'
import { type DatabaseSummary, examineDatabase } from './examine.ts'
import { lockBackup } from './lock.ts'
import { checkDatabase } from './migrations.ts'
import { toOpenError } from './open-errors.ts'

export interface Backup extends DatabaseSummary {
  readonly bytes: number
}

/**
 * Copies a database as it is at one moment into one file, also while a gateway uses it: a reader
 * does not block writers, and the gateway removes no old rows meanwhile. The copy is verified
 * before it gets its name: a file with that name is always a good backup. It blocks this process
 * for most of the time.
 * @param path of the database
 * @param target a file that does not exist yet
 * @throws BackupTargetError, BackupRunningError, DamagedDatabaseError, NotOurDatabaseError,
 * StoreTooNewError, StoreUnopenableError, the signal's reason
 */
export async function backUp(
  path: string,
  target: string,
  options: CopyOptions = {},
): Promise<Backup> {
  // The name is unique: other files that end in .part are not ours to remove.
  const draft = `${target}.${randomBytes(6).toString('hex')}.part`
  try {
    if ((await statOf(target)) !== undefined)
      throw new BackupTargetError(target, 'it already exists')
    // Created here with mode 0600: SQLite would make it readable by others.
    await (await open(draft, 'wx', 0o600)).close()
    await copy({ path, draft, target }, options)
    options.onCopied?.()
    const summary = examineDatabase(draft, path)
    options.signal?.throwIfAborted()
    checkNotEmpty(path, summary.rows)
    await syncFile(draft)
    await giveName(draft, target)
    await syncFolder(dirname(target))
    return { ...summary, bytes: (await stat(target)).size }
  } catch (cause) {
    throw toTargetError(cause, target)
  } finally {
    for (const part of ['', '-journal', '-wal', '-shm'])
      await rm(`${draft}${part}`, { force: true })
  }
}

async function copy(files: CopyFiles, options: CopyOptions): Promise<void> {
  const { path, draft, target } = files
  try {
    const client = new Database(path, { readonly: true, fileMustExist: true, timeout: 5_000 })
    using closing = new DisposableStack()
    closing.defer(() => void client.close())
    checkDatabase(client, path)
    closing.defer(lockBackup(path))
    await copyPages(client, files, options)
    leaveWalMode(draft)
  } catch (error) {
    const reason = error instanceof Database.SqliteError ? copyReason(error.code) : undefined
    if (reason !== undefined) throw new BackupTargetError(target, reason, { cause: error })
    throw toOpenError(error, path)
  }
}

function toTargetError(cause: unknown, target: string): unknown {
  if (!(cause instanceof Error && 'syscall' in cause && 'code' in cause)) return cause
  return new BackupTargetError(target, reasons[String(cause.code)] ?? String(cause.code), { cause })
}

const FULL = 'the disk is full'

/** Undefined when the code says nothing of the disk. */
function copyReason(code: string): string | undefined {
  if (code === 'SQLITE_FULL') return FULL
  return code.startsWith('SQLITE_IOERR')
    ? 'its disk is full, or the disk of the backup or of the database fails'
    : undefined
}

const reasons: Partial<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EEXIST: 'it already exists',
  ENOENT: 'there is no such folder',
  ENOSPC: FULL,
  EROFS: 'the file system is read-only',
}
