import { type LogSqlite, newestRowId } from './log-rows.ts'

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
