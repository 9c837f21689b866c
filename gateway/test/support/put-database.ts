import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { databasePath, MEMORY_PATH } from '../../src/store/database-path.ts'
import { openStore } from '../../src/store/sqlite/open.ts'

let migrated: Buffer | undefined

/**
 * Puts a migrated database where this URL names a file that is not there: to migrate one for each
 * test takes longer than many tests.
 */
export function putDatabase(url: string): void {
  const path = databasePath(url)
  if (path === MEMORY_PATH || existsSync(path)) return
  migrated ??= migrate()
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, migrated, { mode: 0o600 })
}

function migrate(): Buffer {
  const store = openStore(MEMORY_PATH)
  try {
    return store.db.$client.serialize()
  } finally {
    store.close()
  }
}
