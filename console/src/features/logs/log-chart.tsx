import { Skeleton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useMemo } from 'react'
import { type Query, QueryView } from '../../api/queries.tsx'
import { TimeChart } from '../../components/time-chart.tsx'
import type { TimeCounts } from './log-counts.ts'
import { filterBy, readSpan, type Span, useLogFilter, useZone, writeSpan } from './log-filter.ts'
import * as texts from './texts.ts'

/**
 * Screens of this width show a row on several lines; the style sheet changes the layout at the same
 * width.
 */
const NARROW = '(max-width: 48em)'
export const useIsNarrow = () =>
  useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false }) ?? false

const MINUTE_MS = 60_000
/** Of the chart with its legend, in pixels. */
const HEIGHT = 60
/** A finger cannot choose between the bars of quarters of an hour. */
export const stepMsOf = (isNarrow: boolean) => (isNarrow ? 60 : 15) * MINUTE_MS

interface LogChartProps {
  /** The read of the list: there is no chart before it. */
  readonly logs: Query<object>
  /** After all filters but the span. */
  readonly counts: TimeCounts
  /** The gateway's count, without which a chart of zeros would be false; absent: all are loaded. */
  readonly counting: Query<object> | undefined
}

/**
 * Requests over time. A bar narrows the list to its time; with Shift the span grows to it; the
 * chosen bar takes the span away.
 */
export function LogChart({ logs, counting, ...props }: LogChartProps) {
  if (logs.data === undefined) return logs.isLoading && <Skeleton height={HEIGHT} />
  if (counting === undefined) return <Chart {...props} />
  return (
    <QueryView query={counting} what={texts.counting} loading={<Skeleton height={HEIGHT} />}>
      {() => <Chart {...props} />}
    </QueryView>
  )
}

function Chart({ counts }: Pick<LogChartProps, 'counts'>) {
  const zone = useZone()
  const { times, stepMs } = counts
  const series = useMemo(() => seriesOf(counts), [counts])
  const { span: spanText } = useLogFilter()
  const span = readSpan(spanText)
  const pick = (index: number, isGrowing: boolean) => {
    const fromMs = times[index] ?? 0
    const bar = { fromMs, toMs: fromMs + stepMs }
    const next = writeSpan(isGrowing && span !== undefined ? hull(span, bar) : bar)
    filterBy({ span: next === spanText ? '' : next })
  }
  return (
    <TimeChart
      isSmall
      hasTable={false}
      label={texts.chart}
      times={times}
      stepMs={stepMs}
      kind="bars"
      series={series}
      height={48}
      zone={zone === 'utc' ? 'UTC' : undefined}
      picked={span}
      onPick={pick}
      pickHint={texts.pickHint}
      atRest={{ shows: 'sums', label: texts.chartTotal }}
    />
  )
}

const COLOURS = { success: 'green', failed: 'red', refused: 'yellow', other: 'gray' } as const
const RESULTS = Object.keys(COLOURS) as (keyof typeof COLOURS)[]

/** Requests that Sluice refused, or with another result, are named only where there are some. */
function seriesOf(counts: TimeCounts) {
  const isNamed = (result: keyof typeof COLOURS) =>
    result === 'success' || result === 'failed' || counts[result].some((count) => count > 0)
  return RESULTS.filter(isNamed).map((result) => ({
    ...{ name: texts.results[result], colour: COLOURS[result], values: counts[result] },
  }))
}

function hull(a: Span, b: Span): Span {
  return { fromMs: Math.min(a.fromMs, b.fromMs), toMs: Math.max(a.toMs, b.toMs) }
}
