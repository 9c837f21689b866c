import { SegmentedControl, Skeleton } from '@mantine/core'
import { useState } from 'react'
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
import { QueryView, useLiveQuery } from '../../api/queries.tsx'
import { longStorage } from '../../components/browser-storage.ts'
import type { ChartSeries } from '../../components/chart-scale.ts'
import { TimeChart } from '../../components/time-chart.tsx'
import { useAddressParam } from '../../components/use-address-param.ts'
import classes from './operations.module.css'
import * as texts from './texts.ts'

const words = texts.chart
const MINUTE_MS = 60_000
const SPAN_MS: Readonly<Record<HistorySpan, number>> = {
  '5m': 5 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '24h': 24 * 60 * MINUTE_MS,
}
/** As often as there is a new point. */
const EVERY_MS: Readonly<Record<HistorySpan, number>> = {
  '5m': 5000,
  '1h': MINUTE_MS,
  '24h': 5 * MINUTE_MS,
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
  readonly charts: OpenCharts
}

const keyOf = (exchange: ExchangeCode) => `charts ${exchange}`

export interface OpenCharts {
  /** Whose charts are unfolded; the first has the table of the page. */
  readonly open: readonly ExchangeCode[]
  readonly toggle: (exchange: ExchangeCode, isOpen: boolean) => void
}

/** The charts of exchanges, folded until a person unfolds them, and from then on as they left. */
export function useOpenCharts(): OpenCharts {
  const [open, setOpen] = useState(() =>
    EXCHANGES.filter((exchange) => longStorage.getItem(keyOf(exchange)) !== null),
  )
  const toggle = (exchange: ExchangeCode, isOpen: boolean) => {
    if (isOpen) longStorage.setItem(keyOf(exchange), 'open')
    else longStorage.removeItem(keyOf(exchange))
    setOpen((now) => EXCHANGES.filter((each) => (each === exchange ? isOpen : now.includes(each))))
  }
  return { open, toggle }
}

export function ExchangeCharts({ exchange, at, charts }: ExchangeChartsProps) {
  const isOpen = charts.open.includes(exchange)
  return (
    <details
      className={classes.charts}
      open={isOpen}
      onToggle={({ currentTarget }) => charts.toggle(exchange, currentTarget.open)}
    >
      <summary>{words.title(EXCHANGE_NAMES[exchange])}</summary>
      {isOpen && <Charts exchange={exchange} at={at} hasTable={charts.open[0] === exchange} />}
    </details>
  )
}

interface ChartsProps extends Pick<ExchangeChartsProps, 'exchange' | 'at'> {
  readonly hasTable: boolean
}

function Charts({ exchange, at, hasTable }: ChartsProps) {
  const [param, setParam] = useAddressParam('span')
  const span = HISTORY_SPANS.find((each) => each === param) ?? '5m'
  const history = useLiveQuery(getOperationsHistory, EVERY_MS[span], false, { query: { span } })
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
