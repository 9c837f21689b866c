import { LOG_WINDOW_HOURS, type LogHistogramStep } from 'schema'
import { isError, isRefused, isSuccess } from './log-filter.ts'
import type { LogLine } from './log-lines.ts'

const WINDOW_MS = LOG_WINDOW_HOURS * 3_600_000
const RESULTS = ['success', 'failed', 'refused', 'other'] as const
type Result = (typeof RESULTS)[number]

/**
 * How many requests there were in each step of the window; oldest first, without a gap. What Sluice
 * refused itself is not among the failed ones.
 */
export interface TimeCounts extends Readonly<Record<Result, readonly number[]>> {
  readonly stepMs: number
  readonly times: readonly number[]
}

type Counts = Record<'times' | Result, number[]> & { stepMs: number }

/** Counts lines; the window ends with the newest. Nothing without a time. */
export function countByTime(lines: readonly LogLine[], stepMs: number): TimeCounts {
  const newestMs = lines.reduce((newest, { atMs }) => Math.max(newest, atMs), 0)
  const counts = emptyCounts(newestMs === 0 ? undefined : newestMs, stepMs)
  for (const { atMs, entry } of lines) {
    const { statusCode } = entry
    const ofStatus = isError(statusCode) ? 'failed' : isSuccess(statusCode) ? 'success' : 'other'
    add(counts, atMs, isRefused(entry) ? 'refused' : ofStatus, 1)
  }
  return counts
}

/** The counts of the gateway; the window ends now, or with the newest. */
export function toTimeCounts(
  steps: readonly LogHistogramStep[],
  stepMs: number,
  nowMs: number,
): TimeCounts {
  const newestMs = Math.max(nowMs, Date.parse(steps.at(-1)?.at ?? '') || 0)
  const counts = emptyCounts(newestMs, stepMs)
  for (const { at, success, failed, refused = 0, other } of steps) {
    const atMs = Date.parse(at)
    add(counts, atMs, 'success', success)
    add(counts, atMs, 'failed', failed - refused)
    add(counts, atMs, 'refused', refused)
    add(counts, atMs, 'other', other)
  }
  return counts
}

function emptyCounts(newestMs: number | undefined, stepMs: number): Counts {
  const endMs = newestMs === undefined ? 0 : (Math.floor(newestMs / stepMs) + 1) * stepMs
  const length = newestMs === undefined ? 0 : Math.ceil(WINDOW_MS / stepMs)
  const zeros = () => Array.from({ length }, () => 0)
  const times = zeros().map((_, step) => endMs - (length - step) * stepMs)
  return {
    ...{ stepMs, times },
    ...{ success: zeros(), failed: zeros(), refused: zeros(), other: zeros() },
  }
}

/** The oldest minutes of the window are before its first whole step: the first one has them. */
function add(counts: Counts, atMs: number, result: Result, count: number) {
  const step = Math.floor((atMs - (counts.times[0] ?? 0)) / counts.stepMs)
  const at = step === -1 ? 0 : step
  const before = counts[result][at]
  if (before !== undefined) counts[result][at] = before + count
}

export interface LogSummary {
  readonly total: number
  /** Percent of all. 1xx and 3xx count in neither of the first two rates. */
  readonly successRate: number
  readonly errorRate: number
  /** The part of the error rate that Sluice refused itself. */
  readonly refusedRate: number
  /** Milliseconds. */
  readonly avgTimeMs: number
}

interface Sums extends Readonly<Record<'total' | 'success' | 'failed' | 'refused', number>> {
  readonly timeMs: number
}

/** The figures of all entries; zeros when there are none. */
export function summariseLogs(lines: readonly LogLine[]): LogSummary {
  const sums = { total: lines.length, success: 0, failed: 0, refused: 0, timeMs: 0 }
  for (const { entry } of lines) {
    if (isSuccess(entry.statusCode)) sums.success += 1
    if (isError(entry.statusCode)) sums.failed += 1
    if (isRefused(entry)) sums.refused += 1
    sums.timeMs += entry.responseTime || 0
  }
  return toSummary(sums)
}

/** The figures of the steps that the gateway counted. */
export function summariseSteps(steps: readonly LogHistogramStep[]): LogSummary {
  const sums = { total: 0, success: 0, failed: 0, refused: 0, timeMs: 0 }
  for (const { success, failed, refused = 0, other, avgResponseMs } of steps) {
    const total = success + failed + other
    sums.total += total
    sums.success += success
    sums.failed += failed
    sums.refused += refused
    sums.timeMs += (avgResponseMs ?? 0) * total
  }
  return toSummary(sums)
}

function toSummary({ total, success, failed, refused, timeMs }: Sums): LogSummary {
  const percent = (part: number) => (total === 0 ? 0 : (100 * part) / total)
  return {
    total,
    successRate: percent(success),
    errorRate: percent(failed),
    refusedRate: percent(refused),
    avgTimeMs: total === 0 ? 0 : timeMs / total,
  }
}

/** How many requests the steps within a span have; undefined where it cuts a step. */
export function sumWithin(
  steps: readonly LogHistogramStep[],
  stepMs: number,
  span: { readonly fromMs: number; readonly toMs: number } | undefined,
): number | undefined {
  const { fromMs = 0, toMs = Number.POSITIVE_INFINITY } = span ?? {}
  const isWhole = [fromMs, toMs].every((at) => !Number.isFinite(at) || at % stepMs === 0)
  if (!isWhole) return undefined
  return steps
    .filter(({ at }) => Date.parse(at) >= fromMs && Date.parse(at) < toMs)
    .reduce((sum, { success, failed, other }) => sum + success + failed + other, 0)
}
