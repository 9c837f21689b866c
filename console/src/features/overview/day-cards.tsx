import { Anchor, Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ClientNow } from 'schema'
import { Link, useLocation } from 'wouter'
import { type Query, QueryView, useOperationsOfStrip } from '../../api/queries.tsx'
import { formatCount, formatMs, formatPercent } from '../../components/format.ts'
import { Card } from '../../components/page.tsx'
import { MiddleCut } from '../../components/short-text.tsx'
import { TimeChart } from '../../components/time-chart.tsx'
import classes from './overview.module.css'
import * as texts from './texts.ts'
import type { Traffic } from './traffic.ts'

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
                <Text fz="xs" c="dimmed" mt="xs" mb={4}>
                  {words.times}
                </Text>
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
            <Text c="dimmed" fz="sm">
              {words.empty}
            </Text>
          ) : (
            <>
              <SmallTable
                label={words.title}
                heads={Object.values(words.columns)}
                rows={clients.slice(0, SHOWN).map(rowOf)}
              />
              <Anchor component={Link} fz="sm" mt="xs" display="block" href="/operations">
                {words.all(formatCount(clients.length), clients.length === 1)}
              </Anchor>
            </>
          )
        }
      </QueryView>
    </Card>
  )
}

function rowOf({ id, clientId, waiting, requestsLastMinute, failedLastMinute }: ClientNow): Row {
  return {
    key: id,
    head: (
      <Anchor
        component={Link}
        href={`/client-credentials/${id}`}
        fw={500}
        fz="inherit"
        title={clientId}
      >
        <MiddleCut text={clientId} />
      </Anchor>
    ),
    cells: [
      formatCount(waiting || 0),
      formatCount(requestsLastMinute || 0),
      failedOf(requestsLastMinute, failedLastMinute),
    ],
  }
}

function failedOf(requests: number, failed: number): string {
  // Responses of this minute may belong to requests that arrived before it.
  return requests > 0 ? formatPercent(Math.min(100, ((failed || 0) * 100) / requests)) : '–'
}

interface Row {
  readonly key: string | number
  readonly head: ReactNode
  readonly cells: readonly ReactNode[]
}

interface SmallTableProps {
  readonly label: string
  readonly heads: readonly string[]
  readonly rows: readonly Row[]
}

/** A few rows in a card, whose first column takes the room that there is. */
export function SmallTable({ label, heads, rows }: SmallTableProps) {
  return (
    <table className={classes.rows} aria-label={label}>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, head, cells }) => (
          <tr key={key}>
            <th scope="row">{head}</th>
            {cells.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its column.
              <td key={index}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
