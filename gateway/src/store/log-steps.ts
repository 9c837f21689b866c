import { IS_REFUSED } from './log-filter.ts'
import type { Histogram, HistogramRequest, HistogramStep, LogFilter } from './log-store.ts'

const MINUTE_MS = 60_000

/** Rows that a histogram counts one by one, at most. */
export const COUNTED_ROWS_MAX = 200_000

/** Counts the requests of each step. */
interface HistogramSource {
  /** Runs a statement with parameters as `@name`. */
  query(text: string, params: LogParams): Promise<MinuteSums[]> | MinuteSums[]
  /** The rows that match. Undefined when they are too many, or cannot be counted. */
  countRows(request: HistogramRequest): Promise<readonly StatusCount[] | undefined>
}

/** Values by the names that a statement has for them. */
type LogParams = Readonly<Record<string, string | number>>

/** SQL: the start of a time's step. A bound number may be floating point: it is made whole. */
export const startOf = (timeMs: string) =>
  `${timeMs} / cast(@stepMs as bigint) * cast(@stepMs as bigint)`

const CLIENT = '(select id from clients where client_id = @clientId)'

/** From the counts per minute, which know the client and whether a request succeeded. */
const sumsOfMinutes = (isOfClient: boolean) =>
  `select ${startOf(`minute * ${MINUTE_MS}`)} as "atMs", sum(total) as total,
     sum(success) as success, sum(failed) as failed, sum(refused) as refused,
     sum(response_ms_sum) as "responseMs", sum(timed) as timed, sum(queue_ms_sum) as "queueMs",
     sum(sent) as sent, sum(upstream_ms_sum) as "upstreamMs"
   from log_minutes where minute >= @first and minute < @end
     ${isOfClient ? `and client_key = ${CLIENT}` : ''} group by 1`

/** From the rows of a minute that belongs only in part to the time. */
const sumsOfRows = (isOfClient: boolean) =>
  `select ${startOf('at_ms')} as "atMs", count(*) as total,
     count(*) filter (where status_code between 200 and 299) as success,
     count(*) filter (where status_code >= 400) as failed,
     count(*) filter (where ${IS_REFUSED}) as refused, sum(response_ms) as "responseMs",
     count(*) as timed, sum(queue_ms) as "queueMs", count(upstream_ms) as sent,
     coalesce(sum(upstream_ms), 0) as "upstreamMs"
   from request_logs where at_ms >= @fromMs and at_ms < @toMs
     ${isOfClient ? `and client_ref = ${CLIENT}` : ''} group by 1`

/** Sums of the counts per minute over one step. */
export interface MinuteSums {
  readonly atMs: number
  readonly total: number
  readonly success: number
  readonly failed: number
  readonly refused: number
  readonly responseMs: number
  readonly timed: number
  readonly queueMs: number
  readonly sent: number
  readonly upstreamMs: number
}

/** How many rows of one step have a status. */
export interface StatusCount {
  readonly atMs: number
  readonly statusCode: number
  readonly count: number
  /** How many of them the gateway refused itself. */
  readonly refused: number
}

/**
 * Counts the requests of each step from the counts per minute where they know the filter. For any
 * other filter the rows that match are counted.
 */
export async function readSteps(
  request: HistogramRequest,
  source: HistogramSource,
): Promise<Histogram> {
  const { search = '', code, method, endpoint } = request
  const isOfMinutes = search === '' && code === undefined && (method ?? endpoint) === undefined
  if (isOfMinutes) return { isFiltered: true, steps: await sumSteps(request, source) }
  const counts = await source.countRows(request)
  if (counts !== undefined) return { isFiltered: true, steps: toSteps(counts) }
  const { sinceMs, untilMs, stepMs } = request
  return { isFiltered: false, steps: await sumSteps({ sinceMs, untilMs, stepMs }, source) }
}

/** To the row: whole minutes have their counts, and a minute that is cut is counted by its rows. */
async function sumSteps(
  { clientId, status, refused, sinceMs, untilMs, stepMs }: HistogramRequest,
  source: HistogramSource,
): Promise<HistogramStep[]> {
  const isOfClient = clientId !== undefined
  const params = { stepMs, ...(isOfClient ? { clientId } : {}) }
  const first = Math.ceil(sinceMs / MINUTE_MS)
  const end = Math.max(first, Math.floor(untilMs / MINUTE_MS))
  const headEndMs = Math.min(first * MINUTE_MS, untilMs)
  const cut = [
    { fromMs: sinceMs, toMs: headEndMs },
    { fromMs: Math.max(end * MINUTE_MS, headEndMs), toMs: untilMs },
  ].filter(({ fromMs, toMs }) => fromMs < toMs)
  const parts = await Promise.all([
    source.query(sumsOfMinutes(isOfClient), { ...params, first, end }),
    ...cut.map((part) => source.query(sumsOfRows(isOfClient), { ...params, ...part })),
  ])
  const steps = new Map<number, MinuteSums>()
  for (const sums of parts.flat()) steps.set(sums.atMs, addSums(steps.get(sums.atMs), sums))
  return [...steps.values()]
    .sort((a, b) => a.atMs - b.atMs)
    .map((step) => toStep(step, status, refused))
}

function addSums(before: MinuteSums | undefined, { atMs, ...sums }: MinuteSums): MinuteSums {
  if (before === undefined) return { atMs, ...sums }
  const names = Object.keys(sums) as (keyof typeof sums)[]
  const added = names.map((name) => [name, before[name] + sums[name]])
  return { ...before, ...Object.fromEntries(added) }
}

function toStep(
  sums: MinuteSums,
  status: LogFilter['status'],
  refused: LogFilter['refused'],
): HistogramStep {
  const { atMs, total, success, failed } = sums
  // The sums of times are those of all requests.
  const isOfAll = status === undefined && refused === undefined
  const average = (sum: number, count: number) => (count === 0 || !isOfAll ? null : sum / count)
  const hasFailed = status !== 'success'
  const refusals = hasFailed && refused !== 'hide' ? sums.refused : 0
  const hasOthers = refused !== 'only'
  return {
    atMs,
    success: status !== 'error' && hasOthers ? success : 0,
    failed: (hasFailed && hasOthers ? failed - sums.refused : 0) + refusals,
    refused: refusals,
    other: status === undefined && hasOthers ? total - success - failed : 0,
    avgResponseMs: average(sums.responseMs, total),
    avgQueueMs: average(sums.queueMs, sums.timed),
    avgUpstreamMs: average(sums.upstreamMs, sums.sent),
  }
}

function toSteps(counts: readonly StatusCount[]): HistogramStep[] {
  const steps = new Map<number, Counts>()
  for (const { atMs, statusCode, count, refused } of counts) {
    const step = steps.get(atMs) ?? { success: 0, failed: 0, refused: 0, other: 0 }
    step[resultOf(statusCode)] += count
    step.refused += refused
    steps.set(atMs, step)
  }
  return [...steps]
    .sort(([a], [b]) => a - b)
    .map(([atMs, found]) => ({ atMs, ...found, ...NO_TIMES }))
}

type Counts = Record<'success' | 'failed' | 'refused' | 'other', number>

const NO_TIMES = { avgResponseMs: null, avgQueueMs: null, avgUpstreamMs: null }

function resultOf(statusCode: number): 'success' | 'failed' | 'other' {
  if (statusCode >= 400) return 'failed'
  return statusCode >= 200 && statusCode <= 299 ? 'success' : 'other'
}
