import type { LogSqlite } from './log-rows.ts'

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

/** @returns undefined when the log was never indexed */
export function readIndexedPart(sqlite: LogSqlite): IndexedPart | undefined {
  const text = sqlite
    .prepare<[string], string>('select value from settings where name = ?')
    .pluck()
    .get(INDEXED_PART)
  return text === undefined ? undefined : JSON.parse(text)
}
