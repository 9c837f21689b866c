import type { Histogram, HistogramRequest, HistogramStep, LogFilter } from '../log-store.ts'
import { type IndexedPart, usableIndex } from './indexed-part.ts'
import { type LogCondition, toCondition } from './log-filter.ts'
import { countByKinds, partsOfKinds, singlesOf } from './log-kinds.ts'
import type { LogSqlite } from './log-rows.ts'
import { nextStep } from './next-step.ts'

const MINUTE_MS = 60_000
/** The start of a time's step. Bound numbers are floating point, and are not divided whole. */
const startOf = (timeMs: string) =>
  `${timeMs} / cast(@stepMs as integer) * cast(@stepMs as integer)`
/** Rows that are counted one by one: about 20 ms. */
const ROWS_MAX = 200_000

/**
 * Counts the requests of each step from the counts per minute, which know the client and whether a
 * request succeeded. For any other filter the rows that match are counted by their kinds.
 */
export async function readHistogram(
  sqlite: LogSqlite,
  request: HistogramRequest,
  signal?: AbortSignal,
): Promise<Histogram> {
  const { search = '', code, method, endpoint } = request
  const isOfMinutes = search === '' && code === undefined && (method ?? endpoint) === undefined
  if (isOfMinutes) return { isFiltered: true, steps: sumMinutes(sqlite, request) }
  const counted = await countRows(sqlite, request, signal)
  if (counted !== undefined) return { isFiltered: true, steps: counted }
  const { sinceMs, untilMs, stepMs } = request
  return { isFiltered: false, steps: sumMinutes(sqlite, { sinceMs, untilMs, stepMs }) }
}

interface MinuteSums {
  readonly atMs: number
  readonly total: number
  readonly success: number
  readonly failed: number
  readonly responseMs: number
  readonly timed: number
  readonly queueMs: number
  readonly sent: number
  readonly upstreamMs: number
}

function sumMinutes(sqlite: LogSqlite, request: HistogramRequest): HistogramStep[] {
  const { clientId, status, sinceMs, untilMs, stepMs } = request
  const ofClient =
    clientId === undefined
      ? ''
      : 'and client_key = (select id from clients where client_id = @clientId)'
  const sums = sqlite.prepare<[object], MinuteSums>(
    `select ${startOf(`minute * ${MINUTE_MS}`)} as atMs, sum(total) as total,
       sum(success) as success, sum(failed) as failed, sum(response_ms_sum) as responseMs,
       sum(timed) as timed, sum(queue_ms_sum) as queueMs, sum(sent) as sent,
       sum(upstream_ms_sum) as upstreamMs
     from log_minutes where minute >= @first and minute <= @last ${ofClient} group by 1 order by 1`,
  )
  const first = Math.floor(sinceMs / MINUTE_MS)
  const last = Math.ceil(untilMs / MINUTE_MS) - 1
  return sums.all({ first, last, stepMs, clientId }).map((step) => toStep(step, status))
}

function toStep(sums: MinuteSums, status: LogFilter['status']): HistogramStep {
  const { atMs, total, success, failed } = sums
  // The sums of times are those of all requests.
  const average = (sum: number, count: number) =>
    count === 0 || status !== undefined ? null : sum / count
  return {
    atMs,
    success: status === 'error' ? 0 : success,
    failed: status === 'success' ? 0 : failed,
    other: status === undefined ? total - success - failed : 0,
    avgResponseMs: average(sums.responseMs, total),
    avgQueueMs: average(sums.queueMs, sums.timed),
    avgUpstreamMs: average(sums.upstreamMs, sums.sent),
  }
}

/** Undefined when there are too many rows, or the index does not cover the time. */
async function countRows(
  sqlite: LogSqlite,
  request: HistogramRequest,
  signal?: AbortSignal,
): Promise<HistogramStep[] | undefined> {
  const { sinceMs, untilMs, stepMs } = request
  const condition = toCondition(request)
  const indexed = usableIndex(sqlite, request)
  if (condition === undefined || indexed === undefined) return undefined
  const range = { below: { atMs: untilMs, id: 0 }, sinceMs, afterId: -1 }
  const count = await countByKinds(sqlite, range, condition, indexed, ROWS_MAX + 1, signal)
  if (count > ROWS_MAX) return undefined
  const steps = new Map<number, { success: number; failed: number; other: number }>()
  for await (const { atMs, statusCode, count } of countsOf(
    sqlite,
    { sinceMs, untilMs, stepMs },
    condition,
    indexed,
    signal,
  )) {
    const step = steps.get(atMs) ?? { success: 0, failed: 0, other: 0 }
    step[resultOf(statusCode)] += count
    steps.set(atMs, step)
  }
  return [...steps]
    .sort(([a], [b]) => a - b)
    .map(([atMs, counts]) => ({ atMs, ...counts, ...NO_TIMES }))
}

const NO_TIMES = { avgResponseMs: null, avgQueueMs: null, avgUpstreamMs: null }

function resultOf(statusCode: number): 'success' | 'failed' | 'other' {
  if (statusCode >= 400) return 'failed'
  return statusCode >= 200 && statusCode <= 299 ? 'success' : 'other'
}

interface StatusCount {
  readonly atMs: number
  readonly statusCode: number
  readonly count: number
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
  const columns = `${startOf('at_ms')} as atMs, status_code as statusCode, count(*) as count`
  const inSpan = 'at_ms >= @sinceMs and at_ms < @untilMs'
  const ofKinds = sqlite.prepare<[object], StatusCount>(
    `select ${columns} from log_kinds cross join log_keys on log_keys.kind = log_kinds.id
     where log_kinds.id > @from and log_kinds.id <= @to and ${inSpan} and log_keys.id <= @toId
       and ${condition.kinds} group by 1, 2`,
  )
  for await (const part of partsOfKinds(sqlite, signal)) yield* ofKinds.all({ ...params, ...part })
  for (const { index, sql } of singlesOf(condition)) {
    const ofRows = sqlite.prepare<[object], StatusCount>(
      `select ${columns} from request_logs indexed by ${index}
       where ${inSpan} and id <= @toId and ${sql} group by 1, 2`,
    )
    yield* ofRows.all(params)
    await nextStep(signal)
  }
  const ofNewest = sqlite.prepare<[object], StatusCount>(
    `select ${columns} from request_logs where id > @toId and ${inSpan} and ${condition.rows}
     group by 1, 2`,
  )
  yield* ofNewest.all(params)
}
