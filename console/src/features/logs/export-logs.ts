import type { LogLine } from './log-line.ts'
import { formatCsvTime, type Zone } from './log-time.ts'

/** Lines written before the page gets its turn again. */
const SLICE = 5000

/**
 * A text of one part for each line. Long lists are written in slices, so that the page stays alive.
 */
export async function writeInSlices(
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

/** The entries as JSON lines: one object per line, as the gateway sent it. */
export function writeLogsJsonLines(lines: readonly LogLine[]): Promise<string> {
  return writeInSlices(lines, ({ entry }) => `${JSON.stringify(entry)}\n`)
}

/** `gateway-logs-2026-03-05.csv`, the date as the zone's calendar has it. */
export function exportFileName(nowMs: number, zone: Zone, ending: 'csv' | 'jsonl'): string {
  const time = formatCsvTime(new Date(nowMs).toISOString(), zone) ?? ''
  return `gateway-logs-${time.slice(0, 10)}.${ending}`
}
