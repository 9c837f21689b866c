import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createLogIndex } from 'gateway/store/sqlite/log-index.ts'
import { openStore } from 'gateway/store/sqlite/open.ts'
import { seedLog } from './seed-log.ts'

const FOLDER = '.cache/bench'
const MIGRATIONS = 'gateway/drizzle'
/** Older rows would not be of the last days any more. */
const AGE_MS_MAX = 6 * 3_600_000

/**
 * Copies the seeded log, and brings its index up to date as a gateway that ran until now has it:
 * building it in the gateway takes half a minute, and everything else would be measured beside it.
 */
export async function copySeededLog(rows: number, path: string): Promise<void> {
  copyFileSync(await seededLog(rows), path)
  await indexLog(path)
}

async function indexLog(path: string): Promise<void> {
  const store = openStore(path)
  await createLogIndex(store.db, 0).update(Date.now())
  store.close()
}

/**
 * The path of a database with this many rows in its request log, which several benchmarks read. It
 * is made when there is none of today's tables and of the last hours. Nobody may change it: copy it
 * first.
 */
async function seededLog(rows: number): Promise<string> {
  const tables = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql')).length
  const path = join(FOLDER, `log-${rows}-${tables}.db`)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined && Date.now() - found.mtimeMs < AGE_MS_MAX) return path
  mkdirSync(FOLDER, { recursive: true })
  for (const name of readdirSync(FOLDER))
    if (name.startsWith(`log-${rows}-`)) rmSync(join(FOLDER, name))
  const draft = `${path}.part`
  seedLog(draft, rows)
  await indexLog(draft)
  renameSync(draft, path)
  return path
}
