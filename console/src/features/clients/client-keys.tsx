import { Anchor, Text } from '@mantine/core'
import { type ApiKey, EXCHANGE_NAMES, EXCHANGES } from 'schema'
import { Link } from 'wouter'
import classes from './client-list.module.css'
import { type Nearest, NearestLimit } from './nearest-limit.tsx'
import * as texts from './texts.ts'

interface ClientKeysProps {
  readonly id: number
  readonly clientId: string
  /** Of all clients; undefined while they are not known. */
  readonly keys: readonly ApiKey[] | undefined
  readonly nearest: Nearest | null
}

/** Where a client has keys, where its requests are to be found, and what limits it. */
export function ClientKeys({ id, clientId, keys, nearest }: ClientKeysProps) {
  const stored = EXCHANGES.filter((exchange) =>
    keys?.some((key) => key.exchange === exchange && key.clientId === clientId),
  )
  const query = new URLSearchParams({ client: clientId })
  return (
    <div className={classes.links}>
      {keys !== undefined && (
        <Text component="span" fz="sm" c="dimmed">
          {stored.length === 0 ? texts.noKeys : texts.keys}
        </Text>
      )}
      {stored.map((exchange) => (
        <Anchor
          key={exchange}
          component={Link}
          fz="sm"
          href={`/api-key-management?${query}&exchange=${exchange}`}
          aria-label={texts.of.keys(EXCHANGE_NAMES[exchange], clientId)}
        >
          {EXCHANGE_NAMES[exchange]}
        </Anchor>
      ))}
      <Anchor
        component={Link}
        fz="sm"
        href={`/logs?${new URLSearchParams({ client: clientId })}`}
        aria-label={texts.of.logs(clientId)}
      >
        {texts.logs}
      </Anchor>
      <Anchor
        component={Link}
        fz="sm"
        href={`/client-credentials/${id}`}
        aria-label={texts.of.limits(clientId)}
      >
        {texts.limits}
      </Anchor>
      {nearest !== null && nearest.percent > 0 && <NearestLimit {...nearest} />}
    </div>
  )
}
