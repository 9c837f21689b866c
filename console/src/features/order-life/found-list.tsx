import { Anchor, Group, Text } from '@mantine/core'
import { EXCHANGE_NAMES } from 'schema'
import { Link } from 'wouter'
import { EmptyNote } from '../../components/empty-note.tsx'
import { formatDateTime } from '../../components/format-time.ts'
import { Tag } from '../../components/tag.tsx'
import { type FoundOrders, orderAddress } from './find-order.ts'
import classes from './order-life.module.css'
import { colourOf } from './state-colour.ts'
import * as texts from './texts.ts'

interface FoundListProps {
  readonly found: FoundOrders
  readonly onOpen?: (() => void) | undefined
}

/** The orders that a search found, or that there are none, and why that may be. */
export function FoundList({ found: { orders, keptDays, text }, onOpen }: FoundListProps) {
  if (orders.length === 0)
    return <EmptyNote icon="search" title={texts.none(text)} hint={texts.noneHint(keptDays)} />
  return (
    <>
      <Text fz="sm" c="dimmed" mb="xs">
        {texts.several(orders.length)}
      </Text>
      <ul className={classes.found}>
        {orders.map((order) => (
          <li key={order.id}>
            <Group gap="xs">
              <Tag colour={colourOf(order.state)}>{texts.states[order.state]}</Tag>
              <Anchor component={Link} href={orderAddress(order.id)} onClick={onOpen}>
                {order.method} {order.endpoint}
              </Anchor>
            </Group>
            <Text fz="xs" c="dimmed">
              {[
                EXCHANGE_NAMES[order.exchange],
                order.clientId,
                formatDateTime(order.createdAt),
              ].join(' · ')}
            </Text>
          </li>
        ))}
      </ul>
    </>
  )
}
