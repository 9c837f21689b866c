import { Anchor, Text } from '@mantine/core'
import { type ApiKey, EXCHANGE_NAMES, EXCHANGES } from 'schema'
import { Link } from 'wouter'
import { shadowWords } from '../../api/nearest-use.ts'
import classes from './client-list.module.css'
import { NearestLimit } from './nearest-limit.tsx'
import * as texts from './texts.ts'
import type { ClientRecord } from './use-clients.ts'

interface ClientKeysProps {
  readonly client: ClientRecord
  /** Of all clients; undefined while they are not known. */
  readonly keys: readonly ApiKey[] | undefined
}

/** Where a client has keys, where its requests are to be found, and what limits it. */
export function ClientKeys({ client, keys }: ClientKeysProps) {
  const { id, clientId, nearestLimit = null, wouldHaveRefused = null } = client
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
      {wouldHaveRefused !== null && (
        <span className={classes.nearest}>{shadowWords(wouldHaveRefused)}</span>
      )}
      {nearestLimit !== null && nearestLimit.percent > 0 && <NearestLimit {...nearestLimit} />}
    </div>
  )
}
