import { closeSync, fdatasyncSync, openSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { BackupTargetError } from '../errors.ts'
import { isGatewayRunning } from './is-running.ts'

/** How far a copy is. */
export interface CopyProgress {
  readonly copiedBytes: number
  readonly totalBytes: number
}

export interface CopyOptions {
  /** Ends the copy between two steps. */
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined
  /** Called once, between the copy and the check of it. */
  readonly onCopied?: (() => void) | undefined
  /** The free space of a folder's disk; for tests. */
  readonly freeBytes?: ((folder: string) => number) | undefined
}

export interface CopyFiles {
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
 * pauses. It blocks this process meanwhile, so that it belongs into one of its own.
 * @param client an open connection to the database, without a transaction
 * @throws BackupTargetError, SqliteError, errors of the file system, the signal's reason
 */
export async function copyPages(
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
 * Ends the transaction. What the gateway wrote meanwhile is moved into the database here: that is
 * long work for the disk, and the gateway's commits would wait for the end of it.
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
