import type { CSSProperties } from 'react'
import {
  barsOf,
  type ChartKind,
  type ChartSeries,
  HEIGHT,
  lineOf,
  type Scale,
  WIDTH,
  xOf,
} from './chart-paths.ts'
import classes from './time-chart.module.css'

interface TimePlotProps {
  readonly scale: Scale
  readonly kind: ChartKind
  readonly series: readonly ChartSeries[]
  /** Where the horizontal lines are. */
  readonly ticks: readonly number[]
  /** The step that the pointer is at; null: none. */
  readonly cursorMs: number | null
  readonly picked: { readonly fromMs: number; readonly toMs: number } | undefined
}

/** The drawing between the axes. */
export function TimePlot({ scale, kind, series, ticks, cursorMs, picked }: TimePlotProps) {
  return (
    <>
      {ticks.map((tick) => (
        <i key={tick} className={classes.line} style={{ bottom: `${(tick / scale.top) * 100}%` }} />
      ))}
      {picked && <i className={classes.picked} style={across(scale, picked.fromMs, picked.toMs)} />}
      {cursorMs !== null && (
        <i className={classes.cursor} style={across(scale, cursorMs, cursorMs + scale.stepMs)} />
      )}
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {series.map((each, index) => (
          <path
            key={each.name}
            data-kind={kind}
            data-colour={each.colour}
            data-nth={index}
            d={kind === 'bars' ? barsOf(scale, series, index) : lineOf(scale, each)}
          />
        ))}
      </svg>
    </>
  )
}

/** Covers a span of time, as far as the axis has it. */
function across(scale: Scale, fromMs: number, toMs: number): CSSProperties {
  const left = Math.max(0, xOf(scale, fromMs))
  const right = Math.min(1, xOf(scale, toMs))
  return { left: `${left * 100}%`, width: `${Math.max(0, right - left) * 100}%` }
}
