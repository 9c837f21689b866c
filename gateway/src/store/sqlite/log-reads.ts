import { nextStep } from '../in-steps.ts'
import {
  IS_REFUSED,
  KEY_BEFORE,
  keyBefore,
  LOG_COLUMNS,
  type LogCondition,
  type LogKey,
  type LogRange,
  toCondition,
  untilKey,
  wholeRange,
} from '../log-filter.ts'
import {
  COUNTED_ROWS_MAX,
  type MinuteSums,
  readSteps,
  type StatusCount,
  startOf,
} from '../log-steps.ts'
import type {
  Histogram,
  HistogramRequest,
  LogFilter,
  LoggedOrder,
  LogPage,
  LogRow,
} from '../log-store.ts'
import { countByKinds, ofRow, partsOfKinds, rowOfKey, singlesOf, walkKinds } from './log-kinds.ts'
import {
  countByWalk,
  type IndexedPart,
  type LogSqlite,
  newestRowId,
  type StoredLogRow,
  toLogRow,
  usableIndex,
  walkNewest,
  walkRows,
} from './log-walk.ts'

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

    async orders(requestIds: readonly string[]): Promise<LoggedOrder[]> {
      return sqlite
        .prepare<[ids: string], LoggedOrder>(
          `select id, symbol, side, kind, quantity, price from order_journal
           where id in (select value from json_each(?))`,
        )
        .all(JSON.stringify(requestIds))
    },

    async count(
      filter: LogFilter,
      max = Number.MAX_SAFE_INTEGER,
      signal?: AbortSignal,
    ): Promise<number> {
      const range = wholeRange(filter)
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

/** Counts matching rows by their kinds where the counts per minute do not know the filter. */
function readHistogram(
  sqlite: LogSqlite,
  request: HistogramRequest,
  signal?: AbortSignal,
): Promise<Histogram> {
  return readSteps(request, {
    query: (text, params) => sqlite.prepare<[object], MinuteSums>(text).all(params),
    countRows: (rows) => countRows(sqlite, rows, signal),
  })
}

/** Undefined when there are too many rows, or the index does not cover the time. */
async function countRows(
  sqlite: LogSqlite,
  request: HistogramRequest,
  signal?: AbortSignal,
): Promise<StatusCount[] | undefined> {
  const { sinceMs, untilMs, stepMs } = request
  const condition = toCondition(request, 'like')
  const indexed = usableIndex(sqlite, request)
  if (condition === undefined || indexed === undefined) return undefined
  const range = { below: { atMs: untilMs, id: 0 }, sinceMs, afterId: -1 }
  const count = await countByKinds(sqlite, range, condition, indexed, COUNTED_ROWS_MAX + 1, signal)
  if (count > COUNTED_ROWS_MAX) return undefined
  const counts: StatusCount[] = []
  const span = { sinceMs, untilMs, stepMs }
  for await (const found of countsOf(sqlite, span, condition, indexed, signal)) counts.push(found)
  return counts
}

/** Counts the rows by kind, those that match by themselves, and those that are not indexed yet. */
async function* countsOf(
  sqlite: LogSqlite,
  span: { readonly sinceMs: number; readonly untilMs: number; readonly stepMs: number },
  condition: LogCondition,
  { toId }: IndexedPart,
  signal?: AbortSignal,
): AsyncGenerator<StatusCount, void> {
  const params = { ...condition.params, ...span, toId }
  const columns = (isRefused: string) =>
    `${startOf('at_ms')} as atMs, status_code as statusCode, count(*) as count,
     count(*) filter (where ${isRefused}) as refused`
  const inSpan = 'at_ms >= @sinceMs and at_ms < @untilMs'
  const ofKinds = sqlite.prepare<[object], StatusCount>(
    `select ${columns(`status_code >= 400 and ${rowOfKey(IS_REFUSED)}`)}
     from log_kinds cross join log_keys on log_keys.kind = log_kinds.id
     where log_kinds.id > @from and log_kinds.id <= @to and ${inSpan} and log_keys.id <= @toId
       and ${condition.kinds} ${ofRow(condition)} group by 1, 2`,
  )
  for await (const part of partsOfKinds(sqlite, signal)) yield* ofKinds.all({ ...params, ...part })
  for (const { index, sql } of singlesOf(condition)) {
    const ofRows = sqlite.prepare<[object], StatusCount>(
      `select ${columns(IS_REFUSED)} from request_logs indexed by ${index}
       where ${inSpan} and id <= @toId and ${sql} group by 1, 2`,
    )
    yield* ofRows.all(params)
    await nextStep(signal)
  }
  const ofNewest = sqlite.prepare<[object], StatusCount>(
    `select ${columns(IS_REFUSED)} from request_logs where id > @toId and ${inSpan} and ${condition.rows}
     group by 1, 2`,
  )
  yield* ofNewest.all(params)
}
