import type { LogEntry } from 'schema'
import { toCell } from '../../http/shown-text.ts'

const HEADER = 'Timestamp,Method,Endpoint,Status,Response Time,Client ID'
/** Without the byte order mark, spreadsheets read the file in the system's old character set. */
export const CSV_HEAD = `\ufeff${HEADER}\r\n`

/** Writes a time of the log as the clocks of a zone show it: `2026-03-05 14:30:22`. */
export type CsvTimes = (timestamp: string) => string

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
