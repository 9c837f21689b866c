import { accessSync, constants, existsSync } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Config, readyUrl } from '../../config.ts'
import { statOf } from '../../files/files.ts'
import { DamagedDatabaseError, NotOurDatabaseError } from '../../store/errors.ts'
import { storesBeside } from '../../store/sqlite/create-stores.ts'
import { reserveFileOf, sizeOf } from '../../store/sqlite/disk-reserve.ts'
import { damagedTables, examineDatabase } from '../../store/sqlite/examine.ts'
import { isGatewayRunning } from '../../store/sqlite/lock.ts'
import { openReadOnly } from '../../store/sqlite/open.ts'
import type { StoresBeside } from '../../store/stores.ts'
import { readDiskSpace } from '../disk-space.ts'
import { about, type Finding } from './finding.ts'

export interface DatabaseCheck {
  readonly findings: readonly Finding[]
  /**
   * The open database for further checks; undefined when they make no sense. The caller closes it.
   */
  readonly stores: StoresBeside | undefined
}

const isDamaged = (error: unknown) =>
  error instanceof DamagedDatabaseError ||
  (error instanceof NotOurDatabaseError && error.message.includes('not an SQLite file'))

/** SQLite writes a file beside a database that has a write-ahead log, even to read it. */
function unread(path: string): Finding {
  return about('database').fail(
    `${path} is on a read-only file system, where SQLite cannot open it; whether it is intact was not checked`,
    'Copy it and the files beside it (-wal, -shm) to another disk, and run the doctor there with DATABASE_URL, or make the file system writable.',
  )
}

function damaged(path: string, error: unknown): Finding {
  const { fail } = about('database')
  const tables = damagedTables(path)
  const where =
    tables === undefined
      ? 'not even its list of tables can be read'
      : tables.length === 0
        ? 'no table by itself is damaged'
        : `damaged are ${tables.join(', ')}`
  const found = error instanceof Error ? error.message.split('. Nothing was changed')[0] : ''
  return fail(
    `${found}; ${where}`,
    `Stop the bots and the gateway. Copy "${path}" and the files beside it (-wal, -shm) to another disk, and keep them: they may have orders that no backup has. Then restore the newest backup (npm run restore), or read what is left: npm run salvage -- --from "${path}" --to NEW. docs/operations/recovery.md has the steps.`,
  )
}

/** Checks the whole database. A gateway may use it at the same time. */
export function checkDatabase(path: string): DatabaseCheck {
  const { ok, warn, failed } = about('database')
  if (!existsSync(path)) {
    const found = `there is none at ${path}`
    const advice =
      'The first start creates it. If there should be one, check DATABASE_URL or restore a backup.'
    return { stores: undefined, findings: [warn(found, advice)] }
  }
  try {
    const { rows } = examineDatabase(path)
    const store = openReadOnly(path)
    const whole = ok(
      `${path} is intact: ${rows.clients ?? 0} clients, ${rows.order_journal ?? 0} orders, ${rows.request_logs ?? 0} log rows`,
    )
    if (!store.isCurrent) {
      store.close()
      const advice = 'Make a backup; the next start migrates it.'
      return {
        stores: undefined,
        findings: [whole, warn('it has the tables of an older version', advice)],
      }
    }
    return { stores: storesBeside(store.db, path, store.close), findings: [whole] }
  } catch (error) {
    if (isDamaged(error)) return { stores: undefined, findings: [damaged(path, error)] }
    if (isReadOnly(dirname(path))) return { stores: undefined, findings: [unread(path)] }
    return { stores: undefined, findings: [failed(error)] }
  }
}

/**
 * With less than the first value the database cannot grow for long; with less than the second it
 * soon fails.
 */
const FREE_WARN_BYTES = 1024 ** 3
const FREE_FAIL_BYTES = 100 * 1024 ** 2

/** Checks who may read the files beside the database, and whether the disk has space. */
export async function checkFiles(path: string): Promise<readonly Finding[]> {
  const folder = dirname(path)
  const parts = await Promise.all([
    checkMode(folder, 0o700, 'its folder'),
    checkMode(path, 0o600, 'the database'),
    checkMode(`${path}-wal`, 0o600, 'its write-ahead log'),
    checkMode(`${path}-shm`, 0o600, 'its shared memory'),
  ])
  const readOnly = isReadOnly(folder) ? [aboutReadOnly(folder)] : []
  const wrong = [...readOnly, ...parts.filter((finding) => finding !== undefined)]
  const { ok } = about('files')
  return [
    ...(wrong.length > 0 ? wrong : [ok(`${folder} is accessible to this user only`)]),
    await checkRoom(folder),
  ]
}

/** Whether a folder is on a file system that nobody may write. */
function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EROFS'
  }
}

function aboutReadOnly(folder: string): Finding {
  return about('files').fail(
    `the file system of ${folder} is read-only`,
    'A gateway on it sends no order, signs nobody in and issues no token, and none can be started. Systems often do this to a disk that fails: look at the log of the kernel (dmesg) before you make it writable again, and copy the database files to another disk first.',
  )
}

/** Undefined when the mode is right or the file does not exist. */
async function checkMode(path: string, right: number, what: string): Promise<Finding | undefined> {
  const { fail, warn } = about('files')
  const found = await statOf(path).catch((error: Error) => error)
  if (found instanceof Error)
    return fail(
      `${what} cannot be checked: ${found.message}`,
      'Give the user of the gateway access to its folder',
    )
  if (found === undefined) return undefined
  const mode = (found.mode & 0o777).toString(8)
  // Windows has no such modes and reports every file as readable by all.
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
    return warn(
      `other users can read ${what} (mode ${mode})`,
      `chmod ${right.toString(8)} "${path}"`,
    )
  const problem = await access(path, constants.R_OK | constants.W_OK).catch((error) => error)
  if (problem === undefined) return undefined
  // Said once, of the folder.
  if (problem.code === 'EROFS') return undefined
  return fail(
    `this user cannot write ${what}`,
    `Run this as the user of the gateway, or make that user the owner of "${path}".`,
  )
}

async function checkRoom(folder: string): Promise<Finding> {
  const { ok, warn, fail } = about('disk')
  try {
    const { bavail, bsize, blocks } = await statfs(folder)
    const free = bavail * bsize
    const found = `${gigabytes(free)} GB of ${gigabytes(blocks * bsize)} free`
    const advice =
      'Free up space, or lower LOG_RETENTION_DAYS. On a full disk no order is sent, because none can be recorded.'
    if (free < FREE_FAIL_BYTES) return fail(found, advice)
    return free < FREE_WARN_BYTES ? warn(found, advice) : ok(found)
  } catch (error) {
    return about('disk').failed(error)
  }
}

const gigabytes = (bytes: number) => (bytes / 1024 ** 3).toFixed(1)

/** Checks the file that the gateway gives up when the disk is full. */
export async function checkReserve(
  path: string,
  { diskReserveBytes: bytes }: Pick<Config, 'diskReserveBytes'>,
): Promise<Finding> {
  const { ok, warn, fail, failed } = about('disk reserve')
  if (bytes === 0) return ok('none is kept (DISK_RESERVE_MB is 0)')
  try {
    const size = sizeOf(reserveFileOf(path))
    const neededMb = (2 * bytes) / 1024 ** 2
    if (size === 0)
      return fail(
        'the disk was full, and the reserve was given up: new orders are refused',
        `Free space on the disk of ${dirname(path)}. Within 10 seconds after ${neededMb} MB are free, a running gateway makes the reserve again and takes orders. Until then tokens, sign-in, cancels and stops work, as long as the reserve lasts.`,
      )
    if (size !== undefined) return ok(`${Math.round(size / 1024 ** 2)} MB are kept`)
    const { freeBytes = 0 } = (await readDiskSpace(path)) ?? {}
    return freeBytes < 2 * bytes
      ? warn(
          'there is none, and no room for it: a full disk will refuse tokens and sign-in too',
          `Free space: it is made once ${neededMb} MB are free (DISK_RESERVE_MB).`,
        )
      : ok('none yet: a gateway makes it when it starts')
  } catch (error) {
    return failed(error)
  }
}

const PATIENCE_MS = 5_000
const PROXY_ADVICE =
  'Set TRUST_PROXY to the address of the proxy and restart the gateway. The proxy must replace X-Forwarded-For, or append to it.'

/** Checks whether a gateway uses the database file, and what its health route says. */
export async function checkGateway(path: string, config: Config): Promise<Finding> {
  const { ok, failed } = about('gateway')
  try {
    if (!isGatewayRunning(path)) return ok('none is running on this database')
  } catch (error) {
    return failed(error)
  }
  return checkReady(config)
}

/** Says what the health route of the gateway on this machine says. */
export async function checkReady({ listen }: Pick<Config, 'listen'>): Promise<Finding> {
  const { ok, warn, fail } = about('gateway')
  const url = readyUrl(listen)
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
    const { reasons = [], warnings = [] } = Object(await response.json())
    if (response.ok && warnings.length > 0)
      return warn(`one is running and ready, but: ${warnings.join('; ')}`, PROXY_ADVICE)
    if (response.ok) return ok(`one is running and ready (${url})`)
    return fail(`one is running but not ready: ${reasons.join('; ')}`, 'Its log has the details.')
  } catch {
    // A refused connection, a timeout and a wrong response need the same advice.
    return warn(
      `one is running on this database but does not respond at ${url}`,
      'It is starting, stopping or hanging, or its HOST and PORT differ from those of this command.',
    )
  }
}
