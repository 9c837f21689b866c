import { SegmentedControl, Skeleton } from '@mantine/core'
import {
  EXCHANGE_NAMES,
  EXCHANGES,
  type ExchangeCode,
  getOperationsHistory,
  HISTORY_SPANS,
  type HistoryPoint,
  type HistorySpan,
  type OperationsHistory,
} from 'schema'
import { create } from 'zustand'
import { QueryView, useLiveQuery } from '../../api/queries.tsx'
import { longStorage } from '../../components/browser-storage.ts'
import type { ChartSeries } from '../../components/chart-scale.ts'
import { TimeChart } from '../../components/time-chart.tsx'
import { useAddressParam } from '../../components/use-address-param.ts'
import classes from './operations.module.css'
import * as texts from './texts.ts'

const words = texts.chart
const MINUTE_MS = 60_000
/** How long each is; it is read as often as there is a new point. */
const SPANS: Readonly<Record<HistorySpan, { readonly ms: number; readonly everyMs: number }>> = {
  '5m': { ms: 5 * MINUTE_MS, everyMs: 5000 },
  '1h': { ms: 60 * MINUTE_MS, everyMs: MINUTE_MS },
  '24h': { ms: 24 * 60 * MINUTE_MS, everyMs: 5 * MINUTE_MS },
}
/** In the order in which they are sent: the first is at the bottom. */
const CLASSES = [
  ['cancel', 'yellow'],
  ['lookup', 'violet'],
  ['order', 'teal'],
  ['account', 'blue'],
  ['market', 'gray'],
] as const

interface ExchangeChartsProps {
  readonly exchange: ExchangeCode
  /** The gateway's time, where the charts end. */
  readonly at: string
}

const keyOf = (exchange: ExchangeCode) => `charts ${exchange}`

/**
 * Whose charts are unfolded: as a person left them. The first has the table of the page. By
 * exchange, so that each is kept by itself.
 */
export const useOpenCharts = create(() => ({
  open: EXCHANGES.filter((exchange) => longStorage.getItem(keyOf(exchange)) !== null),
}))

export function toggleCharts(exchange: ExchangeCode, isOpen: boolean): void {
  if (isOpen) longStorage.setItem(keyOf(exchange), 'open')
  else longStorage.removeItem(keyOf(exchange))
  useOpenCharts.setState(({ open }) => ({
    open: EXCHANGES.filter((each) => (each === exchange ? isOpen : open.includes(each))),
  }))
}

export function ExchangeCharts({ exchange, at }: ExchangeChartsProps) {
  const { open } = useOpenCharts()
  const isOpen = open.includes(exchange)
  return (
    <details
      className={classes.charts}
      open={isOpen}
      onToggle={({ currentTarget }) => toggleCharts(exchange, currentTarget.open)}
    >
      <summary>{words.title(EXCHANGE_NAMES[exchange])}</summary>
      {isOpen && <Charts exchange={exchange} at={at} hasTable={open[0] === exchange} />}
    </details>
  )
}

interface ChartsProps extends ExchangeChartsProps {
  readonly hasTable: boolean
}

function Charts({ exchange, at, hasTable }: ChartsProps) {
  const [param, setParam] = useAddressParam('span')
  const span = HISTORY_SPANS.find((each) => each === param) ?? '5m'
  const history = useLiveQuery(getOperationsHistory, SPANS[span].everyMs, false, {
    query: { span },
  })
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label={words.span}
        value={span}
        onChange={(next) => setParam(next === '5m' ? '' : next)}
        data={HISTORY_SPANS.map((value) => ({ value, label: words.spans[value] }))}
      />
      <QueryView query={history} what={words.what} loading={<Skeleton height={220} mt="xs" />}>
        {(data) => <Plots {...{ exchange, at, hasTable, span }} history={data} />}
      </QueryView>
    </>
  )
}

interface PlotsProps extends ChartsProps {
  readonly span: HistorySpan
  readonly history: OperationsHistory
}

/** What waited, by class, and what was sent, as the gateway remembers it. */
function Plots({ exchange, at, hasTable, span, history }: PlotsProps) {
  const { stepMs } = history
  const name = EXCHANGE_NAMES[exchange]
  const toMs = Date.parse(at)
  const fromMs = toMs - SPANS[span].ms
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
    <>
      <TimeChart
        {...axis}
        label={words.waiting(name)}
        height={120}
        hasTable={hasTable}
        series={CLASSES.map(([key, colour]) => seriesOf(texts.series[key], key, colour))}
      />
      {points.length > 0 && (
        <TimeChart
          {...axis}
          label={words.sent(name)}
          height={64}
          hasTable={false}
          series={[seriesOf(words.sentSeries, 'sent', 'green')]}
        />
      )}
    </>
  )
}
