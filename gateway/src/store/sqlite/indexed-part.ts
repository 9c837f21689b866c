import type Database from 'better-sqlite3'
import type { LogRow } from '../log-store.ts'

// What the thread that reads the log needs of the index. It does not load what writes it.

/** A connection for reading the log; the worker has one of its own. */
export type LogSqlite = Database.Database

export type StoredLogRow = Omit<LogRow, 'shared'> & { readonly shared: 0 | 1 }

export const toLogRow = (row: StoredLogRow): LogRow => ({ ...row, shared: row.shared === 1 })

/** The id of the row that was committed last; 0 when there is none. */
export function newestRowId(sqlite: LogSqlite): number {
  return sqlite.prepare<[], number>('select max(id) from request_logs').pluck().get() ?? 0
}

/** The name under which the table of facts has it. */
export const INDEXED_PART = 'log_index'

/**
 * The part of the log that the index covers: every row with an id up to `toId` and a time of
 * `fromMs` or later has a key.
 */
export interface IndexedPart {
  readonly toId: number
  readonly fromMs: number
}

/** With more rows than this to be indexed, the rows are examined by time. */
const NEW_ROWS_MAX = 50_000

/** The part that the index covers; undefined when it does not help with a time. */
export function usableIndex(
  sqlite: LogSqlite,
  { sinceMs }: { readonly sinceMs: number },
): IndexedPart | undefined {
  const indexed = readIndexedPart(sqlite)
  if (indexed === undefined || sinceMs < indexed.fromMs) return undefined
  return newestRowId(sqlite) - indexed.toId > NEW_ROWS_MAX ? undefined : indexed
}

/** @returns undefined when the log was never indexed */
export function readIndexedPart(sqlite: LogSqlite): IndexedPart | undefined {
  const text = sqlite
    .prepare<[string], string>('select value from settings where name = ?')
    .pluck()
    .get(INDEXED_PART)
  return text === undefined ? undefined : JSON.parse(text)
}
