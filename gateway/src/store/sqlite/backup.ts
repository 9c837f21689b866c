import { randomBytes } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, statfsSync, statSync } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { giveName, statOf, syncFile, syncFolder } from '../../files/files.ts'
import { BackupTargetError } from '../errors.ts'
import { checkNotEmpty } from './backup-file.ts'
import { type DatabaseSummary, examineDatabase } from './examine.ts'
import { isGatewayRunning, lockBackup } from './lock.ts'
import { checkDatabase } from './migrations.ts'
import { toOpenError } from './sqlite-error.ts'

/** How far a copy is. */
export interface CopyProgress {
  readonly copiedBytes: number
  readonly totalBytes: number
}

interface CopyOptions {
  /** Ends the copy between two steps. */
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined
  /** Called once, between the copy and the check of it. */
  readonly onCopied?: (() => void) | undefined
  /** The free space of a folder's disk; for tests. */
  readonly freeBytes?: ((folder: string) => number) | undefined
}

interface CopyFiles {
  /** Of the database. */
  readonly path: string
  /** An empty file. */
  readonly draft: string
  /** What the file will be called, for error messages. */
  readonly target: string
}

/** The most that waits for the disk in front of a gateway's own commit. */
const STEP_BYTES = 1024 ** 2
/** The copy uses the disk for a quarter of the time at most. The rest is the gateway's. */
const PAUSE_PER_WORK = 3
const PAUSE_MS = [10, 1_000] as const
/**
 * The write-ahead log cannot shrink during a copy. When it is larger than this, the copy makes no
 * more pauses.
 */
const LOG_BYTES_MAX = 256 * 1024 ** 2
/** A copy that would leave less than this ends: a gateway on a full disk sends no order. */
const SPARE_BYTES = 64 * 1024 ** 2

/**
 * Copies a database as it is at one moment, page by page, also while a gateway writes to it. A
 * running gateway gets most of the disk's time: the copy waits for the disk after each MiB and then
 * pauses. It blocks this process until it ends, so it belongs in a process of its own.
 * @param client an open connection to the database, without a transaction
 * @throws BackupTargetError, SqliteError, errors of the file system, the signal's reason
 */
async function copyPages(
  client: Database.Database,
  { path, draft, target }: CopyFiles,
  { signal, onProgress, freeBytes = freeBytesOf }: CopyOptions,
): Promise<void> {
  const pageBytes = Number(client.pragma('page_size', { simple: true }))
  const isShared = isGatewayRunning(path)
  const file = openSync(draft, 'r+')
  let workedSinceMs = performance.now()
  try {
    // The open transaction keeps the copy at one moment. Without it SQLite begins again after each
    // write of another process (sqlite.org/c3ref/backup_finish.html), and never ends under load.
    client.exec('begin')
    client.prepare('select 1 from sqlite_schema').get()
    requireSpace(Number(client.pragma('page_count', { simple: true })) * pageBytes)
    await client.backup(draft, {
      progress({ totalPages, remainingPages }) {
        signal?.throwIfAborted()
        requireSpace(0)
        fdatasyncSync(file)
        const copiedBytes = (totalPages - remainingPages) * pageBytes
        onProgress?.({ copiedBytes, totalBytes: totalPages * pageBytes })
        if (isShared && logBytesOf(path) <= LOG_BYTES_MAX) pause(performance.now() - workedSinceMs)
        workedSinceMs = performance.now()
        return STEP_BYTES / pageBytes
      },
    })
  } finally {
    // Not before the copy is closed: closing a file ends the locks that SQLite holds on it.
    closeSync(file)
    release(client, path)
  }

  function requireSpace(bytes: number): void {
    const free = freeBytes(dirname(target))
    if (free < bytes + SPARE_BYTES)
      throw new BackupTargetError(
        target,
        `the disk has ${toMb(free)} MB left; ${bytes === 0 ? '' : `the copy needs ${toMb(bytes)} MB, and `}${toMb(SPARE_BYTES)} MB stay free for the gateway`,
      )
  }
}

/** Makes the copy one that needs no second file, as a backup has to be. */
export function leaveWalMode(draft: string): void {
  const client = new Database(draft, { fileMustExist: true })
  try {
    client.pragma('journal_mode = DELETE')
  } finally {
    client.close()
  }
}

/**
 * Ends the transaction. What the gateway wrote during the copy is moved into the database here:
 * that is long work for the disk, and the gateway's commits would wait for the end of it.
 */
function release(client: Database.Database, path: string): void {
  const mover = isGatewayRunning(path) ? new Database(path, { timeout: 0 }) : undefined
  try {
    // Opens the write-ahead log, so that the next two lines follow each other closely.
    mover?.prepare('select 1 from sqlite_schema').get()
    if (client.inTransaction) client.exec('commit')
    mover?.pragma('wal_checkpoint(PASSIVE)')
  } finally {
    mover?.close()
  }
}

function pause(workedMs: number): void {
  const [least, most] = PAUSE_MS
  const ms = Math.min(most, Math.max(least, PAUSE_PER_WORK * workedMs))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function logBytesOf(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
}

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

const toMb = (bytes: number) => Math.ceil(bytes / 1024 ** 2)

export interface Backup extends DatabaseSummary {
  readonly bytes: number
}

/**
 * Copies a database as it is at one moment into one file, also while a gateway uses it: a reader
 * does not block writers, and the gateway removes no old rows during the copy. The copy is verified
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
