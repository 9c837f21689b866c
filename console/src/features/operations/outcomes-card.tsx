import { Anchor, Button } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { EXCHANGE_NAMES, endOrder, type JournalOrder, listOrders } from 'schema'
import { Link } from 'wouter'
import { QueryView } from '../../api/query-view.tsx'
import { RoleOnly } from '../../api/role-only.tsx'
import { useLiveQuery } from '../../api/use-live-query.ts'
import { Card } from '../../components/card.tsx'
import { EmptyNote } from '../../components/empty-note.tsx'
import { PARTS, PagePart } from '../../components/page-part.tsx'
import { tableRoles } from '../../components/table-roles.ts'
import { Age } from './gateway-clock.tsx'
import classes from './operations.module.css'
import { RowsTable } from './rows-table.tsx'
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
                {count > orders.length && <p>{words.more(orders.length, count)}</p>}
              </>
            )
          }
        </QueryView>
      </Card>
    </PagePart>
  )
}

function OutcomesTable({ orders }: { readonly orders: readonly JournalOrder[] }) {
  const { columns } = words
  const [ending, setEnding] = useState<JournalOrder>()
  return (
    <>
      <RowsTable label={words.label} columns={columns}>
        {orders.map((order) => (
          <tr key={order.id} {...tableRoles.row}>
            <th {...tableRoles.rowHeader} scope="row">
              <Anchor
                component={Link}
                href={`/orders/${encodeURIComponent(order.id)}`}
                fw={600}
                fz="inherit"
              >
                {nameOf(order)}
              </Anchor>
            </th>
            <td {...tableRoles.cell} className={classes.name}>
              {order.clientId}
            </td>
            <td {...tableRoles.cell} className={classes.call}>
              {EXCHANGE_NAMES[order.exchange]}{' '}
              {order.tries === null ? (
                `${order.method} ${order.endpoint}`
              ) : (
                <>
                  {words.tried(order.orders ?? 1, words.rounds(order.tries))}{' '}
                  <Age of={order.createdAt} isRough /> {texts.figures.ago}
                </>
              )}
            </td>
            <td {...tableRoles.cell} data-label={columns.sent}>
              {/* Of a cancel, only the last try is known. */}
              {order.tries !== null && order.tries > 1 ? (
                '–'
              ) : (
                <>
                  <Age of={order.sentAt ?? order.createdAt} /> {texts.figures.ago}
                </>
              )}
            </td>
            <td {...tableRoles.cell} data-label={columns.lookups}>
              {words.rounds(order.lookups)}
              {!order.canBeLookedUp && <small data-alarming>{words.byHand}</small>}
            </td>
            <td {...tableRoles.cell} className={classes.actions}>
              {!isUnderWay(order) && (
                <RoleOnly endpoint={endOrder}>
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={words.endName(nameOf(order), order.clientId)}
                    onClick={() => setEnding(order)}
                  >
                    {words.end}
                  </Button>
                </RoleOnly>
              )}
            </td>
          </tr>
        ))}
      </RowsTable>
      <Suspense fallback={null}>
        {ending && <EndOrderDialog order={ending} onClose={() => setEnding(undefined)} />}
      </Suspense>
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
