import { Text } from '@mantine/core'
import { DEFAULT_RATE_LIMIT_PER_SECOND, type Stats } from 'schema'
import { Card } from '../../components/card.tsx'
import { ExchangeTable } from './exchange-table.tsx'
import classes from './overview.module.css'

/** The pace towards the exchanges as the gateway reports it; the default where it reports none. */
export function RateLimitCard({ stats }: { readonly stats: Stats | undefined }) {
  const perSecond = stats?.currentRateLimit ?? DEFAULT_RATE_LIMIT_PER_SECOND
  return (
    <Card
      title="Rate Limiting & Configuration"
      description="Requests wait in a queue and go to each exchange one after another"
    >
      <dl className={classes.figures}>
        <div>
          <dt>Current rate limit</dt>
          <dd>
            {perSecond}{' '}
            <Text component="span" fz="sm" c="dimmed">
              per second
            </Text>
          </dd>
        </div>
        <div>
          <dt>Queue size</dt>
          <dd>
            {stats?.queueSize ?? 0}{' '}
            <Text component="span" fz="sm" c="dimmed">
              waiting
            </Text>
          </dd>
        </div>
      </dl>
      <ExchangeTable exchanges={stats?.exchanges ?? []} />
    </Card>
  )
}
