import { toCondition } from '../log-filter.ts'
import {
  COUNTED_ROWS_MAX,
  type MinuteSums,
  type MinutesRequest,
  readSteps,
  type StatusCount,
} from '../log-steps.ts'
import type { Histogram, HistogramRequest } from '../log-store.ts'
import { readLog } from './log-query.ts'
import type { Db } from './open.ts'

/** The start of a time's step. */
const startOf = (timeMs: string) => `${timeMs} / @stepMs::bigint * @stepMs::bigint`

/** Counts matching rows by their kinds where the counts per minute do not know the filter. */
export function readHistogram(
  db: Db,
  request: HistogramRequest,
  signal?: AbortSignal,
): Promise<Histogram> {
  return readSteps(request, {
    sumMinutes: (minutes) => sumMinutes(db, minutes, signal),
    countRows: (rows) => countRows(db, rows, signal),
  })
}

function sumMinutes(
  db: Db,
  { clientId, ...span }: MinutesRequest,
  signal: AbortSignal | undefined,
): Promise<MinuteSums[]> {
  const ofClient =
    clientId === undefined
      ? ''
      : 'and client_key = (select id from clients where client_id = @clientId)'
  return readLog(
    db,
    `select ${startOf('minute * 60000')} as "atMs", sum(total) as total, sum(success) as success,
       sum(failed) as failed, sum(response_ms_sum) as "responseMs", sum(timed) as timed,
       sum(queue_ms_sum) as "queueMs", sum(sent) as sent, sum(upstream_ms_sum) as "upstreamMs"
     from log_minutes where minute >= @first and minute <= @last ${ofClient} group by 1 order by 1`,
    clientId === undefined ? span : { ...span, clientId },
    signal,
  )
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
  const { kinds, singles, params } = condition
  const inSpan = 'at_ms >= @sinceMs and at_ms < @untilMs'
  const others = [singles?.byNote, singles?.byRequestId].filter((one) => one !== undefined)
  const found = [
    `select at_ms, status_code
     from (select kind as found_kind, status_code from log_kinds where ${kinds}) as kinds
     cross join lateral
       (select at_ms from request_logs where kind = found_kind and ${inSpan} limit @max) as rows`,
    ...others.map(
      (other) => `select at_ms, status_code from request_logs where ${inSpan} and ${other}`,
    ),
  ].join(' union all ')
  const counts = await readLog<{ atMs: number; statusCode: number; count: number }>(
    db,
    `select ${startOf('at_ms')} as "atMs", status_code as "statusCode", count(*) as count
     from (${found} limit @max) as found group by 1, 2`,
    { ...params, sinceMs, untilMs, stepMs, max: COUNTED_ROWS_MAX + 1 },
    signal,
  )
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  return total > COUNTED_ROWS_MAX ? undefined : counts
}
