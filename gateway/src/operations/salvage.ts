import { randomBytes } from 'node:crypto'
import { open, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { giveName, statOf, syncFile, syncFolder } from '../files/files.ts'
import { createAuditStore, type VerifiedAudit } from '../store/audit-store.ts'
import { SalvageTargetError, StoreInUseError } from '../store/errors.ts'
import { leaveWalMode } from '../store/sqlite/backup.ts'
import { checkNotEmpty, createRestoreStore } from '../store/sqlite/backup-file.ts'
import { createDatabase } from '../store/sqlite/database.ts'
import { type DatabaseSummary, examineDatabase } from '../store/sqlite/examine.ts'
import { isGatewayRunning } from '../store/sqlite/lock.ts'
import { openStore } from '../store/sqlite/open.ts'
import type { CopyRowsOptions } from '../store/sqlite/salvage/copy-rows.ts'
import { type SalvagedRows, salvageDatabase } from '../store/sqlite/salvage-database.ts'
import { toOpenError } from '../store/sqlite/sqlite-error.ts'
import { byCommand } from './command-line.ts'

interface SalvageOptions {
  /** The damaged database. */
  readonly from: string
  /** A file that does not exist yet. */
  readonly to: string
  readonly nowMs: () => number
  readonly onProgress?: CopyRowsOptions['onProgress']
}

export interface Salvaged extends SalvagedRows, DatabaseSummary {
  readonly bytes: number
  /** The audit trail before this command added its entry. */
  readonly audit: VerifiedAudit
  /** Orders that were queued: whether they were sent is unknown. */
  readonly inDoubt: number
}

/** Why the exchanges are stopped when a gateway starts on a salvaged database. */
const STOP_REASON =
  'the database was salvaged: compare the orders at the exchange with the journal, then resume'

/**
 * Makes a new database of every row of a damaged one that can be read. The damaged files are only
 * read. The new file gets its name when it is complete and verified. A gateway that starts on it
 * sends nothing before an administrator resumes the exchanges.
 * @throws SalvageTargetError, StoreInUseError, NotOurDatabaseError, StoreTooNewError
 */
export async function salvage({ from, to, nowMs, onProgress }: SalvageOptions): Promise<Salvaged> {
  if (isGatewayRunning(from)) throw new StoreInUseError(from)
  if ((await statOf(to)) !== undefined) throw new SalvageTargetError(to, 'it already exists')
  // The name is unique: other files that end in .part are not ours to remove.
  const draft = `${to}.${randomBytes(6).toString('hex')}.part`
  try {
    await (await open(draft, 'wx', 0o600)).close()
  } catch (error) {
    throw toTargetError(error, to)
  }
  try {
    const rows = rowsOf(from, draft, onProgress)
    const finished = await finish(draft, from, rows, nowMs)
    leaveWalMode(draft)
    const summary = examineDatabase(draft, to)
    checkNotEmpty(from, summary.rows)
    await syncFile(draft)
    await giveName(draft, to)
    await syncFolder(dirname(to))
    return { ...rows, ...finished, ...summary, bytes: (await stat(to)).size }
  } catch (error) {
    throw toTargetError(error, to)
  } finally {
    for (const part of ['', '-wal', '-shm', '-journal'])
      await rm(`${draft}${part}`, { force: true })
  }
}

function rowsOf(from: string, draft: string, onProgress: SalvageOptions['onProgress']) {
  try {
    return salvageDatabase(from, draft, onProgress)
  } catch (error) {
    throw toOpenError(error, from)
  }
}

/** Makes the new database one that a gateway may start on. */
async function finish(
  draft: string,
  from: string,
  { tables, lostOrders }: SalvagedRows,
  nowMs: () => number,
): Promise<Pick<Salvaged, 'audit' | 'inDoubt'>> {
  const { db, close } = openStore(draft)
  try {
    const trail = createAuditStore(createDatabase(db))
    const audit = await trail.verify()
    const restored = createRestoreStore(db)
    const inDoubt = await restored.doubtQueuedOrders()
    const lost = tables.filter((table) => table.lost !== 0)
    const hasLostOrders = lost.some(({ table }) => table === 'order_journal')
    await restored.stopAndMark({
      reason: STOP_REASON,
      // Which orders are missing is not known.
      mark: hasLostOrders ? { sinceMs: 0, restoredAtMs: nowMs() } : undefined,
      nowMs: nowMs(),
    })
    await trail.append(
      byCommand(nowMs(), {
        ...{ action: 'database.salvaged', subjectKind: 'database', subject: from },
        after: {
          inDoubt,
          lostOrders: lostOrders.length,
          lostRows: Object.fromEntries(lost.map((one) => [one.table, one.lost ?? null])),
        },
      }),
    )
    return { audit, inDoubt }
  } finally {
    close()
  }
}

function toTargetError(cause: unknown, to: string): unknown {
  if (!(cause instanceof Error && 'syscall' in cause && 'code' in cause)) return cause
  return new SalvageTargetError(to, reasons[String(cause.code)] ?? String(cause.code), { cause })
}

const reasons: Partial<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EEXIST: 'it already exists',
  ENOENT: 'there is no such folder',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
}
