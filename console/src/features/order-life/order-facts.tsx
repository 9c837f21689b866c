import { Anchor, Group } from '@mantine/core'
import { EXCHANGE_NAMES, type OrderLife } from 'schema'
import { Link } from 'wouter'
import { Card } from '../../components/card.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Details } from '../../components/details.tsx'
import * as texts from './texts.ts'

const facts = texts.facts

/** What is known of the order, and where more is to be found. */
export function OrderFacts({ life }: { readonly life: OrderLife }) {
  return (
    <Card title={facts.title}>
      <Details
        rows={[
          [
            facts.client,
            <Anchor
              key="client"
              component={Link}
              fz="sm"
              href={`/client-credentials/${life.clientRow}`}
            >
              {life.clientId}
            </Anchor>,
          ],
          [facts.exchange, EXCHANGE_NAMES[life.exchange]],
          [facts.endpoint, `${life.method} ${life.endpoint}`],
          [facts.clientOrderId, <Id key="own" of={facts.clientOrderId} id={life.clientOrderId} />],
          [facts.orderId, <Id key="order" of={facts.orderId} id={life.orderId} />],
          [facts.requestId, <Id key="request" of={facts.requestId} id={life.id} />],
          [
            facts.idempotencyKey,
            <Id key="key" of={facts.idempotencyKey} id={life.idempotencyKey} />,
          ],
          ...(life.keys === null ? [] : [[facts.keys, keysText(life.keys)] as const]),
          ...(life.mayBeOpen ? [[facts.open, facts.mayBeOpen] as const] : []),
          ...(life.lookups === 0 ? [] : [[facts.lookups, life.lookups] as const]),
          [
            facts.logs,
            life.logIds.length === 0 ? (
              facts.noLogs
            ) : (
              <Anchor key="logs" component={Link} fz="sm" href={logsAddress(life.id)}>
                {facts.logsLink}
              </Anchor>
            ),
          ],
        ]}
      />
    </Card>
  )
}

function keysText({ note, isStored }: NonNullable<OrderLife['keys']>): string {
  return isStored ? facts.storedKeys(note) : facts.oldKeys
}

function logsAddress(requestId: string): string {
  return `/logs?${new URLSearchParams({ q: requestId })}`
}

function Id({ of, id }: { readonly of: string; readonly id: string | null }) {
  if (id === null) return facts.none
  return (
    <Group gap={4} wrap="nowrap">
      <code>{id}</code>
      <CopyButton value={id} label={of} />
    </Group>
  )
}
