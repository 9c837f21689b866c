import { type LogCondition, toCondition } from '../log-filter.ts'
import {
  COUNTED_ROWS_MAX,
  type MinuteSums,
  type MinutesRequest,
  readSteps,
  type StatusCount,
} from '../log-steps.ts'
import type { Histogram, HistogramRequest } from '../log-store.ts'
import { nextStep } from '../next-step.ts'
import { type IndexedPart, usableIndex } from './indexed-part.ts'
import { countByKinds, partsOfKinds, singlesOf } from './log-kinds.ts'
import type { LogSqlite } from './log-rows.ts'

const MINUTE_MS = 60_000
/** The start of a time's step. Bound numbers are floating point, and are not divided whole. */
const startOf = (timeMs: string) =>
  `${timeMs} / cast(@stepMs as integer) * cast(@stepMs as integer)`

/** Counts matching rows by their kinds where the counts per minute do not know the filter. */
export function readHistogram(
  sqlite: LogSqlite,
  request: HistogramRequest,
  signal?: AbortSignal,
): Promise<Histogram> {
  return readSteps(request, {
    sumMinutes: (minutes) => sumMinutes(sqlite, minutes),
    countRows: (rows) => countRows(sqlite, rows, signal),
  })
}

function sumMinutes(sqlite: LogSqlite, { clientId, ...span }: MinutesRequest): MinuteSums[] {
  const ofClient =
    clientId === undefined
      ? ''
      : 'and client_key = (select id from clients where client_id = @clientId)'
  return sqlite
    .prepare<[object], MinuteSums>(
      `select ${startOf(`minute * ${MINUTE_MS}`)} as atMs, sum(total) as total,
         sum(success) as success, sum(failed) as failed, sum(response_ms_sum) as responseMs,
         sum(timed) as timed, sum(queue_ms_sum) as queueMs, sum(sent) as sent,
         sum(upstream_ms_sum) as upstreamMs
       from log_minutes where minute >= @first and minute <= @last ${ofClient} group by 1 order by 1`,
    )
    .all({ ...span, clientId })
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
