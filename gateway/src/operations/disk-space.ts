import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MEMORY_PATH } from '../store/database-path.ts'

export interface DiskSpace {
  /** The space that this user may still write. */
  readonly freeBytes: number
  readonly sizeBytes: number
}

/** The space on the disk of the database; undefined for a database in memory. */
export async function readDiskSpace(databaseFile: string): Promise<DiskSpace | undefined> {
  if (databaseFile === MEMORY_PATH) return undefined
  const { bavail, blocks, bsize } = await statfs(dirname(databaseFile))
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}
