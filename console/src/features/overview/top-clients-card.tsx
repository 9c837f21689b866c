import { Anchor, Skeleton, Text } from '@mantine/core'
import type { ClientNow } from 'schema'
import { Link } from 'wouter'
import { QueryView } from '../../api/query-view.tsx'
import { useOperationsOfStrip } from '../../api/use-operations.ts'
import { Card } from '../../components/card.tsx'
import { formatCount, formatPercent } from '../../components/format.ts'
import { MiddleCut } from '../../components/middle-cut.tsx'
import classes from './overview.module.css'
import * as texts from './texts.ts'

const words = texts.topClients
const SHOWN = 8

/** The clients that wait and ask most, as the gateway orders them. */
export function TopClientsCard() {
  const operations = useOperationsOfStrip()
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
              <ClientTable clients={clients.slice(0, SHOWN)} />
              <Anchor component={Link} fz="sm" mt="sm" display="block" href="/operations">
                {words.all(formatCount(clients.length), clients.length === 1)}
              </Anchor>
            </>
          )
        }
      </QueryView>
    </Card>
  )
}

function ClientTable({ clients }: { readonly clients: readonly ClientNow[] }) {
  return (
    <table className={classes.rows} aria-label={words.title}>
      <thead>
        <tr>
          {Object.entries(words.columns).map(([key, name]) => (
            <th key={key} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {clients.map(({ id, clientId, waiting, requestsLastMinute, failedLastMinute }) => (
          <tr key={id}>
            <th scope="row" className={classes.client}>
              <Anchor
                component={Link}
                href={`/client-credentials/${id}`}
                fw={500}
                fz="inherit"
                title={clientId}
              >
                <MiddleCut text={clientId} />
              </Anchor>
            </th>
            <td>{formatCount(waiting || 0)}</td>
            <td>{formatCount(requestsLastMinute || 0)}</td>
            <td>{failedOf(requestsLastMinute, failedLastMinute)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function failedOf(requests: number, failed: number): string {
  // Responses of this minute may belong to requests that arrived before it.
  return requests > 0 ? formatPercent(Math.min(100, ((failed || 0) * 100) / requests)) : '–'
}
