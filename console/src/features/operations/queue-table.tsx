import { Anchor, Button } from '@mantine/core'
import { dropQueueEntry, EXCHANGE_NAMES, type QueueEntry } from 'schema'
import { Link } from 'wouter'
import { RoleOnly } from '../../api/role-only.tsx'
import { formatDuration } from '../../components/format.ts'
import { cutMiddle } from '../../components/shorten.ts'
import { tableRoles } from '../../components/table-roles.ts'
import { ClassTag } from './class-tag.tsx'
import classes from './operations.module.css'
import { RowsTable } from './rows-table.tsx'
import * as texts from './texts.ts'

const words = texts.queue
const CLIENT_LENGTH = 30
/** The longest that the gateway makes is shown whole. */
const ORDER_LENGTH = 27

interface QueueTableProps {
  readonly entries: readonly QueueEntry[]
  readonly onDrop: (entry: QueueEntry) => void
}

export function QueueTable({ entries, onDrop }: QueueTableProps) {
  const { columns } = words
  return (
    <RowsTable label={words.label} columns={columns}>
      {entries.map((entry) => (
        <tr key={`${entry.exchange} ${entry.id}`} {...tableRoles.row}>
          <th {...tableRoles.rowHeader} scope="row" className={classes.id}>
            {EXCHANGE_NAMES[entry.exchange]} {entry.position}
          </th>
          <td {...tableRoles.cell} data-label={columns.requestClass}>
            <ClassTag requestClass={entry.requestClass} />
          </td>
          <td {...tableRoles.cell} className={classes.name} title={entry.clientId}>
            {cutMiddle(entry.clientId, CLIENT_LENGTH)}
          </td>
          <td {...tableRoles.cell} className={classes.call}>
            <span>
              {entry.method} {entry.endpoint}
            </span>{' '}
            <OrderName entry={entry} />
          </td>
          <td {...tableRoles.cell} data-label={columns.waited}>
            {formatDuration(entry.waitedMs)}
          </td>
          <td {...tableRoles.cell} data-label={columns.expected}>
            {formatDuration(entry.expectedWaitMs)}
          </td>
          <td {...tableRoles.cell} data-label={columns.givesUp}>
            {formatDuration(entry.remainingMs)}
          </td>
          <td {...tableRoles.cell} className={classes.actions}>
            <RoleOnly endpoint={dropQueueEntry}>
              <Button
                size="compact-xs"
                variant="default"
                aria-label={words.dropName(
                  `${EXCHANGE_NAMES[entry.exchange]} ${entry.position}`,
                  entry.clientId,
                )}
                onClick={() => onDrop(entry)}
              >
                {words.drop}
              </Button>
            </RoleOnly>
          </td>
        </tr>
      ))}
    </RowsTable>
  )
}

/** The order that an entry places, changes or cancels; leads to its life. */
function OrderName({ entry }: { readonly entry: QueueEntry }) {
  const { requestClass, requestId, clientOrderId, orderId, exchange, position } = entry
  if (requestClass !== 'order' && requestClass !== 'cancel') return null
  const name = clientOrderId ?? orderId
  return (
    <Anchor
      component={Link}
      href={`/orders/${encodeURIComponent(requestId)}`}
      fz="inherit"
      title={name ?? undefined}
      aria-label={words.orderName(name, `${EXCHANGE_NAMES[exchange]} ${position}`)}
    >
      {name == null ? words.order : cutMiddle(name, ORDER_LENGTH)}
    </Anchor>
  )
}
