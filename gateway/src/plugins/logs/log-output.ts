import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LogEntry } from 'schema'
import type { LogFilter, LogPage, LogReads, LogRow } from '../../store/log-store.ts'
import { CSV_HEAD, type CsvTimes, createCsvTimes, toCsvLine } from './log-csv.ts'

/** Rows that are written in one turn of the event loop: 1 to 2 ms. */
const ROWS_AT_ONCE = 500

export interface PageRequest extends LogPage {
  /** Matches are counted up to this number. */
  readonly countMax: number
}

export interface PageOutput {
  /** A JSON array. */
  readonly body: string
  /** At most the request's `countMax`. */
  readonly total: number
  /** Whether there are more than `total`. */
  readonly isMore: boolean
}

export interface LogExport {
  readonly filter: LogFilter
  readonly format: 'csv' | 'jsonl'
  /** An IANA name; of the times in CSV. */
  readonly timeZone: string
}

/** Reads a page and counts what its filter matches, whatever part the page is. */
export async function writePage(
  reads: LogReads,
  page: PageRequest,
  signal?: AbortSignal,
): Promise<PageOutput> {
  const rows = await reads.page(page, signal)
  const { countMax, limit, beforeId, afterId, id } = page
  // A first page that is not full has them all, and so has a page about one row.
  const isFirst = beforeId === undefined && afterId === undefined
  const isWhole = id !== undefined || (isFirst && rows.length < limit)
  const count = isWhole ? rows.length : await reads.count(page, countMax + 1, signal)
  const entries: string[] = []
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const some = rows.slice(from, from + ROWS_AT_ONCE)
    entries.push(...some.map((row) => JSON.stringify(toLogEntry(row))))
    if (from > 0) await nextTurn()
  }
  return {
    body: `[${entries.join(',')}]`,
    total: Math.min(count, countMax),
    isMore: count > countMax,
  }
}

/** All rows that a filter matches, newest first, as the text of a file in pieces. */
export async function* writeExport(
  reads: LogReads,
  { filter, format, timeZone }: LogExport,
  signal?: AbortSignal,
): AsyncGenerator<string, void> {
  const times = createCsvTimes(timeZone)
  if (format === 'csv') yield CSV_HEAD
  for await (const rows of reads.all(filter, signal)) yield toText(rows, format, times)
}

function toText(rows: readonly LogRow[], format: LogExport['format'], times: CsvTimes): string {
  return rows
    .map(toLogEntry)
    .map((entry) => (format === 'csv' ? toCsvLine(entry, times) : `${JSON.stringify(entry)}\n`))
    .join('')
}

function toLogEntry(row: LogRow): LogEntry {
  return {
    id: row.id,
    timestamp: new Date(row.atMs).toISOString(),
    method: row.method,
    endpoint: row.endpoint,
    statusCode: row.statusCode,
    responseTime: row.responseMs,
    queueTime: row.queueMs,
    upstreamTime: row.upstreamMs,
    clientId: row.clientId,
    exchange: row.exchange,
    requestId: row.requestId,
    code: row.code,
    shared: row.shared,
    ...(row.note === null ? {} : { note: row.note }),
  }
}
