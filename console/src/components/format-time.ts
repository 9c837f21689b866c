import { LOCALE } from './locale.ts'

const dateTime = new Intl.DateTimeFormat(LOCALE, {
  year: 'numeric',
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

const date = new Intl.DateTimeFormat(LOCALE, { year: 'numeric', month: 'short', day: '2-digit' })

/** `Mar 05, 2026` in the browser's time zone; a dash for what is no time. */
export function formatDate(iso: string): string {
  const time = new Date(iso)
  return Number.isNaN(time.getTime()) ? '–' : date.format(time)
}

/** `Mar 05, 2026, 14:30:22` in the browser's time zone; a dash for what is no time. */
export function formatDateTime(iso: string): string {
  const time = new Date(iso)
  return Number.isNaN(time.getTime()) ? '–' : dateTime.format(time)
}
