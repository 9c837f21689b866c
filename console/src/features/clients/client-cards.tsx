import { Anchor, Badge } from '@mantine/core'
import { type ApiKey, EXCHANGE_NAMES, type JournalOrder, listApiKeys, listOrders } from 'schema'
import { Link } from 'wouter'
import { type Query, QueryView, useLiveQuery, useQuery } from '../../api/queries.tsx'
import { expiryOf, formatDateTime } from '../../components/format.ts'
import { Card, Quiet } from '../../components/page.tsx'
import { type Column, columnsFrom, RowsTable } from '../../components/rows-table.tsx'
import * as texts from './client-page-texts.ts'
import { addKeysAddress } from './client-secret.tsx'

interface TableCardProps<L, T> {
  readonly words: { readonly title: string; readonly what: string; readonly empty: string }
  /** To the pages that have all of it. */
  readonly links: readonly (readonly [label: string, address: string])[]
  readonly query: Query<L>
  /** The rows of what was read. */
  readonly rowsOf: (list: NonNullable<L>) => readonly T[]
  readonly columns: readonly Column<T>[]
  readonly keyOf: (row: T) => string | number
}

/** A few rows of a client, each list with the way to all of it. */
export function TableCard<L, T>(props: TableCardProps<L, T>) {
  const { words, links, query, rowsOf, columns, keyOf } = props
  const { title, what, empty } = words
  return (
    <Card
      title={title}
      actions={links.map(([label, address]) => (
        <CardLink key={address} href={address}>
          {label}
        </CardLink>
      ))}
    >
      <QueryView query={query} what={what}>
        {(list) => (
          <RowsTable
            {...{ label: title, columns, keyOf }}
            rows={rowsOf(list)}
            empty={<Quiet>{empty}</Quiet>}
          />
        )}
      </QueryView>
    </Card>
  )
}

/** The link of a card to the page that has all of it. */
export function CardLink({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <Anchor component={Link} fz="sm" href={href}>
      {children}
    </Anchor>
  )
}

const ORDERS_EVERY_MS = 5000
/** How many orders are shown. */
const ORDERS = 5

/** What the client ordered last, each with the way to its life. */
export function OrdersCard({ clientId }: { readonly clientId: string }) {
  const query = useLiveQuery(listOrders, ORDERS_EVERY_MS, false, {
    query: { clientId, limit: `${ORDERS}` },
  })
  return (
    <TableCard
      words={texts.orders}
      links={[[texts.orders.all, `/orders?${new URLSearchParams({ client: clientId })}`]]}
      query={query}
      rowsOf={(orders) => orders}
      columns={ORDER_COLUMNS}
      keyOf={({ id }) => id}
    />
  )
}

const { sides, states, open } = texts.orders
const ORDER_COLUMNS = columnsFrom<JournalOrder>(texts.orders.columns, {
  at: {
    ...{ isRowHeader: true, card: 'line' },
    cell: ({ id, createdAt }) => (
      <CardLink href={`/orders/${encodeURIComponent(id)}`}>{formatDateTime(createdAt)}</CardLink>
    ),
  },
  exchange: ({ exchange }) => EXCHANGE_NAMES[exchange],
  symbol: ({ symbol }) => symbol,
  side: ({ side }) => side && sides[side],
  type: ({ type }) => type,
  price: { isNumber: true, cell: ({ price }) => price },
  quantity: { isNumber: true, cell: ({ quantity }) => quantity },
  filled: { isNumber: true, cell: ({ filled }) => filled ?? '–' },
  state: ({ state, mayBeOpen }) =>
    mayBeOpen && (state === 'answered' || state === 'resolved') ? open : states[state],
})

/** The client's keys at the exchanges, with what needs a person. */
export function KeysCard({ clientId }: { readonly clientId: string }) {
  const { manage, add } = texts.keys
  return (
    <TableCard
      words={texts.keys}
      links={[
        [manage, `/api-key-management?${new URLSearchParams({ client: clientId })}`],
        [add, addKeysAddress(clientId)],
      ]}
      query={useQuery(listApiKeys)}
      rowsOf={(keys) => keys.filter((key) => key.clientId === clientId)}
      columns={KEY_COLUMNS}
      keyOf={({ exchange }) => exchange}
    />
  )
}

const KEY_COLUMNS = columnsFrom<ApiKey>(texts.keys.columns, {
  exchange: {
    ...{ isRowHeader: true, card: 'plain' },
    cell: ({ exchange }) => EXCHANGE_NAMES[exchange],
  },
  status: {
    card: 'plain',
    cell: ({ testStatus }) => (
      <Badge variant="light" color={testStatus === 'success' ? 'green' : 'red'}>
        {texts.keys.tested[testStatus] ?? texts.keys.tested.untested}
      </Badge>
    ),
  },
  expires: { card: 'plain', cell: ({ expiresAt }) => expiryOf(expiresAt, Date.now())?.text },
  note: { card: 'plain', cell: ({ note }) => note },
})
