import { dirname } from 'node:path'
import type { Config } from '../../config.ts'
import { reserveFileOf, sizeOf } from '../../store/sqlite/disk-reserve.ts'
import { readDiskSpace } from '../disk-space.ts'
import { about, type Finding } from './finding.ts'

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
