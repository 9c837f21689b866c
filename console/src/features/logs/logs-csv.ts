import type { LogEntry } from 'schema'
import { writeInSlices } from './export-logs.ts'
import type { LogLine } from './log-line.ts'
import { formatCsvTime, type Zone } from './log-time.ts'

// The first line of the file (docs/console-checklist.md, 183).
const HEADER = ['Timestamp', 'Method', 'Endpoint', 'Status', 'Response Time', 'Client ID']
/** Spreadsheets take a file without it for the system's old character set. */
const BYTE_ORDER_MARK = '\ufeff'
/** The lines as CSV (RFC 4180). */
export async function writeLogsCsv(lines: readonly LogLine[], zone: Zone): Promise<string> {
  const rows = await writeInSlices(lines, ({ entry }) => `${toRow(entry, zone)}\r\n`)
  return `${BYTE_ORDER_MARK}${HEADER.join(',')}\r\n${rows}`
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
