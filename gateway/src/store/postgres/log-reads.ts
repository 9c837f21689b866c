import type pg from 'pg'
import {
  IS_REFUSED,
  KEY_BEFORE,
  keyBefore,
  LOG_COLUMNS,
  type LogCondition,
  type LogKey,
  type LogRange,
  toCondition,
  toParams,
  wholeRange,
} from '../log-filter.ts'
import { COUNTED_ROWS_MAX, readSteps, type StatusCount, startOf } from '../log-steps.ts'
import type {
  Histogram,
  HistogramRequest,
  LogFilter,
  LoggedOrder,
  LogPage,
  LogReads,
  LogRow,
} from '../log-store.ts'
import type { Db } from './open.ts'
import { storable } from './tables.ts'
import { readingOnce } from './write.ts'

/** Rows that an export reads at once. */
const ROWS_AT_ONCE = 1_000
/**
 * Rows that are examined before anything is looked up: those of a filter that lets every fourth row
 * through are among them.
 */
const newestRows = (max: number) => 2_000 + 4 * max
/** With more new rows than this, the page is read from the newest row down. */
const NEW_ROWS_MAX = 20_000

const NEWEST_FIRST = 'order by at_ms desc, id desc'

/** Where a row has to be. `sinceOf` says what `@since` means. */
const inRange = (since: string) =>
  `at_ms >= ${since} and (at_ms, id) < (@belowMs, @belowId) and id > @afterId`

/** Reads the request log, each part of it with one statement. */
export function createLogReads(db: Db): LogReads {
  return {
    async page(page, signal) {
      const { id, limit } = page
      if (id !== undefined) return readLog(db, ROW_WITH_ID, { id }, signal)
      if (limit < 1) return []
      const range = await rangeOf(db, page, signal)
      return range === undefined ? [] : readRows(db, page, range, limit, signal)
    },

    async *all(filter, signal) {
      let range: LogRange = wholeRange(filter)
      for (;;) {
        const rows = await readRows(db, filter, range, ROWS_AT_ONCE, signal)
        if (rows.length > 0) yield rows
        const last = rows.at(-1)
        if (last === undefined || rows.length < ROWS_AT_ONCE) return
        range = { ...range, below: { atMs: last.atMs, id: last.id } }
      }
    },

    histogram: (request, signal) => readHistogram(db, request, signal),

    orders: (requestIds) =>
      readingOnce<LoggedOrder>(db, {
        text: `select id, symbol, side, kind, quantity, price from order_journal
               where id = any($1::text[])`,
        values: [requestIds],
      }),

    async count(filter, max = Number.MAX_SAFE_INTEGER, signal) {
      const condition = toCondition(filter, 'ilike')
      const found =
        condition === undefined
          ? `select 1 from request_logs where ${inRange('@sinceMs')}`
          : sources(condition, '@sinceMs', 'id').join(' union all ')
      const params = { ...toParams(wholeRange(filter)), ...condition?.params, max }
      const [row] = await readLog<{ count: number }>(
        db,
        `select count(*) as count from (${found} limit @max) as found`,
        params,
        signal,
      )
      return row?.count ?? 0
    },
  }
}

const ROW_WITH_ID = `select ${LOG_COLUMNS} from request_logs where id = @id`

/** The part of the log that a page is in; undefined when there can be no row. */
async function rangeOf(
  db: Db,
  page: LogPage,
  signal: AbortSignal | undefined,
): Promise<LogRange | undefined> {
  const { beforeId, afterId = -1 } = page
  if (beforeId === undefined) return { ...wholeRange(page), afterId }
  const [row] = await readLog<{ atMs: number; id: number }>(db, KEY_BEFORE, { beforeId }, signal)
  const below: LogKey | undefined = keyBefore(page, row)
  return below && { below, sinceMs: page.sinceMs, afterId }
}

/** The newest rows of a range that a filter lets through. */
async function readRows(
  db: Db,
  filter: LogFilter,
  range: LogRange,
  max: number,
  signal: AbortSignal | undefined,
): Promise<LogRow[]> {
  const condition = toCondition(filter, 'ilike')
  const since = range.afterId < 0 ? '@sinceMs' : SINCE_OF_NEW
  const params = { ...toParams(range), max }
  const walked = `from request_logs where ${inRange(since)} ${NEWEST_FIRST}`
  if (condition === undefined)
    return readLog(db, `select ${LOG_COLUMNS} ${walked} limit @max`, params, signal)
  const all = { ...params, ...condition.params, newestRows: newestRows(max) }
  const newest = await readLog<LogRow>(
    db,
    `select ${LOG_COLUMNS} from (select * ${walked} limit @newestRows) as newest
     where ${condition.rows} ${NEWEST_FIRST} limit @max`,
    all,
    signal,
  )
  if (newest.length >= max) return newest
  const keys = sources(condition, since, 'id, at_ms').map(
    (source) => `(${source} ${NEWEST_FIRST} limit @max)`,
  )
  // With an array the rows are read by their ids: a join may read the whole log for 10,000 of them.
  return readLog(
    db,
    `select ${LOG_COLUMNS} from request_logs where id = any(array(
       select id from (${keys.join(' union all ')}) as found ${NEWEST_FIRST} limit @max
     )) ${NEWEST_FIRST}`,
    all,
    signal,
  )
}

/**
 * Statements that each find rows of a range, by an index: those of the kinds that match, and those
 * that match although their kind does not. A kind is what filters look at: endpoint, client,
 * status, method and error code. There are few kinds and many rows.
 */
function sources(
  { kinds, ofRow = 'true', singles }: LogCondition,
  since: string,
  columns: string,
): string[] {
  const ofKinds = `select ${columns} from (select kind as found_kind from log_kinds where ${kinds}) as kinds
    cross join lateral (select id, at_ms from request_logs
      where kind = found_kind and ${ofRow} and ${inRange(since)} ${NEWEST_FIRST} limit @max) as rows`
  const others = [singles?.byNote, singles?.byRequestId].filter((one) => one !== undefined)
  return [
    ofKinds,
    ...others.map(
      (condition) => `select ${columns} from request_logs where ${inRange(since)} and ${condition}`,
    ),
  ]
}

/**
 * The time from which rows are looked for that were committed after one. A row that was committed
 * later can have an earlier time, because a request is logged at the end of its wait. Therefore the
 * oldest of the new rows decides.
 */
const SINCE_OF_NEW = `(
  select case count(*) when 0 then ${Number.MAX_SAFE_INTEGER} when ${NEW_ROWS_MAX} then @sinceMs
    else greatest(min(at_ms), @sinceMs) end
  from (select at_ms from request_logs where id > @afterId order by id limit ${NEW_ROWS_MAX}) as newer)`

/** Counts matching rows by their kinds where the counts per minute do not know the filter. */
function readHistogram(
  db: Db,
  request: HistogramRequest,
  signal?: AbortSignal,
): Promise<Histogram> {
  return readSteps(request, {
    query: (text, params) => readLog(db, text, params, signal),
    countRows: (rows) => countRows(db, rows, signal),
  })
}

/** Undefined when there are too many rows. */
async function countRows(
  db: Db,
  request: HistogramRequest,
  signal: AbortSignal | undefined,
): Promise<StatusCount[] | undefined> {
  const { sinceMs, untilMs, stepMs } = request
  const condition = toCondition(request, 'ilike')
  if (condition === undefined) return undefined
  const { kinds, ofRow = 'true', singles, params } = condition
  const inSpan = 'at_ms >= @sinceMs and at_ms < @untilMs'
  const others = [singles?.byNote, singles?.byRequestId].filter((one) => one !== undefined)
  const found = [
    `select at_ms, status_code, upstream_ms
     from (select kind as found_kind, status_code from log_kinds where ${kinds}) as kinds
     cross join lateral
       (select at_ms, upstream_ms from request_logs
        where kind = found_kind and ${ofRow} and ${inSpan} limit @max) as rows`,
    ...others.map(
      (other) =>
        `select at_ms, status_code, upstream_ms from request_logs where ${inSpan} and ${other}`,
    ),
  ].join(' union all ')
  const counts = await readLog<StatusCount>(
    db,
    `select ${startOf('at_ms')} as "atMs", status_code as "statusCode", count(*) as count,
       count(*) filter (where ${IS_REFUSED}) as refused
     from (${found} limit @max) as found group by 1, 2`,
    { ...params, sinceMs, untilMs, stepMs, max: COUNTED_ROWS_MAX + 1 },
    signal,
  )
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  return total > COUNTED_ROWS_MAX ? undefined : counts
}

/** Values by the names that a statement has for them: `@name`. */
type LogParams = Readonly<Record<string, string | number>>

/**
 * Runs a statement that reads the log. It has connections and a time limit of its own, so it takes
 * none from an order. The server ends it when the signal aborts.
 * @throws the signal's reason, StoreUnwritableError, StoreDamagedError
 */
function readLog<Row extends pg.QueryResultRow>(
  db: Db,
  text: string,
  params: LogParams,
  signal?: AbortSignal,
): Promise<Row[]> {
  return readingOnce<Row>(db, toQuery(text, params), signal)
}

/** Puts positions in place of the names. */
function toQuery(text: string, params: LogParams): pg.QueryConfig {
  const names: string[] = []
  const positional = text.replaceAll(/@(\w+)/g, (_match, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return { text: positional, values: names.map((name) => toValue(params[name])) }
}

/** As the columns are: text has no NUL, times and ids are whole. */
function toValue(value: string | number | undefined): unknown {
  return typeof value === 'string' ? storable(value) : value && Math.ceil(value)
}
