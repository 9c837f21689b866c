import { Text } from '@mantine/core'
import { useId, useState } from 'react'
import {
  type ChartKind,
  type ChartSeries,
  type ChartZone,
  formatChartTime,
  mostOf,
  type Scale,
  timeTicks,
  valueTicks,
  xOf,
} from './chart-scale.ts'
import { formatCount } from './format.ts'
import * as texts from './page-texts.ts'
import classes from './time-chart.module.css'
import { TimePlot, useChartCursor } from './time-plot.tsx'

const QUIET = { fz: 'sm', c: 'dimmed' } as const
/** The part of the axis at either end where a time would leave the chart. */
const EDGE = 0.03

/** The last step of a day is not over: beside "last 24 hours", its values would mislead. */
type AtRest = { readonly shows: 'sums'; readonly label: string } | { readonly shows: 'names' }

interface TimeChartProps {
  /** Names the chart: `Waiting on MEXC`. */
  readonly label: string
  /** Where each step begins, ascending. */
  readonly times: readonly number[]
  readonly stepMs: number
  /** What the time axis covers; from the first to the end of the last step when absent. */
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  /** `bars` stand on each other. */
  readonly kind: ChartKind
  readonly series: readonly ChartSeries[]
  readonly format?: ((value: number) => string) | undefined
  /** Of plot and time axis, in pixels. */
  readonly height?: number
  /** One of few on a line: its legend is beside it, and it has no value axis. */
  readonly isSmall?: boolean
  readonly zone?: ChartZone
  /** Marked as chosen. */
  readonly picked?: { readonly fromMs: number; readonly toMs: number } | undefined
  /** A step was clicked, or Enter pressed on it; `isGrowing`: with Shift. */
  readonly onPick?: ((index: number, isGrowing: boolean) => void) | undefined
  /** What `onPick` does, for screen readers: `Enter shows only this time`. */
  readonly pickHint?: string
  /** What the legend shows while nobody points at a time; absent: the values of the last one. */
  readonly atRest?: AtRest
  /** In place of the plot when there is no step. */
  readonly empty?: string
  /** Whether its values can be unfolded as a table. */
  readonly hasTable?: boolean
}

/**
 * Values over time, with axes. The legend shows the values of one time: that which the pointer, a
 * finger or the arrow keys are at, otherwise the last, or what `atRest` says. A table has all of
 * them.
 */
export function TimeChart(props: TimeChartProps) {
  const { times, stepMs, empty = texts.chartEmpty } = props
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined) return <Text {...QUIET}>{empty}</Text>
  const { fromMs = first, toMs = last + stepMs } = props
  return <Chart {...props} fromMs={fromMs} toMs={toMs} />
}

/** As in the style sheet. */
const TIME_AXIS_PX = 20

function Chart(props: TimeChartProps & { readonly fromMs: number; readonly toMs: number }) {
  const { label, times, stepMs, fromMs, toMs, kind, series, format = formatCount, zone } = props
  const { picked, pickHint, onPick } = props
  const spanMs = toMs - fromMs
  const { height = 140, isSmall = false } = props
  const ticks = valueTicks(mostOf(series, kind), height - TIME_AXIS_PX)
  const scale: Scale = { times, stepMs, fromMs, toMs, top: ticks.at(-1) ?? 1 }
  const cursor = useChartCursor(scale, (index, isGrowing) => onPick?.(index, isGrowing))
  const hintId = useId()

  const nameOf = (atMs: number) => formatChartTime(atMs, { stepMs, spanMs, zone })
  const time = nameOf(times[cursor.index] ?? 0)
  const readings = series.map((each) => {
    const value = each.values[cursor.index]
    return { ...each, text: value == null ? '–' : format(value) }
  })
  const atRest = cursor.cursorMs === null ? props.atRest : undefined
  const sumOf = ({ values }: ChartSeries) =>
    values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
  const legend = readings.map((each) => {
    if (atRest === undefined) return each
    return { ...each, text: atRest.shows === 'names' ? '' : format(sumOf(each)) }
  })
  return (
    <section className={classes.chart} data-small={isSmall || undefined} aria-label={label}>
      <Legend
        kind={kind}
        items={legend}
        time={atRest === undefined ? time : atRest.shows === 'sums' && atRest.label}
      />
      <div className={classes.frame} style={{ height }}>
        {!isSmall && (
          <div className={classes.values} aria-hidden="true">
            {ticks.toReversed().map((tick) => (
              <span key={tick}>{format(tick)}</span>
            ))}
          </div>
        )}
        <div
          role="slider"
          tabIndex={0}
          className={classes.plot}
          data-pickable={onPick !== undefined}
          aria-label={texts.chartCursor(label)}
          aria-describedby={pickHint && hintId}
          aria-valuemin={0}
          aria-valuemax={times.length - 1}
          aria-valuenow={cursor.index}
          aria-valuetext={[time, ...readings.map(({ name, text }) => `${name} ${text}`)].join(', ')}
          {...cursor.events}
        >
          <TimePlot {...{ scale, kind, series, ticks, picked }} cursorMs={cursor.cursorMs} />
        </div>
        <div className={classes.times} aria-hidden="true">
          {timeTicks(fromMs + spanMs * EDGE, toMs - spanMs * EDGE, zone).map((tick) => (
            <span key={tick} style={{ left: `${xOf(scale, tick) * 100}%` }}>
              {formatChartTime(tick, { stepMs: 60_000, spanMs: 0, zone })}
            </span>
          ))}
        </div>
      </div>
      <span id={hintId} hidden>
        {pickHint}
      </span>
      {props.hasTable !== false && <TimeChartTable {...{ label, times, series, format, nameOf }} />}
    </section>
  )
}

interface LegendProps {
  readonly kind: ChartKind
  readonly items: readonly (ChartSeries & { readonly text: string })[]
  readonly time: string | false
}

function Legend({ kind, items, time }: LegendProps) {
  return (
    <div className={classes.legend}>
      <ul>
        {items.map(({ name, colour, text }, index) => (
          <li key={name}>
            <svg width="14" height="10" aria-hidden="true">
              <path
                data-kind={kind}
                style={{ color: `var(--sluice-ink-${colour})` }}
                data-nth={index}
                d={kind === 'bars' ? 'M2 0h10v10h-10z' : 'M0 5h14'}
              />
            </svg>
            {name} <b>{text}</b>
          </li>
        ))}
      </ul>
      <span className={classes.time}>{time}</span>
    </div>
  )
}

interface TimeChartTableProps extends Required<Pick<TimeChartProps, 'label' | 'times' | 'series'>> {
  readonly format: (value: number) => string
  readonly nameOf: (atMs: number) => string
}

/** The values of a chart in numbers, newest first; made when it is unfolded. */
function TimeChartTable({ label, times, series, format, nameOf }: TimeChartTableProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={classes.details} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{texts.chartTable}</summary>
      {isOpen && (
        <table aria-label={label}>
          <thead>
            <tr>
              <th scope="col">{texts.chartTime}</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times
              .map((atMs, index) => (
                <tr key={atMs}>
                  <th scope="row">{nameOf(atMs)}</th>
                  {series.map(({ name, values }) => (
                    <td key={name}>{values[index] == null ? '–' : format(values[index])}</td>
                  ))}
                </tr>
              ))
              .toReversed()}
          </tbody>
        </table>
      )}
    </details>
  )
}
