import { Anchor } from '@mantine/core'
import { EXCHANGE_NAMES, type JournalOrder } from 'schema'
import { Link, useLocation } from 'wouter'
import { EmptyNote } from '../../components/empty-note.tsx'
import { formatDateTime } from '../../components/format-time.ts'
import { type Column, RowsTable } from '../../components/rows-table.tsx'
import { ShortText } from '../../components/short-text.tsx'
import { Tag, type TagColour } from '../../components/tag.tsx'
import { orderAddress } from './find-order.ts'
import * as texts from './texts.ts'

const { heads } = texts.list

const amountOf = ({ quantity, amount }: JournalOrder) =>
  quantity ?? (amount === null ? texts.list.unknown : texts.list.spends(amount))

const COLUMNS: readonly Column<JournalOrder>[] = [
  { key: 'time', head: heads.time, cell: ({ createdAt }) => formatDateTime(createdAt) },
  {
    ...{ key: 'order', head: heads.order, isRowHeader: true, card: 'line' },
    cell: (order) => (
      <Anchor component={Link} href={orderAddress(order.id)} fz="sm">
        {texts.list.order(order)}
      </Anchor>
    ),
  },
  { key: 'exchange', head: heads.exchange, cell: ({ exchange }) => EXCHANGE_NAMES[exchange] },
  { key: 'client', head: heads.client, cell: ({ clientId }) => <ShortText text={clientId} /> },
  { key: 'quantity', head: heads.quantity, isNumber: true, cell: amountOf },
  {
    ...{ key: 'price', head: heads.price, isNumber: true },
    cell: ({ price }) => price ?? texts.list.unknown,
  },
  {
    ...{ key: 'filled', head: heads.filled, isNumber: true },
    cell: ({ filled, averagePrice }) => texts.list.filled(filled, averagePrice),
  },
  {
    ...{ key: 'value', head: heads.value, isNumber: true },
    cell: ({ value }) => texts.list.value(value),
  },
  { key: 'state', head: heads.state, cell: (order) => <StateTag order={order} /> },
  { key: 'source', head: heads.source, cell: ({ source }) => texts.list.sources[source] },
]

interface OrdersTableProps {
  /** Undefined while they are read for the first time. */
  readonly rows: readonly JournalOrder[] | undefined
  /** False: not all of the list has been searched. */
  readonly isAll?: boolean
}

/** Orders, one in each row; a click leads to what happened to it. */
export function OrdersTable({ rows, isAll = true }: OrdersTableProps) {
  const [, navigate] = useLocation()
  return (
    <RowsTable
      label={texts.list.title}
      columns={COLUMNS}
      rows={rows}
      keyOf={({ id }) => id}
      onOpen={({ id }) => navigate(orderAddress(id))}
      empty={
        <EmptyNote
          icon="search"
          title={isAll ? texts.list.none : texts.list.noneYet}
          hint={texts.list.noneHint}
        />
      }
    />
  )
}

/** In which state an order is, and whether it may be open at the exchange. */
export function StateTag({
  order: { state, mayBeOpen },
}: {
  readonly order: Pick<JournalOrder, 'state' | 'mayBeOpen'>
}) {
  const isOpen = mayBeOpen && (state === 'answered' || state === 'resolved')
  return (
    <Tag colour={isOpen ? 'blue' : colourOf(state)}>
      {isOpen ? texts.list.open : texts.states[state]}
    </Tag>
  )
}

function colourOf(state: JournalOrder['state']): TagColour {
  if (state === 'answered' || state === 'resolved') return 'green'
  if (state === 'unknown' || state === 'refused') return 'red'
  return state === 'dropped' ? 'yellow' : 'blue'
}
