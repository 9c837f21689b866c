import { Paper, Text } from '@mantine/core'
import type { JournalOrder } from 'schema'
import { useLocation } from 'wouter'
import { formatDateTime, LOCALE } from '../../components/format.ts'
import { EmptyNote, PageLink } from '../../components/page.tsx'
import { columnsFrom, RowsTable } from '../../components/rows-table.tsx'
import { ShortText } from '../../components/short-text.tsx'
import { Tag, type TagColour } from '../../components/signs.tsx'
import { orderAddress } from './find-order.ts'
import * as texts from './texts.ts'

const NO_WRAP = { whiteSpace: 'nowrap' } as const
const dayAndTime = new Intl.DateTimeFormat(LOCALE, {
  ...{ month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  hourCycle: 'h23',
})

const amountOf = ({ quantity, amount }: JournalOrder) =>
  quantity ?? (amount === null ? texts.list.unknown : texts.list.spends(amount))

const COLUMNS = columnsFrom<JournalOrder>(texts.list.heads, {
  time: {
    card: 'line',
    cell: ({ createdAt }) => (
      <time style={NO_WRAP} dateTime={createdAt} title={formatDateTime(createdAt)}>
        {dayAndTime.format(new Date(createdAt))}
      </time>
    ),
  },
  order: {
    isRowHeader: true,
    card: 'line',
    cell: (order) => (
      <>
        <PageLink href={orderAddress(order.id)}>{texts.list.doesWhat(order)}</PageLink>
        <Minor>{texts.list.where(order.exchange, order)}</Minor>
      </>
    ),
  },
  client: {
    card: 'line',
    cell: ({ clientId, source }) => (
      <>
        <ShortText text={clientId} />
        <Minor>{texts.list.sources[source]}</Minor>
      </>
    ),
  },
  quantity: { isNumber: true, cell: amountOf },
  price: { isNumber: true, cell: ({ price }) => price ?? texts.list.unknown },
  filled: {
    isNumber: true,
    cell: ({ filled, averagePrice }) => texts.list.filled(filled, averagePrice),
  },
  worth: { isNumber: true, cell: ({ value }) => texts.list.value(value) },
  state: (order) => <StateTag order={order} />,
})

/** A second line of a cell. */
function Minor({ children }: { readonly children: string }) {
  return (
    <Text component="div" fz="xs" c="dimmed">
      {children}
    </Text>
  )
}

interface OrdersTableProps {
  /** Undefined while they are read for the first time. */
  readonly rows: readonly JournalOrder[] | undefined
  /** False: not all of the list has been searched. */
  readonly isAll?: boolean
  /** True: no filter leaves any out. */
  readonly isWhole?: boolean
}

/** Orders, one in each row; a click leads to what happened to it. */
export function OrdersTable({ rows, isAll = true, isWhole = false }: OrdersTableProps) {
  const [, navigate] = useLocation()
  const { none, noneYet, noneAtAll, noneHint, firstHint } = texts.list
  return (
    <Paper withBorder px="md" py="xs">
      <RowsTable
        label={texts.list.title}
        columns={COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        onOpen={({ id }) => navigate(orderAddress(id))}
        empty={
          <EmptyNote
            icon="search"
            title={isWhole ? noneAtAll : isAll ? none : noneYet}
            hint={isWhole ? firstHint : noneHint}
          />
        }
      />
    </Paper>
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
