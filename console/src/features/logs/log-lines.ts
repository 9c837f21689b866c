import type { LogEntry } from 'schema'
import { sorted } from '../../components/rows-table.tsx'
import { isRefused, type LogSort, type Zone } from './log-filter.ts'

/** An entry made ready for the list: found by its key, searched without work per keystroke. */
export interface LogLine {
  readonly entry: LogEntry
  /** The same for the same entry in every response. */
  readonly key: string
  /** Unix ms; 0 when the time is broken. */
  readonly atMs: number
  /** Endpoint, client id, error code and note in lower case; searches look in it. */
  readonly haystack: string
  /** Set on the newest of equal refusals, the one line that is shown for all of them. */
  readonly fold?: Fold
}

/**
 * Newest first; entries of the same time keep the gateway's order, those with a broken time come
 * last.
 */
export function toLogLines(entries: readonly LogEntry[]): LogLine[] {
  return entries
    .map((entry, index) => ({ entry, index, atMs: Date.parse(entry.timestamp) || 0 }))
    .sort((a, b) => b.atMs - a.atMs || a.index - b.index)
    .map(({ entry, index, atMs }) => ({
      entry,
      atMs,
      // Counted from the end: a response without ids grows at its beginning.
      key: String(entry.id ?? `${entry.timestamp}-${entries.length - index}`),
      haystack: [entry.endpoint, entry.clientId, entry.code, entry.note].join('\n').toLowerCase(),
    }))
}

/** The lines in another order; those that are equal in it stay newest first. */
export function sortLogs(lines: readonly LogLine[], { by, isDescending }: LogSort) {
  // So they come already.
  if (by === 'time') return isDescending ? lines : lines.toReversed()
  const rankOf = ({ entry }: LogLine) =>
    (by === 'took' ? entry.responseTime : entry.statusCode) || 0
  return sorted(lines, (a, b) => rankOf(a) - rankOf(b), isDescending)
}

/** Refusals of Sluice that one client got again and again. */
export interface Fold {
  /** Of all that are alike: they are opened together. */
  readonly kind: string
  readonly lines: readonly LogLine[]
  readonly isOpen: boolean
}

/** Fewer are shown one by one. */
const FOLDED_MIN = 3
/** After a pause of this length, what follows is another time. */
const PAUSE_MS = 10 * 60_000

/**
 * One line in place of the refusals that a client got for the same call, so that a bot that repeats
 * itself does not push the others out of sight.
 * @param lines newest first
 * @param isOpen whether a kind is shown one by one, below its folded line
 * @param openKey the line whose details are shown: it is never hidden
 */
export function foldRefusals(
  lines: readonly LogLine[],
  isOpen: (kind: string) => boolean,
  openKey: string,
): readonly LogLine[] {
  const groups = new Map<string, LogLine[]>()
  const groupOf = new Map<LogLine, LogLine[]>()
  for (const line of lines) {
    if (!isRefused(line.entry)) continue
    const kind = kindOf(line.entry)
    const last = groups.get(kind)
    const isNear = last !== undefined && (last.at(-1)?.atMs ?? 0) - line.atMs <= PAUSE_MS
    const group = isNear ? last : []
    group.push(line)
    groups.set(kind, group)
    groupOf.set(line, group)
  }
  return lines.flatMap((line) => {
    const group = groupOf.get(line) ?? []
    if (group.length < FOLDED_MIN) return line
    if (group[0] !== line) return []
    const kind = kindOf(line.entry)
    const isShown = isOpen(kind) || group.some(({ key }, at) => at > 0 && key === openKey)
    const head = { ...line, fold: { kind, lines: group, isOpen: isShown } }
    return isShown ? [head, ...group.slice(1)] : head
  })
}

const kindOf = ({ clientId, method, endpoint, statusCode, code }: LogEntry) =>
  JSON.stringify([clientId, method, endpoint, statusCode, code])

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const MINUTE_MS = 60_000

/** `Mar 05, 14:30:22`; null for what is no time. */
export function formatLogTime(iso: string, zone: Zone): string | null {
  const time = wallClock(iso, zone)
  if (time === null) return null
  return `${MONTHS[Number(time.slice(5, 7)) - 1]} ${time.slice(8, 10)}, ${time.slice(11, 19)}`
}

/** `Mar 05, 14:30`; '' for what is no time. */
export const formatMinute = (atMs: number, zone: Zone) =>
  formatLogTime(new Date(atMs).toISOString(), zone)?.slice(0, -3) ?? ''

/** `2026-03-05 14:30:22`; null for what is no time. */
export function formatCsvTime(iso: string, zone: Zone): string | null {
  const time = wallClock(iso, zone)
  return time === null ? null : `${time.slice(0, 10)} ${time.slice(11, 19)}`
}

/** What people call the zone: `Europe/Berlin`, `UTC`. */
export function zoneName(zone: Zone): string {
  return zone === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone
}

// The ISO text of the instant that UTC clocks show when clocks of the zone show the wanted time:
// much faster than Intl for the 100,000 lines of an export.
function wallClock(iso: string, zone: Zone): string | null {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return null
  if (zone === 'utc') return time.toISOString()
  return new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS).toISOString()
}
