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
