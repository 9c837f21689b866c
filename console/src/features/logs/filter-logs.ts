import type { LogLine } from './log-line.ts'

export interface LogFilter {
  /** Part of an endpoint or client id, in any case. */
  readonly search: string
  /** '' for all; whatever else the address holds counts as all, too. */
  readonly status: string
  /** Exact; '' for all. */
  readonly method: string
}

/** The lines that pass all three filters, in their order. */
export function filterLogs(
  lines: readonly LogLine[],
  { search, status, method }: LogFilter,
): readonly LogLine[] {
  const wanted = search.trim().toLowerCase()
  if (wanted === '' && status === '' && method === '') return lines
  return lines.filter(
    ({ entry, haystack }) =>
      (method === '' || entry.method === method) &&
      hasStatus(entry.statusCode, status) &&
      haystack.includes(wanted),
  )
}

function hasStatus(code: number, status: string): boolean {
  if (status === 'success') return isSuccess(code)
  if (status === 'error') return isError(code)
  return true
}

// 1xx and 3xx are neither (SPECIFICATION, section 5).
export const isSuccess = (code: number) => code >= 200 && code <= 299
export const isError = (code: number) => code >= 400
