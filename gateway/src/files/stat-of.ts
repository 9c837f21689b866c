import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'

/**
 * The status of a file; undefined when it does not exist.
 * @throws every other error, such as EACCES: it does not prove that the file is missing
 */
export async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
