import type { LogEntry } from 'schema'
import type { LogLine } from './log-line.ts'
import { formatCsvTime, type Zone } from './log-time.ts'

// SPECIFICATION, section 9.
const HEADER = ['Timestamp', 'Method', 'Endpoint', 'Status', 'Response Time', 'Client ID']
/** Spreadsheets take a file without it for the system's old character set. */
const BYTE_ORDER_MARK = '\ufeff'
/** Lines written before the page gets its turn again. */
const SLICE = 5000

/** The lines as CSV (RFC 4180). Long lists are written in slices, so that the page stays alive. */
export async function writeLogsCsv(lines: readonly LogLine[], zone: Zone): Promise<string> {
  const parts = [`${BYTE_ORDER_MARK}${HEADER.join(',')}\r\n`]
  for (let start = 0; start < lines.length; start += SLICE) {
    if (start > 0) await new Promise((resolve) => setTimeout(resolve))
    const slice = lines.slice(start, start + SLICE)
    parts.push(slice.map(({ entry }) => `${toRow(entry, zone)}\r\n`).join(''))
  }
  return parts.join('')
}

/** `gateway-logs-2026-03-05.csv`, the date as the zone's calendar has it. */
export function csvFileName(nowMs: number, zone: Zone): string {
  const time = formatCsvTime(new Date(nowMs).toISOString(), zone) ?? ''
  return `gateway-logs-${time.slice(0, 10)}.csv`
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
 * One value. A text that a spreadsheet would run as a formula gets an apostrophe in front; numbers are the
 * gateway's own and stay as they are.
 */
function toCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
