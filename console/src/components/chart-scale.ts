import { LOCALE } from './format.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const TICK_MINUTES = [1 / 6, 1 / 2, 1, 5, 10, 30, 60, 180, 360, 720, 1440] as const
/** At most; a narrow chart shows every second one. */
const TIME_TICKS_MAX = 8
const VALUE_TICKS_MAX = 4
/** Two labels nearer to each other than this overlap. */
const VALUE_STEP_PX = 14

/** Local time, or UTC. */
export type ChartZone = 'UTC' | undefined

/** Whole steps of the clock between two times, in the zone's own hours. */
export function timeTicks(fromMs: number, toMs: number, zone?: ChartZone): number[] {
  const minutes = (toMs - fromMs) / MINUTE_MS
  const step = (TICK_MINUTES.find((each) => minutes / each <= TIME_TICKS_MAX) ?? 1440) * MINUTE_MS
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

/** The drawing's own units; it is stretched to the size of the plot. */
export const WIDTH = 1000
export const HEIGHT = 100
/** Up to here there is a gap between two bars. */
const SEPARATE_BARS_MAX = 60

export interface ChartSeries {
  readonly name: string
  readonly colour: 'blue' | 'teal' | 'green' | 'yellow' | 'red' | 'violet' | 'gray'
  /** One for each time; null is unknown, and drawn as a gap. */
  readonly values: readonly (number | null)[]
}

export type ChartKind = 'bars' | 'lines'

/** What a chart is drawn by. */
export interface Scale {
  /** Where each step begins, ascending. */
  readonly times: readonly number[]
  readonly stepMs: number
  readonly fromMs: number
  readonly toMs: number
  /** The value at the upper edge; the lower one is 0. */
  readonly top: number
}

/** Where a time is on the axis: 0 is the left edge, 1 the right one. */
export const xOf = ({ fromMs, toMs }: Scale, atMs: number) => (atMs - fromMs) / (toMs - fromMs)

/** How high a chart has to be; bars stand on each other. */
export function mostOf(series: readonly ChartSeries[], kind: ChartKind): number {
  const steps = series[0]?.values ?? []
  const most = steps.map((_, step) => {
    const values = series.map(({ values: each }) => each[step] ?? 0)
    return kind === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values)
  })
  return Math.max(0, ...most)
}

/** The path of one series' bars, which stand on those of the series before it. */
export function barsOf(scale: Scale, series: readonly ChartSeries[], index: number): string {
  const { times, stepMs, top } = scale
  const gapMs = times.length <= SEPARATE_BARS_MAX ? stepMs * 0.1 : 0
  const y = (value: number) => round(HEIGHT * (1 - value / top))
  return times
    .map((atMs, step) => {
      const value = series[index]?.values[step] ?? 0
      if (value === 0) return ''
      const below = series.slice(0, index).reduce((sum, { values }) => sum + (values[step] ?? 0), 0)
      const left = round(Math.max(0, xOf(scale, atMs + gapMs)) * WIDTH)
      const right = round(Math.min(1, xOf(scale, atMs + stepMs - gapMs)) * WIDTH)
      return `M${left} ${y(below)}V${y(below + value)}H${right}V${y(below)}z`
    })
    .join('')
}

/** The path of a line: one stroke for each run of known values; a single one is a dot. */
export function lineOf(scale: Scale, { values }: ChartSeries): string {
  return scale.times
    .map((atMs, step) => {
      const value = values[step]
      if (value == null) return ''
      const x = round(xOf(scale, atMs + scale.stepMs / 2) * WIDTH)
      const y = round(HEIGHT * (1 - value / scale.top))
      return step === 0 || values[step - 1] == null ? `M${x} ${y}h.1` : `L${x} ${y}`
    })
    .join('')
}

const round = (value: number) => Math.round(value * 10) / 10
