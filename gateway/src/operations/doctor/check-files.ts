import { accessSync, constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { statOf } from '../../files/stat-of.ts'
import { about, type Finding } from './finding.ts'

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
export function isReadOnly(folder: string): boolean {
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
