import { type Sort, sorted } from '../../components/sort.ts'
import type { LogLine } from './log-line.ts'

export const LOG_SORTS = ['time', 'took', 'status'] as const
export type LogSort = Sort<(typeof LOG_SORTS)[number]>

export const NEWEST_FIRST: LogSort = { by: 'time', isDescending: true }
export const SLOWEST_FIRST: LogSort = { by: 'took', isDescending: true }

/** The lines in another order; those that are equal in it stay newest first. */
export function sortLogs(lines: readonly LogLine[], { by, isDescending }: LogSort) {
  // So they come already.
  if (by === 'time') return isDescending ? lines : lines.toReversed()
  const rankOf = ({ entry }: LogLine) =>
    (by === 'took' ? entry.responseTime : entry.statusCode) || 0
  return sorted(lines, (a, b) => rankOf(a) - rankOf(b), isDescending)
}
