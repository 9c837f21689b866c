import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  useState,
} from 'react'
import {
  barsOf,
  type ChartKind,
  type ChartSeries,
  HEIGHT,
  lineOf,
  type Scale,
  WIDTH,
  xOf,
} from './chart-scale.ts'
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
            style={{ color: `var(--sluice-ink-${each.colour})` }}
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

/** How far Page Up and Page Down go. */
const PAGE_STEPS = 10

/**
 * The step that the pointer, a finger or the arrow keys are at, and the events that move it. It
 * stays at its time while new steps arrive.
 * @param onPick gets clicks, Enter and Space
 */
export function useChartCursor(
  { times, stepMs, fromMs, toMs }: Scale,
  onPick: (index: number, isGrowing: boolean) => void,
) {
  const [cursorMs, setCursorMs] = useState<number | null>(null)
  const last = times.length - 1
  const index = cursorMs === null ? last : nearest(times, cursorMs)

  const follow = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const atMs = fromMs + ((event.clientX - left) / width) * (toMs - fromMs)
    setCursorMs(times[nearest(times, atMs - stepMs / 2)] ?? null)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = NEXT[event.key]?.(index, last)
    if (next !== undefined) setCursorMs(times[Math.min(last, Math.max(0, next))] ?? null)
    else if (event.key === 'Enter' || event.key === ' ') onPick(index, event.shiftKey)
    else if (event.key === 'Escape' && cursorMs !== null) setCursorMs(null)
    else return
    event.preventDefault()
  }
  return {
    index,
    cursorMs: cursorMs === null ? null : (times[index] ?? null),
    events: {
      onPointerDown: follow,
      onPointerMove: follow,
      // A finger's reading stays when it is lifted.
      onPointerLeave: (event: PointerEvent) => event.pointerType === 'mouse' && setCursorMs(null),
      onBlur: () => setCursorMs(null),
      onClick: (event: MouseEvent) => onPick(index, event.shiftKey),
      onKeyDown,
    },
  }
}

function nearest(times: readonly number[], atMs: number): number {
  const distances = times.map((time) => Math.abs(time - atMs))
  return distances.indexOf(Math.min(...distances))
}

/** Where a key leads from a step. */
const NEXT: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowLeft: (index) => index - 1,
  ArrowDown: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  ArrowUp: (index) => index + 1,
  PageUp: (index) => index - PAGE_STEPS,
  PageDown: (index) => index + PAGE_STEPS,
  Home: () => 0,
  End: (_, last) => last,
}
