import { LOG_WINDOW_HOURS } from 'schema'
import { isError, isSuccess, type Span } from './filter-logs.ts'
import type { LogLine } from './log-line.ts'

const HOUR_MS = 3_600_000

export interface TimeCount extends Span {
  readonly successes: number
  readonly errors: number
  /** Neither of the two counts here as well. */
  readonly total: number
}

/**
 * What happened in each part of the window that ends with the newest line; oldest first. None
 * without a time.
 * @param hoursEach divides the hours of the window
 */
export function countByTime(lines: readonly LogLine[], hoursEach: number): readonly TimeCount[] {
  const newestMs = lines.reduce((newest, { atMs }) => Math.max(newest, atMs), 0)
  if (newestMs === 0) return []
  const partMs = hoursEach * HOUR_MS
  const endMs = (Math.floor(newestMs / HOUR_MS) + 1) * HOUR_MS
  const startMs = endMs - LOG_WINDOW_HOURS * HOUR_MS
  const parts = Array.from({ length: LOG_WINDOW_HOURS / hoursEach }, (_, index) => ({
    fromMs: startMs + index * partMs,
    toMs: startMs + (index + 1) * partMs,
    successes: 0,
    errors: 0,
    total: 0,
  }))
  for (const { atMs, entry } of lines) {
    const part = parts[Math.floor((atMs - startMs) / partMs)]
    if (part === undefined) continue
    part.total += 1
    if (isSuccess(entry.statusCode)) part.successes += 1
    if (isError(entry.statusCode)) part.errors += 1
  }
  return parts
}
