import { Text } from '@mantine/core'
import { DEFAULT_RATE_LIMIT_PER_SECOND, EXCHANGE_NAMES, type Stats } from 'schema'
import { STATE_LOOKS } from '../../api/exchange-state.ts'
import { Card, Details } from '../../components/page.tsx'
import { type Column, RowsTable } from '../../components/rows-table.tsx'
import { Tag } from '../../components/signs.tsx'
import { TimeChart } from '../../components/time-chart.tsx'
import classes from './overview.module.css'
import * as texts from './texts.ts'
import { QUEUE_WINDOW_MS, type QueuePoint } from './traffic.ts'
import { STATS_EVERY_MS } from './use-overview.ts'

const words = texts.rateLimit

interface RateLimitCardProps {
  readonly stats: Stats | undefined
  readonly queue: readonly QueuePoint[]
}

/** The pace towards the exchanges as the gateway reports it; the default where it reports none. */
export function RateLimitCard({ stats, queue }: RateLimitCardProps) {
  const exchanges = stats?.exchanges ?? []
  const figures = [
    [words.limit, stats?.currentRateLimit ?? DEFAULT_RATE_LIMIT_PER_SECOND, words.perSecond],
    [words.queue, stats?.queueSize ?? 0, words.waiting],
  ] as const
  return (
    <Card title={words.title} description={words.description}>
      <Details
        className={classes.figures}
        rows={figures.map(([name, value, unit]) => [
          name,
          <>
            {value}{' '}
            <Text component="span" fz="sm" c="dimmed">
              {unit}
            </Text>
          </>,
        ])}
      />
      {exchanges.length > 0 && (
        <RowsTable
          label={words.exchanges}
          columns={COLUMNS}
          rows={exchanges}
          keyOf={({ exchange }) => exchange}
          isNested
        />
      )}
      <QueueChart points={queue} />
    </Card>
  )
}

/** The lane of each exchange: its state, whether real money is behind it, what waits. */
const COLUMNS: readonly Column<NonNullable<Stats['exchanges']>[number]>[] = [
  {
    ...{ key: 'exchange', head: words.columns.exchange, isRowHeader: true },
    cell: ({ exchange, environment }) => (
      <>
        {EXCHANGE_NAMES[exchange] ?? exchange} <small>{environment}</small>
      </>
    ),
  },
  {
    ...{ key: 'state', head: words.columns.state },
    cell: ({ state }) => <Tag colour={STATE_LOOKS[state]?.colour ?? 'gray'}>{state}</Tag>,
  },
  { key: 'waiting', head: words.columns.waiting, cell: ({ queueSize }) => queueSize },
]

/** The queue of the last five minutes; it grows with each reading. */
function QueueChart({ points }: { readonly points: readonly QueuePoint[] }) {
  const last = points.at(-1)
  if (last === undefined) return null
  const toMs = last.atMs + STATS_EVERY_MS
  return (
    <TimeChart
      label={texts.queue.title}
      kind="lines"
      height={54}
      times={points.map(({ atMs }) => atMs)}
      stepMs={STATS_EVERY_MS}
      fromMs={toMs - QUEUE_WINDOW_MS}
      toMs={toMs}
      series={[
        { name: texts.queue.waiting, colour: 'teal', values: points.map(({ size }) => size) },
      ]}
    />
  )
}
