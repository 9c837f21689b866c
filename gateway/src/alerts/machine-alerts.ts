import { EXCHANGE_NAMES, EXCHANGES, type ExchangeCode } from 'schema'
import type { DiskSpace } from '../operations/disk-space.ts'
import type { ReserveState } from '../store/stores.ts'
import type { ExchangeClock } from '../upstream/clock.ts'
import type { AlertBoard } from './alert-board.ts'

/**
 * A disk is nearly full when less than a tenth is free, or less than 1 GiB where a tenth is more
 * than that.
 */
const FREE_PART = 0.1
const FREE_BYTES = 1024 ** 3
const DRIFT_MS = 1_000
/**
 * An alert is cleared only a fifth beyond the limit at which it was raised, so that a value near
 * the limit does not raise it again and again.
 */
const MARGIN = 0.2

type Board = Pick<AlertBoard, 'raise' | 'clear'>

/**
 * Raises `disk.low` while there is still time to free space: no order is sent when the disk is
 * full.
 */
export function checkDisk({ raise, clear }: Board, { freeBytes, sizeBytes }: DiskSpace): void {
  const lowBytes = Math.min(sizeBytes * FREE_PART, FREE_BYTES)
  const detail = { freeBytes, sizeBytes }
  if (freeBytes < lowBytes)
    raise(
      'disk.low',
      'disk',
      'The disk of the database is nearly full. Once it is full, orders are rejected: free up space, or keep the log for fewer days',
      detail,
    )
  else if (freeBytes > lowBytes * (1 + MARGIN))
    clear('disk.low', 'disk', 'The disk of the database has enough space again', detail)
}

/** Raises `disk.full` while the gateway writes into its reserve. */
export function reportReserve({ raise, clear }: Board, reserve: ReserveState): void {
  if (reserve === 'given-up')
    raise(
      'disk.full',
      'disk',
      'The disk of the database is full. New orders are refused; cancels, tokens, sign-in and stops still work for a while, in a reserve. Free space on the disk now: orders are taken again by themselves',
    )
  else clear('disk.full', 'disk', 'The disk has space again, and orders are taken')
}

interface BackupState {
  /** When the copied state was; undefined: no backup was made yet. */
  readonly lastMs: number | undefined
  /** BACKUP_MAX_AGE_HOURS; 0: `backup.old` is never raised. */
  readonly maxAgeMs: number
  /** Since when one is expected: counts until the first one is made. */
  readonly sinceMs: number
  readonly nowMs: number
}

/** A daily backup, and two hours for it to be made. */
const BACKUP_MISSING_MS = 26 * 3_600_000

/**
 * Raises `backup.missing` when there is none of the last 26 hours, or of the longer time that
 * BACKUP_MAX_AGE_HOURS allows, and `backup.old` when the last one is older than that setting.
 */
export function checkBackup({ raise, clear }: Board, state: BackupState): void {
  const { lastMs, maxAgeMs, sinceMs, nowMs } = state
  const detail = { lastBackupAt: lastMs === undefined ? null : new Date(lastMs).toISOString() }
  const ageMs = nowMs - (lastMs ?? sinceMs)
  if (ageMs > Math.max(BACKUP_MISSING_MS, maxAgeMs))
    raise(
      'backup.missing',
      'database',
      lastMs === undefined
        ? 'The gateway knows of no backup of its database. Set one up: docs/operations/backup.md'
        : `The last backup that the gateway knows of was made at ${detail.lastBackupAt}. Find out why no newer one was made: docs/operations/backup.md`,
      detail,
    )
  else clear('backup.missing', 'database', 'There is a new backup of the database', detail)
  if (maxAgeMs > 0 && ageMs > maxAgeMs)
    raise(
      'backup.old',
      'database',
      'The last backup of the database is older than BACKUP_MAX_AGE_HOURS. Find out why no newer one was made',
      detail,
    )
  else clear('backup.old', 'database', 'There is a new backup of the database', detail)
}

/** Raises `store.damaged` until the process ends: a damaged file does not repair itself. */
export function reportDamage({ raise }: Pick<Board, 'raise'>): void {
  raise(
    'store.damaged',
    'database',
    'The database is damaged. Nothing more is written to it and no order is sent: stop the gateway, keep a copy of the database files, check them with npm run doctor, and restore the latest backup, or what npm run salvage can still read',
  )
}

/**
 * Raises `clock.drift` when the clocks of this machine and an exchange differ by more than a
 * second.
 */
export function checkClocks(
  { raise, clear }: Board,
  clocks: Readonly<Record<ExchangeCode, Pick<ExchangeClock, 'offsetMs'>>>,
): void {
  for (const exchange of EXCHANGES) {
    const offsetMs = clocks[exchange].offsetMs()
    const name = EXCHANGE_NAMES[exchange]
    if (Math.abs(offsetMs) > DRIFT_MS)
      raise(
        'clock.drift',
        exchange,
        `The clocks of this machine and ${name} differ by more than a second. Requests are signed with ${name}'s time, but the log and the tokens use this machine's: check its time service`,
        { offsetMs },
      )
    else if (Math.abs(offsetMs) < DRIFT_MS * (1 - MARGIN))
      clear('clock.drift', exchange, `The clocks of this machine and ${name} agree again`, {
        offsetMs,
      })
  }
}

/**
 * Raises an alert when the next start could not use the master key file. The running gateway keeps
 * the keys that it has.
 */
export function createKeyFileAlerts({ raise, clear }: Pick<AlertBoard, 'raise' | 'clear'>) {
  return {
    /** The file was changed, and the gateway rejected it. */
    rejected(): void {
      raise(
        'master-key.refused',
        'file',
        'The master key file was changed and cannot be used; the log has the reason. The gateway keeps using the keys that it has, but it could not start again: put the right file back',
      )
    },

    /** The file was changed, and the gateway loaded its keys. */
    loaded(): void {
      clear('master-key.refused', 'file', 'The master key file can be used again')
    },
  }
}
