import * as texts from './page-texts.ts'

/**
 * The language that numbers, dates and sorting follow, everywhere in the console. What is fixed has
 * a form of its own: request times of the log and of its export, and values that people type.
 */
export const LOCALE = 'en-US'

const decimal = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 2 })

/** With its thousands apart and two decimals at most: `1,640.5`. */
export const formatNumber = (value: number): string => decimal.format(value)

/** Narrow and unbreakable: number and unit stay together. */
const GAP = '\u202f'

/** In place of a number that a response does not have. */
const NONE = '–'

/** Percent with one decimal: `98.8%`. */
export const formatPercent = (percent: number) =>
  Number.isFinite(percent) ? `${percent.toFixed(1)}%` : NONE

/** Whole milliseconds with their unit, `143 ms`; from ten seconds on in seconds, `21.5 s`. */
export function formatMs(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return NONE
  if (milliseconds < 10_000) return `${formatCount(Math.round(milliseconds))}${GAP}ms`
  return `${seconds.format(milliseconds / 1000)}${GAP}s`
}
const seconds = new Intl.NumberFormat(LOCALE, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
})

const UNITS = [texts.bytes, 'kB', 'MB'] as const
/** A size of text as it is transported: `512 bytes`, `1.4 kB`, `5.0 MB` (1 kB = 1,000 bytes). */
export function formatBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : bytes < 1_000_000 ? 1 : 2
  const value = bytes / 1000 ** power
  return `${power === 0 ? value : value.toFixed(1)}${GAP}${UNITS[power]}`
}

const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
const DATE = { year: 'numeric', month: 'short', day: '2-digit' } as const

/** What writes a time; a dash for what is no time. */
function timeFormat(parts: Intl.DateTimeFormatOptions): (time: number | string) => string {
  const format = new Intl.DateTimeFormat(LOCALE, parts)
  return (time) => {
    const date = new Date(time)
    return Number.isNaN(date.getTime()) ? NONE : format.format(date)
  }
}

/** Time of day on the reader's clock: `14:30:22`. */
export const formatTimeOfDay = timeFormat(CLOCK)
/** `Mar 05, 2026` in the browser's time zone. */
export const formatDate = timeFormat(DATE)
/** `Mar 05, 2026, 14:30:22` in the browser's time zone. */
export const formatDateTime = timeFormat({ ...DATE, ...CLOCK })

/** A count with its thousands apart: `10,000`. */
export const formatCount = (count: number) => formatNumber(count)

const SECOND_MS = 1000
const DURATION_UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [SECOND_MS, 's'],
] as const

/** Its two largest units: `450 ms`, `40 s`, `1 min 12 s`, `3 h`, `2 d 4 h`. */
export const formatDuration = (ms: number) => durationOf(ms, 2)

/** Its largest unit, rounded down: `40 s`, `3 min`; below a second `under 1 s`. */
export function formatRoughly(ms: number): string {
  return ms < SECOND_MS ? texts.under(`1${GAP}s`) : durationOf(ms, 1)
}

function durationOf(ms: number, units: number): string {
  if (ms < SECOND_MS) return formatMs(Math.max(0, ms))
  const first = DURATION_UNITS.findIndex(([size]) => ms >= size)
  let rest = ms
  const parts = DURATION_UNITS.slice(first, first + units).map(([size, unit]) => {
    const count = Math.floor(rest / size)
    rest %= size
    return count === 0 ? '' : `${count}${GAP}${unit}`
  })
  return parts.filter((part) => part !== '').join(' ')
}

const DAY_MS = 86_400_000
/** The gateway raises its first alert so many days before the end. */
const SOON_DAYS = 14

interface Expiry {
  readonly text: string
  readonly isSoon: boolean
  readonly isOver: boolean
}

/**
 * How long a key is still valid; undefined when it does not expire, or when its expiry is unknown.
 */
export function expiryOf(expiresAt: string | null | undefined, nowMs: number): Expiry | undefined {
  const leftMs = Date.parse(expiresAt ?? '') - nowMs
  if (Number.isNaN(leftMs)) return undefined
  const days = Math.ceil(leftMs / DAY_MS)
  const isOver = days <= 0
  return {
    text: isOver ? texts.expiryOver : texts.expiryIn(days),
    isSoon: days <= SOON_DAYS,
    isOver,
  }
}

interface OrderFacts {
  readonly side: string | null
  readonly type: string | null
  readonly quantity: string | null
  readonly symbol: string | null
  readonly price: string | null
}

/** `BUY LIMIT 0.01 BTCUSDT at 58000`; undefined where nothing of it is known. */
export function formatOrder(order: OrderFacts | null | undefined): string | undefined {
  if (order === undefined || order === null) return undefined
  const { side, type, quantity, symbol, price } = order
  const known = [side?.toUpperCase(), type, quantity, symbol].filter((part) => part != null)
  if (known.length === 0) return undefined
  return price === null ? known.join(' ') : texts.orderAt(known.join(' '), price)
}
