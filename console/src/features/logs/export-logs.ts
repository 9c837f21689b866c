import type { LogEntry } from 'schema'
import type { Zone } from './log-filter.ts'
import { formatCsvTime, type LogLine } from './log-lines.ts'

/** Lines written before the page gets its turn again. */
const SLICE = 5000
// The first line of the file (console-checklist.md, 183).
const HEADER = ['Timestamp', 'Method', 'Endpoint', 'Status', 'Response Time', 'Client ID']
/** Spreadsheets take a file without it for the system's old character set. */
const BYTE_ORDER_MARK = '\ufeff'

/** The lines as CSV (RFC 4180). */
export async function writeLogsCsv(lines: readonly LogLine[], zone: Zone): Promise<string> {
  const rows = await writeInSlices(lines, ({ entry }) => `${toRow(entry, zone)}\r\n`)
  return `${BYTE_ORDER_MARK}${HEADER.join(',')}\r\n${rows}`
}

/** The entries as JSON lines: one object per line, as the gateway sent it. */
export function writeLogsJsonLines(lines: readonly LogLine[]): Promise<string> {
  return writeInSlices(lines, ({ entry }) => `${JSON.stringify(entry)}\n`)
}

/** `gateway-logs-2026-03-05.csv`, the date as the zone's calendar has it. */
export function exportFileName(nowMs: number, zone: Zone, ending: 'csv' | 'jsonl'): string {
  const time = formatCsvTime(new Date(nowMs).toISOString(), zone) ?? ''
  return `gateway-logs-${time.slice(0, 10)}.${ending}`
}

/**
 * A text of one part for each line. Long lists are written in slices, so that the page stays alive.
 */
async function writeInSlices(
  lines: readonly LogLine[],
  write: (line: LogLine) => string,
): Promise<string> {
  const parts: string[] = []
  for (let start = 0; start < lines.length; start += SLICE) {
    if (start > 0) await new Promise((resolve) => setTimeout(resolve))
    parts.push(
      lines
        .slice(start, start + SLICE)
        .map(write)
        .join(''),
    )
  }
  return parts.join('')
}

function toRow(entry: LogEntry, zone: Zone): string {
  return [
    formatCsvTime(entry.timestamp, zone) ?? entry.timestamp,
    entry.method,
    entry.endpoint,
    entry.statusCode,
    entry.responseTime,
    entry.clientId ?? '',
  ]
    .map(toCell)
    .join(',')
}

/**
 * One value. A text that a spreadsheet would run as a formula gets an apostrophe in front; numbers
 * are the gateway's own and stay as they are.
 */
function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
