/** Narrow and unbreakable: number and unit stay together. */
const GAP = '\u202f'

/** Percent with one decimal: `98.8%`. */
export function formatPercent(percent: number): string {
  return `${percent.toFixed(1)}%`
}

/** Whole milliseconds with their unit: `143 ms`. */
export function formatMs(milliseconds: number): string {
  return `${Math.round(milliseconds)}${GAP}ms`
}

const UNITS = ['bytes', 'kB', 'MB'] as const
/** A size of text as it is transported: `512 bytes`, `1.4 kB`, `5.0 MB` (1 kB = 1,000 bytes). */
export function formatBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : bytes < 1_000_000 ? 1 : 2
  const value = bytes / 1000 ** power
  return `${power === 0 ? value : value.toFixed(1)}${GAP}${UNITS[power]}`
}

/** Time of day on the reader's clock: `14:30:22`. */
export function formatTimeOfDay(atMs: number): string {
  return timeOfDay.format(atMs)
}
const timeOfDay = new Intl.DateTimeFormat('en-US', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

/** A count with its thousands apart: `10,000`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}
