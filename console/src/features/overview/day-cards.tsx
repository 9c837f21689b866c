import { Skeleton, Text } from '@mantine/core'
import { type ClientNow, DEFAULT_RATE_LIMIT_PER_SECOND, EXCHANGE_NAMES, type Stats } from 'schema'
import { useLocation } from 'wouter'
import { STATE_LOOKS } from '../../api/exchange-state.ts'
import { type Query, QueryView, useOperationsOfStrip } from '../../api/queries.tsx'
import { formatCount, formatMs, formatPercent } from '../../components/format.ts'
import { Card, ClientLink, Details, PageLink, Quiet } from '../../components/page.tsx'
import { columnsFrom, RowsTable } from '../../components/rows-table.tsx'
import { Tag } from '../../components/signs.tsx'
import { TimeChart } from '../../components/time-chart.tsx'
import classes from './overview.module.css'
import * as texts from './texts.ts'
import { QUEUE_WINDOW_MS, type QueuePoint, STATS_EVERY_MS, type Traffic } from './traffic.ts'

const { rateLimit } = texts

/** Of both charts, so that nothing moves when they come. */
const LOADING_HEIGHT = 258
const CHART_HEIGHT = 60

/**
 * How many requests there were, how many failed, and how long they waited for their turn, apart
 * from what the exchange needed.
 */
export function DayCard({ traffic }: { readonly traffic: Query<Traffic> }) {
  const [, navigate] = useLocation()
  const words = texts.traffic
  const loading = <Skeleton height={LOADING_HEIGHT} />
  return (
    <Card title={words.title} description={words.description}>
      <QueryView query={traffic} what={words.reading} loading={loading}>
        {({ times, stepMs, counts, durations }) => (
          <>
            <TimeChart
              label={words.countsLabel}
              kind="bars"
              height={CHART_HEIGHT}
              times={times}
              stepMs={stepMs}
              series={counts}
              empty={words.empty}
              atRest={{ shows: 'sums', label: words.total }}
              pickHint={words.pickHint}
              onPick={(index) => {
                const fromMs = times[index] ?? 0
                navigate(`/logs?span=${fromMs}-${fromMs + stepMs}`)
              }}
            />
            {times.length > 0 && (
              <>
                <Quiet fz="xs" mt="xs" mb={4}>
                  {words.times}
                </Quiet>
                <TimeChart
                  label={words.timesLabel}
                  kind="lines"
                  height={CHART_HEIGHT}
                  times={times}
                  stepMs={stepMs}
                  series={durations}
                  format={formatMs}
                  atRest={{ shows: 'names' }}
                />
              </>
            )}
          </>
        )}
      </QueryView>
    </Card>
  )
}

const SHOWN = 6

/** The clients that wait and ask most, as the gateway orders them. */
export function TopClientsCard() {
  const operations = useOperationsOfStrip()
  const words = texts.topClients
  return (
    <Card title={words.title} description={words.description}>
      <QueryView query={operations} what={words.reading} loading={<Skeleton height={160} />}>
        {({ clients }) =>
          clients.length === 0 ? (
            <Quiet>{words.empty}</Quiet>
          ) : (
            <>
              <RowsTable
                label={words.title}
                columns={COLUMNS}
                rows={clients.slice(0, SHOWN)}
                keyOf={({ id }) => id}
                isNested
              />
              <PageLink mt="xs" display="block" href="/operations">
                {words.all(formatCount(clients.length), clients.length === 1)}
              </PageLink>
            </>
          )
        }
      </QueryView>
    </Card>
  )
}

const COLUMNS = columnsFrom<ClientNow>(texts.topClients.columns, {
  client: {
    isRowHeader: true,
    className: classes.cut ?? '',
    cell: ({ id, clientId }) => <ClientLink id={id} clientId={clientId} />,
  },
  waiting: ({ waiting }) => formatCount(waiting || 0),
  rate: ({ requestsLastMinute }) => formatCount(requestsLastMinute || 0),
  failed: failedOf,
})

function failedOf({ requestsLastMinute: requests, failedLastMinute: failed }: ClientNow): string {
  // Responses of this minute may belong to requests that arrived before it.
  return requests > 0 ? formatPercent(Math.min(100, ((failed || 0) * 100) / requests)) : '–'
}

interface RateLimitCardProps {
  readonly stats: Stats | undefined
  readonly queue: readonly QueuePoint[]
}

/** The pace towards the exchanges as the gateway reports it; the default where it reports none. */
export function RateLimitCard({ stats, queue }: RateLimitCardProps) {
  const exchanges = stats?.exchanges ?? []
  const figures = [
    [
      rateLimit.limit,
      stats?.currentRateLimit ?? DEFAULT_RATE_LIMIT_PER_SECOND,
      rateLimit.perSecond,
    ],
    [rateLimit.queue, stats?.queueSize ?? 0, rateLimit.waiting],
  ] as const
  return (
    <Card title={rateLimit.title} description={rateLimit.description}>
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
          label={rateLimit.exchanges}
          columns={EXCHANGES}
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
const EXCHANGES = columnsFrom<NonNullable<Stats['exchanges']>[number]>(rateLimit.columns, {
  exchange: {
    isRowHeader: true,
    cell: ({ exchange, environment }) => (
      <>
        {EXCHANGE_NAMES[exchange] ?? exchange} <small>{environment}</small>
      </>
    ),
  },
  state: ({ state }) => <Tag colour={STATE_LOOKS[state]?.colour ?? 'gray'}>{state}</Tag>,
  waiting: ({ queueSize }) => queueSize,
})

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
