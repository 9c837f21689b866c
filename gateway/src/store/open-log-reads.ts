import Database from 'better-sqlite3'
import type { LogReads } from './log-store.ts'
import { createLogReads } from './sqlite/log-reads.ts'

// What the thread loads that reads the log: `LogStore.thread` names the database. A server that has
// the database needs no thread: its statements do not take the event loop's time.

/** KiB that the connection keeps of the file; the system keeps the rest. */
const CACHE_KIB = 8_192

/** The reads of the log in a database file, with a connection of their own. */
export function openLogReads(path: string): { readonly reads: LogReads; close(): void } {
  const sqlite = new Database(path, { readonly: true, fileMustExist: true })
  sqlite.pragma(`cache_size = -${CACHE_KIB}`)
  return { reads: createLogReads(sqlite), close: () => void sqlite.close() }
}
