import { LOG_WINDOW_HOURS, type LogHistogramStep } from 'schema'
import { isError, isSuccess } from './filter-logs.ts'
import type { LogLine } from './log-line.ts'

const WINDOW_MS = LOG_WINDOW_HOURS * 3_600_000

/** How many requests there were in each step of the window; oldest first, without a gap. */
export interface TimeCounts {
  readonly stepMs: number
  readonly times: readonly number[]
  readonly success: readonly number[]
  readonly failed: readonly number[]
  readonly other: readonly number[]
}

/** Counts lines; the window ends with the newest. Nothing without a time. */
export function countByTime(lines: readonly LogLine[], stepMs: number): TimeCounts {
  const newestMs = lines.reduce((newest, { atMs }) => Math.max(newest, atMs), 0)
  const counts = emptyCounts(newestMs === 0 ? undefined : newestMs, stepMs)
  for (const { atMs, entry } of lines) add(counts, atMs, resultOf(entry.statusCode), 1)
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
  for (const { at, success, failed, other } of steps) {
    const atMs = Date.parse(at)
    add(counts, atMs, 'success', success)
    add(counts, atMs, 'failed', failed)
    add(counts, atMs, 'other', other)
  }
  return counts
}

export const sumOf = ({ success, failed, other }: TimeCounts) =>
  [success, failed, other].flat().reduce((sum, count) => sum + count, 0)

type Counts = Record<'times' | 'success' | 'failed' | 'other', number[]> & { stepMs: number }

function emptyCounts(newestMs: number | undefined, stepMs: number): Counts {
  const endMs = newestMs === undefined ? 0 : (Math.floor(newestMs / stepMs) + 1) * stepMs
  const length = newestMs === undefined ? 0 : Math.ceil(WINDOW_MS / stepMs)
  const zeros = () => Array.from({ length }, () => 0)
  const times = zeros().map((_, step) => endMs - (length - step) * stepMs)
  return { stepMs, times, success: zeros(), failed: zeros(), other: zeros() }
}

/** The oldest minutes of the window are before its first whole step. */
function add(counts: Counts, atMs: number, result: 'success' | 'failed' | 'other', count: number) {
  const step = Math.floor((atMs - (counts.times[0] ?? 0)) / counts.stepMs)
  const before = counts[result][step]
  if (before !== undefined) counts[result][step] = before + count
}

function resultOf(statusCode: number) {
  if (isError(statusCode)) return 'failed'
  return isSuccess(statusCode) ? 'success' : 'other'
}
