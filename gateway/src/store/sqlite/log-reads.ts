import { toCondition } from '../log-filter.ts'
import {
  KEY_BEFORE,
  keyBefore,
  LOG_COLUMNS,
  type LogKey,
  type LogRange,
  untilKey,
} from '../log-range.ts'
import type { HistogramRequest, LogFilter, LogPage, LogRow } from '../log-store.ts'
import { nextStep } from '../next-step.ts'
import { usableIndex } from './indexed-part.ts'
import { readHistogram } from './log-histogram.ts'
import { countByKinds, walkKinds } from './log-kinds.ts'
import { type LogSqlite, newestRowId, type StoredLogRow, toLogRow } from './log-rows.ts'
import { countByWalk, walkNewest, walkRows } from './log-walk.ts'

// Rows of a batch: they are read in about 2 ms.
const ROWS_AT_ONCE = 500
// Rows whose times one statement compares: about 2 ms.
const IDS_AT_ONCE = 20_000

/**
 * Reads the request log in short steps, with a turn of the event loop between two of them. Needs
 * nothing but a connection, because the log's worker has one of its own.
 */
export function createLogReads(sqlite: LogSqlite) {
  return {
    async page(page: LogPage, signal?: AbortSignal): Promise<LogRow[]> {
      if (page.id !== undefined) return rowWithId(sqlite, page.id)
      const rows: LogRow[] = []
      if (page.limit < 1) return rows
      for await (const batch of readRows(
        sqlite,
        page,
        Math.min(page.limit, ROWS_AT_ONCE),
        signal,
      )) {
        rows.push(...batch)
        if (rows.length >= page.limit) break
      }
      return rows.slice(0, page.limit)
    },

    all(filter: LogFilter, signal?: AbortSignal): AsyncGenerator<LogRow[], void> {
      return readRows(sqlite, filter, ROWS_AT_ONCE, signal)
    },

    histogram(request: HistogramRequest, signal?: AbortSignal) {
      return readHistogram(sqlite, request, signal)
    },

    async count(
      filter: LogFilter,
      max = Number.MAX_SAFE_INTEGER,
      signal?: AbortSignal,
    ): Promise<number> {
      const range = { below: untilKey(filter), sinceMs: filter.sinceMs, afterId: -1 }
      const condition = toCondition(filter, 'like')
      const indexed = condition && usableIndex(sqlite, filter)
      return condition !== undefined && indexed !== undefined
        ? countByKinds(sqlite, range, condition, indexed, max, signal)
        : countByWalk(sqlite, range, condition, max, signal)
    },
  }
}

const ROW_WITH_ID = `select ${LOG_COLUMNS} from request_logs where id = ?`

function rowWithId(sqlite: LogSqlite, id: number): LogRow[] {
  return sqlite.prepare<[number], StoredLogRow>(ROW_WITH_ID).all(id).map(toLogRow)
}

async function* readRows(
  sqlite: LogSqlite,
  page: Omit<LogPage, 'limit'>,
  rowsMax: number,
  signal?: AbortSignal,
): AsyncGenerator<LogRow[], void> {
  const below = newestKey(sqlite, page)
  const sinceMs = await oldestMs(sqlite, page, signal)
  if (below === undefined || sinceMs === undefined) return
  const range: LogRange = { below, sinceMs, afterId: page.afterId ?? -1 }
  const condition = toCondition(page, 'like')
  const indexed = condition && usableIndex(sqlite, page)
  if (condition === undefined || indexed === undefined) {
    yield* walkRows(sqlite, range, condition, rowsMax, signal)
    return
  }
  const rest = yield* walkNewest(sqlite, range, condition, rowsMax, signal)
  if (rest === undefined) return
  const readRow = sqlite.prepare<[number], StoredLogRow>(ROW_WITH_ID)
  for await (const keys of walkKinds(sqlite, rest, condition, indexed, rowsMax, signal)) {
    // A row that was removed since its key was read is missing.
    const rows = keys.map(({ id }) => readRow.get(id)).filter((row) => row !== undefined)
    yield rows.map(toLogRow)
  }
}

/** The place below which the page begins; undefined when there can be no row. */
function newestKey(sqlite: LogSqlite, page: Omit<LogPage, 'limit'>): LogKey | undefined {
  const { beforeId } = page
  if (beforeId === undefined) return untilKey(page)
  return keyBefore(page, sqlite.prepare<[object], LogKey>(KEY_BEFORE).get({ beforeId }))
}

/**
 * The time at which the walk may end. A row that was committed later can have an earlier time,
 * because a request is logged at the end of its wait. Therefore the oldest of the new rows decides.
 * @returns undefined when there are no new rows
 */
async function oldestMs(
  sqlite: LogSqlite,
  { afterId, sinceMs }: Omit<LogPage, 'limit'>,
  signal?: AbortSignal,
): Promise<number | undefined> {
  if (afterId === undefined) return sinceMs
  const oldest = sqlite
    .prepare<[number, number], number | null>(
      'select min(at_ms) from request_logs where id > ? and id <= ?',
    )
    .pluck()
  const newestId = newestRowId(sqlite)
  let found: number | undefined
  for (let after = afterId; after < newestId; after += IDS_AT_ONCE) {
    const atMs = oldest.get(after, after + IDS_AT_ONCE) ?? undefined
    if (atMs !== undefined) found = Math.min(found ?? atMs, atMs)
    if (found !== undefined && found <= sinceMs) return sinceMs
    await nextStep(signal)
  }
  return found === undefined ? undefined : Math.max(found, sinceMs)
}
