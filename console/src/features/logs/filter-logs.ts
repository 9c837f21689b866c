import type { LogLine } from './log-line.ts'

export interface LogFilter {
  /** Part of an endpoint, client id, error code or note, or the beginning of a request id. */
  readonly search: string
  /** '' for all; whatever else the address holds counts as all, too. */
  readonly status: string
  /** Exact, as all that follow; '' for all. */
  readonly method: string
  readonly code: string
  readonly endpoint: string
  readonly client: string
  /** A span of time as Unix milliseconds, `FROM-TO`, its end left out; '' for all. */
  readonly span: string
}

export const NO_FILTER: LogFilter = {
  search: '',
  status: '',
  method: '',
  code: '',
  endpoint: '',
  client: '',
  span: '',
}

/** The lines that pass all filters, in their order. */
export function filterLogs(lines: readonly LogLine[], filter: LogFilter): readonly LogLine[] {
  const { search, status, method, code, endpoint, client } = filter
  const wanted = search.trim().toLowerCase()
  if (wanted === '' && isEmpty({ ...filter, search: '' })) return lines
  const span = readSpan(filter.span)
  return lines.filter(
    ({ entry, haystack, atMs }) =>
      (method === '' || entry.method === method) &&
      hasStatus(entry.statusCode, status) &&
      (code === '' || `${entry.statusCode}` === code) &&
      (endpoint === '' || entry.endpoint === endpoint) &&
      (client === '' || entry.clientId === client) &&
      (span === undefined || (atMs >= span.fromMs && atMs < span.toMs)) &&
      (haystack.includes(wanted) || beginsWith(entry.requestId, wanted)),
  )
}

// As long as the gateway needs it to find the entries that it may be of.
const ID_PART_MIN = 8
const beginsWith = (id: string | undefined, part: string) =>
  part.length >= ID_PART_MIN && id?.startsWith(part) === true

export function isEmpty(filter: LogFilter): boolean {
  return Object.values(filter).every((value) => value === '')
}

export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** Undefined for what is no span. */
export function readSpan(text: string): Span | undefined {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? []
  if (from === undefined || to === undefined || Number(from) >= Number(to)) return undefined
  return { fromMs: Number(from), toMs: Number(to) }
}

export const writeSpan = ({ fromMs, toMs }: Span) => `${fromMs}-${toMs}`

function hasStatus(code: number, status: string): boolean {
  if (status === 'success') return isSuccess(code)
  if (status === 'error') return isError(code)
  return true
}

// 1xx and 3xx are neither (docs/console-checklist.md, 167 and 180).
export const isSuccess = (code: number) => code >= 200 && code <= 299
export const isError = (code: number) => code >= 400
