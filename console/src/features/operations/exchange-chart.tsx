import type { ExchangeCode, HistoryPoint, HistorySpan, OperationsHistory } from 'schema'
import type { ChartSeries } from '../../components/chart-paths.ts'
import { TimeChart } from '../../components/time-chart.tsx'
import classes from './operations.module.css'
import * as texts from './texts.ts'

const words = texts.chart
const MINUTE_MS = 60_000
const SPAN_MS: Readonly<Record<HistorySpan, number>> = {
  '5m': 5 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '24h': 24 * 60 * MINUTE_MS,
}
/** In the order in which they are sent: the first is at the bottom. */
const CLASSES = [
  ['cancel', 'yellow'],
  ['lookup', 'violet'],
  ['order', 'teal'],
  ['account', 'blue'],
  ['market', 'gray'],
] as const

interface ExchangeChartProps {
  readonly name: string
  readonly exchange: ExchangeCode
  /** The gateway's time, where the charts end. */
  readonly at: string
  readonly span: HistorySpan
  readonly history: OperationsHistory
}

/** What waited, by class, and what was sent, as the gateway remembers it. */
export function ExchangeChart({ name, exchange, at, span, history }: ExchangeChartProps) {
  const { stepMs } = history
  const toMs = Date.parse(at)
  const fromMs = toMs - SPAN_MS[span]
  const all = history.exchanges.find((each) => each.exchange === exchange)?.points ?? []
  const points = all.filter((point) => Date.parse(point.at) >= fromMs)
  const axis = {
    times: points.map((point) => Date.parse(point.at)),
    ...{ stepMs, fromMs, toMs: Math.max(toMs, Date.parse(points.at(-1)?.at ?? at) + stepMs) },
    kind: 'bars',
    empty: words.empty,
  } as const
  const seriesOf = (
    seriesName: string,
    key: keyof HistoryPoint,
    colour: ChartSeries['colour'],
  ) => ({
    name: seriesName,
    colour,
    values: points.map((point) => Number(point[key])),
  })
  return (
    <div className={classes.charts}>
      <TimeChart
        {...axis}
        label={words.waiting(name)}
        height={120}
        series={CLASSES.map(([key, colour]) => seriesOf(texts.series[key], key, colour))}
      />
      {points.length > 0 && (
        <TimeChart
          {...axis}
          label={words.sent(name)}
          height={64}
          series={[seriesOf(words.sentSeries, 'sent', 'green')]}
        />
      )}
    </div>
  )
}
