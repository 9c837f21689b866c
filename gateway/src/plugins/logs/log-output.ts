import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LogEntry } from 'schema'
import { toCell } from '../../http/shown-text.ts'
import type { LogFilter, LogPage, LogReads, LogRow } from '../../store/log-store.ts'

/** Rows that are written in one turn of the event loop: 1 to 2 ms. */
const ROWS_AT_ONCE = 500

export interface PageRequest extends LogPage {
  /** Matches are counted up to this number. */
  readonly countMax: number
}

interface PageOutput {
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
    const orders = await ordersOf(reads, some)
    for (const row of some) {
      const order = orders.get(row.requestId)
      const entry = toLogEntry(row)
      entries.push(JSON.stringify(order === undefined ? entry : { ...entry, order }))
    }
    if (from > 0) await nextTurn()
  }
  return {
    body: `[${entries.join(',')}]`,
    total: Math.min(count, countMax),
    isMore: count > countMax,
  }
}

/** What the orders among some rows ask for, by their request ids. */
async function ordersOf(
  reads: LogReads,
  rows: readonly LogRow[],
): Promise<Map<string, NonNullable<LogEntry['order']>>> {
  const mayBeOrder = ({ method, exchange, clientRef }: LogRow) =>
    method !== 'GET' && exchange !== null && clientRef !== null
  const ids = rows.filter(mayBeOrder).map(({ requestId }) => requestId)
  const orders = ids.length === 0 ? [] : await reads.orders(ids)
  return new Map(
    orders
      .filter(({ symbol, kind }) => symbol !== null || kind !== null)
      .map(({ id, kind: type, ...order }) => [id, { ...order, type }]),
  )
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
    ...(row.message === null ? {} : { message: row.message }),
    ...(row.note === null ? {} : { note: row.note }),
  }
}

const HEADER = 'Timestamp,Method,Endpoint,Status,Response Time,Client ID'
/** Without the byte order mark, spreadsheets read the file in the system's old character set. */
const CSV_HEAD = `\ufeff${HEADER}\r\n`

/** Writes a time of the log as the clocks of a zone show it: `2026-03-05 14:30:22`. */
type CsvTimes = (timestamp: string) => string

const QUARTER_MS = 900_000

/**
 * Zones change their offset at most at a quarter of an hour, so one look-up serves all times of it.
 * @throws RangeError when there is no such zone
 */
export function createCsvTimes(timeZone: string): CsvTimes {
  const clock = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  let quarter = Number.NaN
  let offsetMs = 0
  return (timestamp) => {
    const atMs = Date.parse(timestamp)
    if (Math.floor(atMs / QUARTER_MS) !== quarter) {
      quarter = Math.floor(atMs / QUARTER_MS)
      offsetMs = offsetAt(clock, atMs)
    }
    const shown = new Date(atMs + offsetMs).toISOString()
    return `${shown.slice(0, 10)} ${shown.slice(11, 19)}`
  }
}

/** The name of the offset is `GMT`, `GMT+05:30`, or with seconds for times long ago. */
function offsetAt(clock: Intl.DateTimeFormat, atMs: number): number {
  const name = clock.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? []
  if (sign === undefined) return 0
  const ms = Number(hours) * 3_600_000 + Number(minutes) * 60_000
  return sign === '-' ? -ms : ms
}

/** A line of the file (RFC 4180). */
export function toCsvLine(entry: LogEntry, times: CsvTimes): string {
  const { timestamp, method, endpoint, statusCode, responseTime, clientId } = entry
  const texts = [times(timestamp), method, endpoint].map(toCell)
  return `${texts.join(',')},${statusCode},${responseTime},${toCell(clientId ?? '')}\r\n`
}
