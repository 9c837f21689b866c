import { lazy, Suspense, useMemo, useState } from 'react'
import { EXCHANGE_NAMES, endOrder, type JournalOrder, listOrders } from 'schema'
import { QueryView, useLiveQuery } from '../../api/queries.tsx'
import { ActionButton } from '../../api/role.tsx'
import { Card, EmptyNote, PARTS, PageLink, PagePart, Quiet } from '../../components/page.tsx'
import { type Column, columnsFrom, RowsTable } from '../../components/rows-table.tsx'
import classes from './operations.module.css'
import { Ago } from './parts.tsx'
import * as texts from './texts.ts'

// Seldom needed: the page's other parts come first.
const EndOrderDialog = lazy(() => import('./end-order-dialog.tsx'))

const words = texts.outcomes
const EVERY_MS = 5000

/** Orders that were sent and whose outcome is unknown, until it is known. */
export function OutcomesCard({ count }: { readonly count: number }) {
  const query = useLiveQuery(listOrders, EVERY_MS, false, { query: { state: 'unknown' } })
  return (
    <PagePart id={PARTS.outcomes}>
      <Card title={words.title(count)} description={words.description}>
        <QueryView query={query} what={words.what}>
          {(orders) =>
            orders.length === 0 ? (
              <EmptyNote icon="check" title={words.empty} hint={words.emptyHint} />
            ) : (
              <>
                <OutcomesTable orders={orders} />
                {count > orders.length && <Quiet>{words.more(orders.length, count)}</Quiet>}
              </>
            )
          }
        </QueryView>
      </Card>
    </PagePart>
  )
}

function OutcomesTable({ orders }: { readonly orders: readonly JournalOrder[] }) {
  const [ending, setEnding] = useState<JournalOrder>()
  const columns = useMemo(() => columnsOf(setEnding), [])
  return (
    <>
      <RowsTable label={words.label} columns={columns} rows={orders} keyOf={({ id }) => id} />
      <Suspense fallback={null}>
        {ending && <EndOrderDialog order={ending} onClose={() => setEnding(undefined)} />}
      </Suspense>
    </>
  )
}

function columnsOf(onEnd: (order: JournalOrder) => void): readonly Column<JournalOrder>[] {
  return columnsFrom<JournalOrder>(words.columns, {
    order: {
      isRowHeader: true,
      cell: (order) => (
        <PageLink href={`/orders/${encodeURIComponent(order.id)}`} fw={600} fz="inherit">
          {nameOf(order)}
        </PageLink>
      ),
    },
    client: { card: 'line', cell: ({ clientId }) => clientId },
    call: { card: 'line', className: classes.call ?? '', cell: (order) => <Call {...order} /> },
    sent: ({ tries, sentAt, createdAt }) =>
      // Of a cancel, only the last try is known.
      tries !== null && tries > 1 ? '–' : <Ago of={sentAt ?? createdAt} />,
    lookups: ({ lookups, canBeLookedUp }) => (
      <>
        <span>{words.rounds(lookups)}</span>
        {!canBeLookedUp && <small data-alarming>{words.byHand}</small>}
      </>
    ),
    actions: {
      isActions: true,
      cell: (order) =>
        !isUnderWay(order) && (
          <ActionButton
            size="compact-xs"
            endpoint={endOrder}
            label={words.end}
            name={words.endName(nameOf(order), order.clientId)}
            does={words.endDoes}
            run={() => onEnd(order)}
            isOfRow
          />
        ),
    },
  })
}

function Call({ exchange, method, endpoint, tries, orders, createdAt }: JournalOrder) {
  const name = EXCHANGE_NAMES[exchange]
  if (tries === null) return <span>{`${name} ${method} ${endpoint}`}</span>
  return (
    <>
      <span>{`${name} ${words.tried(orders ?? 1, words.rounds(tries))} `}</span>
      <Ago of={createdAt} isRough />
    </>
  )
}

/** A cancel of the gateway, which finds out itself what became of it. */
function isUnderWay({ tries, canBeLookedUp }: JournalOrder): boolean {
  return tries !== null && canBeLookedUp
}

function nameOf({ clientOrderId, orderId, id }: JournalOrder): string {
  return clientOrderId ?? orderId ?? id
}
