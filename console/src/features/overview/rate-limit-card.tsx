import { Text } from '@mantine/core'
import { DEFAULT_RATE_LIMIT_PER_SECOND, type Stats } from 'schema'
import { Card } from '../../components/card.tsx'
import { ExchangeTable } from './exchange-table.tsx'
import classes from './overview.module.css'
import { QueueChart } from './queue-chart.tsx'
import type { QueuePoint } from './queue-points.ts'
import * as texts from './texts.ts'

const words = texts.rateLimit

interface RateLimitCardProps {
  readonly stats: Stats | undefined
  readonly queue: readonly QueuePoint[]
}

/** The pace towards the exchanges as the gateway reports it; the default where it reports none. */
export function RateLimitCard({ stats, queue }: RateLimitCardProps) {
  const perSecond = stats?.currentRateLimit ?? DEFAULT_RATE_LIMIT_PER_SECOND
  return (
    <Card title={words.title} description={words.description}>
      <dl className={classes.figures}>
        <div>
          <dt>{words.limit}</dt>
          <dd>
            {perSecond}{' '}
            <Text component="span" fz="sm" c="dimmed">
              {words.perSecond}
            </Text>
          </dd>
        </div>
        <div>
          <dt>{words.queue}</dt>
          <dd>
            {stats?.queueSize ?? 0}{' '}
            <Text component="span" fz="sm" c="dimmed">
              {words.waiting}
            </Text>
          </dd>
        </div>
      </dl>
      <Text fz="xs" c="dimmed" mt="md" mb={4}>
        {texts.queue.title}
      </Text>
      <QueueChart points={queue} />
      <ExchangeTable exchanges={stats?.exchanges ?? []} />
    </Card>
  )
}
