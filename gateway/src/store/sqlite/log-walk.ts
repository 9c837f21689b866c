import type Database from 'better-sqlite3'
import { nextStep } from '../in-steps.ts'
import { LOG_COLUMNS, type LogCondition, type LogKey, type LogRange } from '../log-filter.ts'
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

/** Rows below one position, down to another one inclusive. */
interface LogStretch {
  readonly below: LogKey
  readonly from: LogKey
}

// Rows that one statement examines: 2 to 5 ms, whatever the filter.
const STRETCH_ROWS = 5_000
// Rows that are examined before anything is looked up: most filters find their page among them.
const NEWEST_ROWS = 2_000

const BELOW = '(at_ms, id) < (@belowMs, @belowId)'
const FROM = '(at_ms, id) >= (@fromMs, @fromId)'

/**
 * Reads the rows of a range that a condition lets through, newest first, by examining every row of
 * the range in steps.
 * @param rowsMax the most rows of a batch
 */
export async function* walkRows(
  sqlite: LogSqlite,
  range: LogRange,
  condition: LogCondition | undefined,
  rowsMax: number,
  signal?: AbortSignal,
): AsyncGenerator<LogRow[], void> {
  for await (const stretch of stretches(sqlite, range, signal))
    yield* walkStretch(sqlite, stretch, range.afterId, condition, rowsMax, signal)
}

/**
 * Reads the newest part of a range in the same way.
 * @returns the rest of the range; undefined when there is none
 */
export async function* walkNewest(
  sqlite: LogSqlite,
  range: LogRange,
  condition: LogCondition | undefined,
  rowsMax: number,
  signal?: AbortSignal,
): AsyncGenerator<LogRow[], LogRange | undefined> {
  const { below, sinceMs, afterId } = range
  const last = stretchReader(sqlite, sinceMs, NEWEST_ROWS)(below)
  const from = last ?? { atMs: sinceMs, id: 0 }
  yield* walkStretch(sqlite, { below, from }, afterId, condition, rowsMax, signal)
  return last && { ...range, below: last }
}

async function* walkStretch(
  sqlite: LogSqlite,
  stretch: LogStretch,
  afterId: number,
  condition: LogCondition | undefined,
  rowsMax: number,
  signal?: AbortSignal,
): AsyncGenerator<LogRow[], void> {
  const read = sqlite.prepare<[object], StoredLogRow>(
    `select ${LOG_COLUMNS} from request_logs
     where ${BELOW} and ${FROM} and id > @afterId and ${condition?.rows ?? 'true'}
     order by at_ms desc, id desc limit @rowsMax`,
  )
  let below: LogKey | undefined = stretch.below
  while (below !== undefined) {
    const found: StoredLogRow[] = read.all({
      ...condition?.params,
      ...toParams({ ...stretch, below }),
      ...{ afterId, rowsMax },
    })
    if (found.length > 0) yield found.map(toLogRow)
    below = found.length === rowsMax ? found.at(-1) : undefined
    if (below !== undefined) await nextStep(signal)
  }
}

/** Counts the rows that `walkRows` reads, until there are `max` of them. */
export async function countByWalk(
  sqlite: LogSqlite,
  range: LogRange,
  condition: LogCondition | undefined,
  max: number,
  signal?: AbortSignal,
): Promise<number> {
  const count = sqlite
    .prepare<[object], number>(
      `select count(*) from request_logs
       where ${BELOW} and ${FROM} and id > @afterId and ${condition?.rows ?? 'true'}`,
    )
    .pluck()
  let sum = 0
  const { afterId } = range
  for await (const stretch of stretches(sqlite, range, signal)) {
    sum += count.get({ ...condition?.params, ...toParams(stretch), afterId }) ?? 0
    if (sum >= max) return max
  }
  return sum
}

/** Divides a range into stretches of a bounded number of rows, newest first. */
async function* stretches(
  sqlite: LogSqlite,
  { below: newest, sinceMs }: LogRange,
  signal?: AbortSignal,
): AsyncGenerator<LogStretch, void> {
  const lastOfStretch = stretchReader(sqlite, sinceMs, STRETCH_ROWS)
  let below = newest
  for (;;) {
    const last = lastOfStretch(below)
    yield { below, from: last ?? { atMs: sinceMs, id: 0 } }
    if (last === undefined) return
    below = last
    await nextStep(signal)
  }
}

/** Finds the last row of a stretch below a position; undefined when fewer rows are left. */
function stretchReader(sqlite: LogSqlite, sinceMs: number, rows: number) {
  const read = sqlite.prepare<[object], LogKey>(
    `select at_ms as atMs, id from request_logs where ${BELOW} and at_ms >= @sinceMs
     order by at_ms desc, id desc limit 1 offset ${rows - 1}`,
  )
  return ({ atMs, id }: LogKey) => read.get({ belowMs: atMs, belowId: id, sinceMs })
}

function toParams({ below, from }: LogStretch) {
  return { belowMs: below.atMs, belowId: below.id, fromMs: from.atMs, fromId: from.id }
}
