import { useMemo } from 'react'
import type { LogEntry } from 'schema'
import { readSort, type Sort, writeSort } from '../../components/rows-table.tsx'
import {
  changeAddress,
  useAddressParam,
  useAddressParams,
} from '../../components/use-address-param.ts'
import type { LogLine } from './log-lines.ts'
import { allMethods, statusOptions } from './texts.ts'

export interface LogFilter {
  /** Part of an endpoint, client id, error code or note, or the beginning of a request id. */
  readonly search: string
  /** '' for all; whatever else the address holds counts as all, too. */
  readonly status: string
  /** What Sluice refused itself: '' with the others, `hide`, or `only`. */
  readonly refused: string
  /** Exact, as all that follow; '' for all. */
  readonly method: string
  readonly code: string
  readonly endpoint: string
  readonly client: string
  /** A span of time as Unix milliseconds, `FROM-TO`, its end left out, or `FROM-`; '' for all. */
  readonly span: string
}

export const NO_FILTER: LogFilter = {
  ...{ search: '', status: '', refused: '', method: '' },
  ...{ code: '', endpoint: '', client: '', span: '' },
}

export const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const
/** The choices of the filter by method. */
export const methodOptions = [
  { value: '', label: allMethods },
  ...METHODS.map((method) => ({ value: method, label: method })),
]

export function isEmpty(filter: LogFilter): boolean {
  return Object.values(filter).every((value) => value === '')
}

// 1xx and 3xx are neither (console-checklist.md, 167 and 180).
export const isSuccess = (code: number) => code >= 200 && code <= 299
export const isError = (code: number) => code >= 400
/** Sluice refused the request itself. A gateway of another kind may not say what was sent. */
export const isRefused = ({ statusCode, upstreamTime }: LogEntry) =>
  isError(statusCode) && upstreamTime === null

/** The lines that pass all filters, in their order. */
export function filterLogs(lines: readonly LogLine[], filter: LogFilter): readonly LogLine[] {
  const { search, status, refused, method, code, endpoint, client } = filter
  const wanted = search.trim().toLowerCase()
  if (wanted === '' && isEmpty({ ...filter, search: '' })) return lines
  const span = readSpan(filter.span)
  return lines.filter(
    ({ entry, haystack, atMs }) =>
      (method === '' || entry.method === method) &&
      hasStatus(entry.statusCode, status) &&
      (refused === '' || isRefused(entry) === (refused === 'only')) &&
      (code === '' || `${entry.statusCode}` === code) &&
      (endpoint === '' || entry.endpoint === endpoint) &&
      (client === '' || entry.clientId === client) &&
      (span === undefined || (atMs >= span.fromMs && atMs < span.toMs)) &&
      (haystack.includes(wanted) || beginsWith(entry.requestId, wanted)),
  )
}

function hasStatus(code: number, status: string): boolean {
  if (status === 'success') return isSuccess(code)
  if (status === 'error') return isError(code)
  return true
}

// As long as the gateway needs it to find the entries that it may be of.
const ID_PART_MIN = 8
const beginsWith = (id: string | undefined, part: string) =>
  part.length >= ID_PART_MIN && id?.startsWith(part) === true

export interface Span {
  readonly fromMs: number
  /** Infinite while it has no end. */
  readonly toMs: number
}

/** Undefined for what is no span. */
export function readSpan(text: string): Span | undefined {
  const [, from, to] = /^(\d{1,15})-(\d{0,15})$/.exec(text) ?? []
  if (from === undefined || to === undefined) return undefined
  const span = { fromMs: Number(from), toMs: to === '' ? Number.POSITIVE_INFINITY : Number(to) }
  return span.fromMs < span.toMs ? span : undefined
}

export const writeSpan = ({ fromMs, toMs }: Span) =>
  `${fromMs}-${Number.isFinite(toMs) ? toMs : ''}`

/** What `filterLogs` keeps, in the words of the gateway, for a list and for an export. */
export function toLogQuery({ search, status, refused, method, code, ...filter }: LogFilter) {
  const span = readSpan(filter.span)
  return {
    search: search.trim() || undefined,
    status: status || undefined,
    refused: refused || undefined,
    method: method || undefined,
    code: code === '' ? undefined : Number(code),
    endpoint: filter.endpoint || undefined,
    clientId: filter.client || undefined,
    from: span?.fromMs,
    to: span !== undefined && Number.isFinite(span.toMs) ? span.toMs : undefined,
  }
}
export type LogQuery = Partial<ReturnType<typeof toLogQuery>>

const NAMES = ['q', 'status', 'refused', 'method', 'code', 'endpoint', 'client', 'span'] as const
const REFUSED = [{ value: 'hide' }, { value: 'only' }]

/**
 * The filters as the address holds them, so that a link shows the same list; values it cannot hold
 * count as none.
 */
export function useLogFilter(): LogFilter {
  const [{ q, status, refused, method, code, endpoint, client, span }] = useAddressParams(NAMES)
  return useMemo(
    () => ({
      search: q,
      status: known(statusOptions, status),
      refused: known(REFUSED, refused),
      method: known(methodOptions, method),
      code: /^\d{3}$/.test(code) ? code : '',
      endpoint,
      client,
      span: readSpan(span) === undefined ? '' : span,
    }),
    [q, status, refused, method, code, endpoint, client, span],
  )
}

function known(options: readonly { readonly value: string }[], value: string): string {
  return options.some((option) => option.value === value) ? value : ''
}

/** Changes some of the filters; '' takes one away. */
export const filterBy = ({ search, ...same }: Partial<LogFilter>) =>
  changeAddress({ ...same, ...(search !== undefined && { q: search }) })

/** Shows the details of an entry, by its key; of none for ''. */
export const openEntry = (key: string) => changeAddress({ entry: key })

export const ZONES = ['local', 'utc'] as const
export type Zone = (typeof ZONES)[number]

/** The time zone of the list, as the address holds it. */
export function useZone(): Zone {
  const [param] = useAddressParam('tz')
  return param === 'utc' ? 'utc' : 'local'
}
export const showZone = (zone: Zone) => changeAddress({ tz: zone === 'utc' ? zone : '' })

export const LOG_SORTS = ['time', 'took', 'status'] as const
export type LogSort = Sort<(typeof LOG_SORTS)[number]>
const NEWEST_FIRST: LogSort = { by: 'time', isDescending: true }

/** How the list is sorted, as the address holds it. */
export function useLogSort(): LogSort {
  const [text] = useAddressParam('sort')
  return useMemo(() => readSort(text, LOG_SORTS) ?? NEWEST_FIRST, [text])
}
export const sortBy = (sort: LogSort) => {
  const written = writeSort(sort)
  changeAddress({ sort: written === writeSort(NEWEST_FIRST) ? '' : written })
}
