import { LOCALE } from './locale.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const TICK_STEPS_MS = [
  10_000,
  30_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
] as const
/** At most; a narrow chart shows every second one. */
const TIME_TICKS_MAX = 8
const VALUE_TICKS_MAX = 4
/** Two labels nearer to each other than this overlap. */
const VALUE_STEP_PX = 14

/** Local time, or UTC. */
export type ChartZone = 'UTC' | undefined

/** Whole steps of the clock between two times, in the zone's own hours. */
export function timeTicks(fromMs: number, toMs: number, zone?: ChartZone): number[] {
  const step = TICK_STEPS_MS.find((ms) => (toMs - fromMs) / ms <= TIME_TICKS_MAX) ?? 24 * HOUR_MS
  const offsetMs = zone === 'UTC' ? 0 : -new Date(toMs).getTimezoneOffset() * MINUTE_MS
  const first = Math.ceil((fromMs + offsetMs) / step) * step - offsetMs
  const ticks: number[] = []
  for (let tick = first; tick <= toMs; tick += step) ticks.push(tick)
  return ticks
}

/**
 * From 0 in equal round steps to the first that `most` does not exceed; whole numbers only.
 * @param height of the plot, in pixels
 */
export function valueTicks(most: number, height: number): number[] {
  const ticksMax = Math.min(VALUE_TICKS_MAX, Math.max(1, Math.floor(height / VALUE_STEP_PX)))
  const rough = Math.max(1, most) / ticksMax
  const power = 10 ** Math.floor(Math.log10(rough))
  const round = [1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10
  const step = Math.max(1, round * power)
  const count = Math.max(1, Math.ceil(most / step))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** `14:30`, with seconds for short steps, with the day of the week when a span has two days. */
export function formatChartTime(
  atMs: number,
  { stepMs, spanMs, zone }: { stepMs: number; spanMs: number; zone?: ChartZone },
): string {
  const hasSeconds = stepMs < MINUTE_MS
  const hasDay = spanMs > 12 * HOUR_MS
  const key = `${zone} ${hasSeconds} ${hasDay}`
  let format = formats.get(key)
  if (format === undefined) {
    format = new Intl.DateTimeFormat(LOCALE, {
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      ...(hasSeconds ? { second: '2-digit' } : {}),
      ...(hasDay ? { weekday: 'short' } : {}),
      ...(zone === undefined ? {} : { timeZone: zone }),
    })
    formats.set(key, format)
  }
  return format.format(atMs)
}
