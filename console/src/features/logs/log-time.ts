export const ZONES = ['local', 'utc'] as const
export type Zone = (typeof ZONES)[number]

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const MINUTE_MS = 60_000

/** `Mar 05, 14:30:22`; null for what is no time. */
export function formatLogTime(iso: string, zone: Zone): string | null {
  const time = wallClock(iso, zone)
  if (time === null) return null
  return `${MONTHS[Number(time.slice(5, 7)) - 1]} ${time.slice(8, 10)}, ${time.slice(11, 19)}`
}

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
