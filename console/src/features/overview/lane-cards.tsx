import { Text } from '@mantine/core'
import { DEFAULT_RATE_LIMIT_PER_SECOND, EXCHANGE_NAMES, type Stats } from 'schema'
import { Card } from '../../components/page.tsx'
import { Tag, type TagColour } from '../../components/signs.tsx'
import { TimeChart } from '../../components/time-chart.tsx'
import { SmallTable } from './day-cards.tsx'
import classes from './overview.module.css'
import * as texts from './texts.ts'
import { QUEUE_WINDOW_MS, type QueuePoint } from './traffic.ts'
import { STATS_EVERY_MS } from './use-overview.ts'

const words = texts.rateLimit

const COLOURS: Record<string, TagColour> = {
  running: 'green',
  paused: 'yellow',
  broken: 'red',
  stopped: 'red',
}

interface RateLimitCardProps {
  readonly stats: Stats | undefined
  readonly queue: readonly QueuePoint[]
}

/** The pace towards the exchanges as the gateway reports it; the default where it reports none. */
export function RateLimitCard({ stats, queue }: RateLimitCardProps) {
  const figures = [
    [words.limit, stats?.currentRateLimit ?? DEFAULT_RATE_LIMIT_PER_SECOND, words.perSecond],
    [words.queue, stats?.queueSize ?? 0, words.waiting],
  ] as const
  return (
    <Card title={words.title} description={words.description}>
      <dl className={classes.figures}>
        {figures.map(([name, value, unit]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {value}{' '}
              <Text component="span" fz="sm" c="dimmed">
                {unit}
              </Text>
            </dd>
          </div>
        ))}
      </dl>
      <Exchanges stats={stats} />
      <QueueChart points={queue} />
    </Card>
  )
}

/** The lane of each exchange: its state, whether real money is behind it, what waits. */
function Exchanges({ stats }: Pick<RateLimitCardProps, 'stats'>) {
  const exchanges = stats?.exchanges ?? []
  if (exchanges.length === 0) return null
  return (
    <SmallTable
      label={words.exchanges}
      heads={Object.values(words.columns)}
      rows={exchanges.map(({ exchange, state, environment, queueSize }) => ({
        key: exchange,
        head: (
          <>
            {EXCHANGE_NAMES[exchange] ?? exchange} <small>{environment}</small>
          </>
        ),
        cells: [
          <Tag key="state" colour={COLOURS[state] ?? 'gray'}>
            {state}
          </Tag>,
          queueSize,
        ],
      }))}
    />
  )
}

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
