import { Anchor, Badge, Group, Text } from '@mantine/core'
import {
  type ApiKey,
  EXCHANGE_NAMES,
  getClientHeartbeat,
  type Heartbeat,
  type JournalOrder,
  listApiKeys,
  listOrders,
} from 'schema'
import { Link } from 'wouter'
import { QueryView, useLiveQuery, useQuery } from '../../api/queries.tsx'
import { expiryOf, formatDateTime } from '../../components/format.ts'
import { Card } from '../../components/page.tsx'
import { type Column, RowsTable } from '../../components/rows-table.tsx'
import { useNow } from '../../components/timers.ts'
import * as texts from './client-page-texts.ts'
import { addKeysAddress } from './client-secret.tsx'

const ORDERS_EVERY_MS = 5000
/** How many orders are shown. */
const ORDERS = 5

/** What the client ordered last, each with the way to its life. */
export function OrdersCard({ clientId }: { readonly clientId: string }) {
  const { title, what, all, empty } = texts.orders
  const query = useLiveQuery(listOrders, ORDERS_EVERY_MS, false, {
    query: { clientId, limit: `${ORDERS}` },
  })
  return (
    <Card
      title={title}
      actions={
        <CardLink href={`/orders?${new URLSearchParams({ client: clientId })}`}>{all}</CardLink>
      }
    >
      <QueryView query={query} what={what}>
        {(orders) => (
          <RowsTable
            label={title}
            columns={ORDER_COLUMNS}
            rows={orders}
            keyOf={({ id }) => id}
            empty={<Quiet>{empty}</Quiet>}
          />
        )}
      </QueryView>
    </Card>
  )
}

const { columns: heads, sides, states, open } = texts.orders
const ORDER_COLUMNS: readonly Column<JournalOrder>[] = [
  {
    ...{ key: 'at', head: heads.at, isRowHeader: true, card: 'line' },
    cell: ({ id, createdAt }) => (
      <CardLink href={`/orders/${encodeURIComponent(id)}`}>{formatDateTime(createdAt)}</CardLink>
    ),
  },
  { key: 'exchange', head: heads.exchange, cell: ({ exchange }) => EXCHANGE_NAMES[exchange] },
  { key: 'symbol', head: heads.symbol, cell: ({ symbol }) => symbol },
  { key: 'side', head: heads.side, cell: ({ side }) => side && sides[side] },
  { key: 'type', head: heads.type, cell: ({ type }) => type },
  { key: 'price', head: heads.price, isNumber: true, cell: ({ price }) => price },
  { key: 'quantity', head: heads.quantity, isNumber: true, cell: ({ quantity }) => quantity },
  { key: 'filled', head: heads.filled, isNumber: true, cell: ({ filled }) => filled ?? '–' },
  {
    ...{ key: 'state', head: heads.state },
    cell: ({ state, mayBeOpen }) =>
      mayBeOpen && (state === 'answered' || state === 'resolved') ? open : states[state],
  },
]

/** The client's keys at the exchanges, with what needs a person. */
export function KeysCard({ clientId }: { readonly clientId: string }) {
  const query = useQuery(listApiKeys)
  const { title, what, manage, add, none } = texts.keys
  const href = `/api-key-management?${new URLSearchParams({ client: clientId })}`
  return (
    <Card
      title={title}
      actions={
        <>
          <CardLink href={href}>{manage}</CardLink>
          <CardLink href={addKeysAddress(clientId)}>{add}</CardLink>
        </>
      }
    >
      <QueryView query={query} what={what}>
        {(keys) => (
          <RowsTable
            label={title}
            columns={KEY_COLUMNS}
            rows={keys.filter((key) => key.clientId === clientId)}
            keyOf={({ exchange }) => exchange}
            empty={<Quiet>{none}</Quiet>}
          />
        )}
      </QueryView>
    </Card>
  )
}

const KEY_COLUMNS: readonly Column<ApiKey>[] = [
  {
    ...{ key: 'exchange', head: texts.keys.columns.exchange, isRowHeader: true, card: 'plain' },
    cell: ({ exchange }) => EXCHANGE_NAMES[exchange],
  },
  {
    ...{ key: 'status', head: texts.keys.columns.status, card: 'plain' },
    cell: ({ testStatus }) => (
      <Badge variant="light" color={testStatus === 'success' ? 'green' : 'red'}>
        {texts.keys.tested[testStatus] ?? texts.keys.tested.untested}
      </Badge>
    ),
  },
  {
    ...{ key: 'expires', head: texts.keys.columns.expires, card: 'plain' },
    cell: ({ expiresAt }) => expiryOf(expiresAt, Date.now())?.text,
  },
  {
    ...{ key: 'note', head: texts.keys.columns.note, card: 'plain' },
    cell: ({ note }) => note,
  },
]

const HEARTBEAT_EVERY_MS = 5000

/** Whether a client's silence would cancel its orders, and how long that takes. */
export function HeartbeatCard({ id }: { readonly id: number }) {
  const { title, description, what } = texts.heartbeat
  const query = useLiveQuery(getClientHeartbeat, HEARTBEAT_EVERY_MS, false, { params: { id } })
  return (
    <Card title={title} description={description}>
      <QueryView query={query} what={what}>
        {(heartbeat) => <HeartbeatState heartbeat={heartbeat} />}
      </QueryView>
    </Card>
  )
}

function HeartbeatState({ heartbeat }: { readonly heartbeat: Heartbeat }) {
  const { ttlSeconds, expiresAt } = heartbeat
  const { armed, notArmed, left, overdue, every, none } = texts.heartbeat
  const isArmed = expiresAt !== null
  const nowMs = useNow(isArmed)
  const leftMs = isArmed ? Date.parse(expiresAt) - nowMs : 0
  return (
    <>
      <Group gap="sm">
        <Badge variant="light" color={isArmed ? 'green' : 'gray'}>
          {isArmed ? armed : notArmed}
        </Badge>
        {isArmed && (
          <Text fz="sm" fw={600} role="timer">
            {leftMs > 0 ? left(formatSeconds(Math.ceil(leftMs / 1000))) : overdue}
          </Text>
        )}
      </Group>
      <Text fz="sm" c="dimmed" mt="xs">
        {isArmed ? every(formatSeconds(ttlSeconds)) : none}
      </Text>
    </>
  )
}

/** `45 s`, `2 min 5 s`, `3 h`: the two largest units, without those that are 0. */
function formatSeconds(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds < 3600 ? seconds % 60 : 0, 's'],
  ] as const
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`)
  return shown.join(' ')
}

/** The link of a card to the page that has all of it. */
export function CardLink({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <Anchor component={Link} fz="sm" href={href}>
      {children}
    </Anchor>
  )
}

export function Quiet({ children }: { readonly children: string }) {
  return (
    <Text fz="sm" c="dimmed">
      {children}
    </Text>
  )
}
