import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'

/**
 * What is known of a file; undefined when there is none.
 * @throws what else keeps it from being looked at, such as EACCES: that is no proof that there is none
 */
export async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
