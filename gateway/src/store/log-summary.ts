import type { LogSummary } from './log-store.ts'

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
