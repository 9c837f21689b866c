import type Database from 'better-sqlite3'
import type { LogRow } from '../log-store.ts'

/** A connection for reading the log; the worker has one of its own. */
export type LogSqlite = Database.Database

export type StoredLogRow = Omit<LogRow, 'shared'> & { readonly shared: 0 | 1 }

export const toLogRow = (row: StoredLogRow): LogRow => ({ ...row, shared: row.shared === 1 })

/** The id of the row that was committed last; 0 when there is none. */
export function newestRowId(sqlite: LogSqlite): number {
  return sqlite.prepare<[], number>('select max(id) from request_logs').pluck().get() ?? 0
}
