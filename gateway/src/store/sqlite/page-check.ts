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
