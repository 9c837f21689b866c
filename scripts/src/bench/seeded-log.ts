import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { seedLog } from './seed-log.ts'

const FOLDER = '.cache/bench'
const MIGRATIONS = 'gateway/drizzle'
/** Older rows would not be of the last days any more. */
const AGE_MS_MAX = 6 * 3_600_000

/**
 * The path of a database with this many rows in its request log, which several benchmarks read. It
 * is made when there is none of today's tables and of the last hours. Nobody may change it: copy it
 * first.
 */
export function seededLog(rows: number): string {
  const tables = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql')).length
  const path = join(FOLDER, `log-${rows}-${tables}.db`)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined && Date.now() - found.mtimeMs < AGE_MS_MAX) return path
  mkdirSync(FOLDER, { recursive: true })
  for (const name of readdirSync(FOLDER))
    if (name.startsWith(`log-${rows}-`)) rmSync(join(FOLDER, name))
  const draft = `${path}.part`
  seedLog(draft, rows)
  renameSync(draft, path)
  return path
}
