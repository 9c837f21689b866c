import { statSync } from 'node:fs'
import { MEMORY_PATH } from './database-path.ts'

/**
 * Remembers which file a path names now. Returns whether it still names that one: a database that was removed or
 * replaced goes on taking writes, and all of them are gone with the process.
 */
export function watchFile(path: string): () => boolean {
  if (path === MEMORY_PATH) return () => true
  const opened = statSync(path, { bigint: true })
  return () => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found?.ino === opened.ino && found.dev === opened.dev
  }
}
