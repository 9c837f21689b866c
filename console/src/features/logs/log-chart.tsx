import { Skeleton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useMemo } from 'react'
import { QueryView } from '../../api/query-view.tsx'
import type { Query } from '../../api/use-query.ts'
import { TimeChart } from '../../components/time-chart.tsx'
import type { TimeCounts } from './count-by-time.ts'
import { type LogFilter, readSpan, type Span, writeSpan } from './filter-logs.ts'
import type { Zone } from './log-time.ts'
import { NARROW } from './narrow.ts'
import * as texts from './texts.ts'

const MINUTE_MS = 60_000

/** A finger cannot choose between the bars of quarters of an hour. */
export function useStepMs(): number {
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false }) ?? false
  return (isNarrow ? 60 : 15) * MINUTE_MS
}

interface LogChartProps {
  /** After all filters but the span. */
  readonly counts: TimeCounts
  /** The gateway's count, without which a chart of zeros would be false; absent: all are loaded. */
  readonly counting: Query<object> | undefined
  readonly span: LogFilter['span']
  readonly zone: Zone
  readonly onSpan: (span: LogFilter['span']) => void
}

/**
 * Requests over time. A bar narrows the list to its time; with Shift the span grows to it; the
 * chosen bar takes the span away.
 */
export function LogChart({ counting, ...props }: LogChartProps) {
  if (counting === undefined) return <Chart {...props} />
  return (
    <QueryView query={counting} what={texts.counting} loading={<Skeleton height={200} mb="sm" />}>
      {() => <Chart {...props} />}
    </QueryView>
  )
}

function Chart({ counts, span: spanText, zone, onSpan }: Omit<LogChartProps, 'counting'>) {
  const { times, stepMs } = counts
  const series = useMemo(() => seriesOf(counts), [counts])
  const span = readSpan(spanText)
  const pick = (index: number, isGrowing: boolean) => {
    const fromMs = times[index] ?? 0
    const bar = { fromMs, toMs: fromMs + stepMs }
    const next = writeSpan(isGrowing && span !== undefined ? hull(span, bar) : bar)
    onSpan(next === spanText ? '' : next)
  }
  return (
    <TimeChart
      label={texts.chart}
      times={times}
      stepMs={stepMs}
      kind="bars"
      series={series}
      height={150}
      zone={zone === 'utc' ? 'UTC' : undefined}
      picked={span}
      onPick={pick}
      pickHint={texts.pickHint}
      atRest={{ shows: 'sums', label: texts.chartTotal }}
    />
  )
}

function seriesOf({ success, failed, other }: TimeCounts) {
  const known = [
    { name: texts.succeeded, colour: 'green', values: success },
    { name: texts.failed, colour: 'red', values: failed },
  ] as const
  const hasOther = other.some((count) => count > 0)
  return hasOther
    ? [...known, { name: texts.other, colour: 'gray', values: other } as const]
    : known
}

function hull(a: Span, b: Span): Span {
  return { fromMs: Math.min(a.fromMs, b.fromMs), toMs: Math.max(a.toMs, b.toMs) }
}
