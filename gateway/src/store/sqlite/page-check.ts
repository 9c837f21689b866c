import { execFile } from 'node:child_process'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'

// The bundle has the program beside the file that this module is in.
const PROGRAM = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? './page-check-process.ts' : './page-check-process.js',
    import.meta.url,
  ),
)
/** The gateway goes first when both want the processor. */
const LOWEST_PRIORITY = 19

/**
 * Reads every page of a database in a process of its own, while the gateway works.
 * @param signal ends that process
 * @returns what was found: an SqliteError where SQLite itself failed; undefined when all is well
 * @throws when the check could not be made
 */
export async function checkAllPages(path: string, signal: AbortSignal): Promise<Error | undefined> {
  const running = promisify(execFile)(process.execPath, [PROGRAM, path], { signal, env: {} })
  if (running.child.pid !== undefined) lowerPriority(running.child.pid)
  const found = (await running).stdout.trim()
  if (found === 'ok') return undefined
  const [, code, message] = /^(SQLITE_\w+) (.*)$/s.exec(found) ?? []
  return code === undefined ? new Error(found) : new Database.SqliteError(`${message}`, code)
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, LOWEST_PRIORITY)
  } catch (error) {
    // It has ended already.
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}

/** Reading every page takes 3 to 5 ms per MB: a third of a second at most for this size. */
const WHOLE_BYTES_MAX = 64 * 1024 ** 2
/** These tables grow with traffic or time. Every other table has a few thousand rows at most. */
const GROWING = [
  'request_logs',
  'log_minutes',
  'log_kinds',
  'log_keys',
  'order_journal',
  'audit_entries',
]

/**
 * Checks at the start whether the database file is damaged. A small file is checked completely. Of
 * a larger one only the tables that decide who may do what are checked: reading gigabytes would
 * delay the start too long. Other damage is found by the check of all pages that follows, or when
 * the page is read.
 * @returns what was found
 */
export function checkPages(
  client: Database.Database,
  wholeBytesMax = WHOLE_BYTES_MAX,
): Error | undefined {
  for (const pragma of checksOf(client, wholeBytesMax)) {
    const found = client.prepare<[], string>(`pragma ${pragma}`).pluck().get()
    if (found !== 'ok') return new Error(found)
  }
  return undefined
}

function checksOf(client: Database.Database, wholeBytesMax: number): readonly string[] {
  const number = (pragma: string) => Number(client.pragma(pragma, { simple: true }))
  if (number('page_count') * number('page_size') <= wholeBytesMax) return ['quick_check(1)']
  return client
    .prepare<[], string>(`select name from sqlite_schema where type = 'table'`)
    .pluck()
    .all()
    .filter((name) => !GROWING.includes(name) && !name.startsWith('sqlite_'))
    .map((name) => `quick_check("${name}")`)
}
