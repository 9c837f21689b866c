import type {
  Histogram,
  HistogramRequest,
  HistogramStep,
  LogFilter,
  LogSummary,
} from './log-store.ts'

const MINUTE_MS = 60_000

/** Rows that a histogram counts one by one, at most. */
export const COUNTED_ROWS_MAX = 200_000

/** Counts the requests of each step. */
interface HistogramSource {
  /** From the counts per minute, which know the client and whether a request succeeded. */
  sumMinutes(request: MinutesRequest): Promise<MinuteSums[]> | MinuteSums[]
  /** The rows that match. Undefined when they are too many, or cannot be counted. */
  countRows(request: HistogramRequest): Promise<readonly StatusCount[] | undefined>
}

/** Minutes since 1970, both inclusive. */
export interface MinutesRequest {
  readonly first: number
  readonly last: number
  readonly stepMs: number
  readonly clientId: string | undefined
}

/** Sums of the counts per minute over one step. */
export interface MinuteSums {
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

/** How many rows of one step have a status. */
export interface StatusCount {
  readonly atMs: number
  readonly statusCode: number
  readonly count: number
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

async function sumSteps(
  { clientId, status, sinceMs, untilMs, stepMs }: HistogramRequest,
  source: HistogramSource,
): Promise<HistogramStep[]> {
  const first = Math.floor(sinceMs / MINUTE_MS)
  const last = Math.ceil(untilMs / MINUTE_MS) - 1
  const sums = await source.sumMinutes({ first, last, stepMs, clientId })
  return sums.map((step) => toStep(step, status))
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

function toSteps(counts: readonly StatusCount[]): HistogramStep[] {
  const steps = new Map<number, { success: number; failed: number; other: number }>()
  for (const { atMs, statusCode, count } of counts) {
    const step = steps.get(atMs) ?? { success: 0, failed: 0, other: 0 }
    step[resultOf(statusCode)] += count
    steps.set(atMs, step)
  }
  return [...steps]
    .sort(([a], [b]) => a - b)
    .map(([atMs, found]) => ({ atMs, ...found, ...NO_TIMES }))
}

const NO_TIMES = { avgResponseMs: null, avgQueueMs: null, avgUpstreamMs: null }

function resultOf(statusCode: number): 'success' | 'failed' | 'other' {
  if (statusCode >= 400) return 'failed'
  return statusCode >= 200 && statusCode <= 299 ? 'success' : 'other'
}

/** Totals of a part of the log. A sum of no rows is null in SQL. */
export interface LogTotals {
  readonly total: number | null
  /** Responses with a status of 200 to 299. */
  readonly success: number | null
  /** Responses with a status of 400 and above. */
  readonly failed: number | null
  readonly responseMsSum: number | null
}

/** Adds up the parts of the log that a summary covers. */
export function toSummary(parts: readonly LogTotals[]): LogSummary {
  const sumOf = (name: keyof LogTotals) => parts.reduce((sum, part) => sum + (part[name] ?? 0), 0)
  const [total, success, failed] = [sumOf('total'), sumOf('success'), sumOf('failed')]
  return {
    ...{ total, success, failed },
    successRate: total === 0 ? 0 : (100 * success) / total,
    errorRate: total === 0 ? 0 : (100 * failed) / total,
    avgResponseMs: total === 0 ? 0 : sumOf('responseMsSum') / total,
  }
}
