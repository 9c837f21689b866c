import { statSync } from 'node:fs'
import { MEMORY_PATH } from '../database-path.ts'

/**
 * Remembers which file a path names now.
 * @returns a function that says whether the path still names that file: a removed or replaced
 * database still accepts writes, but they are lost when the process ends
 */
export function watchFile(path: string): () => boolean {
  if (path === MEMORY_PATH) return () => true
  const opened = statSync(path, { bigint: true })
  return () => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found?.ino === opened.ino && found.dev === opened.dev
  }
}
