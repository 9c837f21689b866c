import type { LogEntry } from 'schema'
import { isError, isSuccess } from './filter-logs.ts'

export interface LogSummary {
  readonly total: number
  /** Percent. 1xx and 3xx count in neither rate. */
  readonly successRate: number
  readonly errorRate: number
  /** Milliseconds. */
  readonly avgTimeMs: number
}

/** The figures of all entries; zeros when there are none. */
export function summariseLogs(entries: readonly LogEntry[]): LogSummary {
  const total = entries.length
  let successes = 0
  let errors = 0
  let timeMs = 0
  for (const { statusCode, responseTime } of entries) {
    if (isSuccess(statusCode)) successes += 1
    if (isError(statusCode)) errors += 1
    timeMs += responseTime || 0
  }
  const share = (part: number) => (total === 0 ? 0 : part / total)
  return {
    total,
    successRate: share(successes) * 100,
    errorRate: share(errors) * 100,
    avgTimeMs: share(timeMs),
  }
}
