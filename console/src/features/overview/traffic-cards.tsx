import { Skeleton } from '@mantine/core'
import { useLocation } from 'wouter'
import { QueryView } from '../../api/query-view.tsx'
import type { Query } from '../../api/use-query.ts'
import { Card } from '../../components/card.tsx'
import { formatMs } from '../../components/format.ts'
import { TimeChart } from '../../components/time-chart.tsx'
import * as texts from './texts.ts'
import type { Traffic } from './traffic.ts'

const words = texts.traffic
/** Of a chart with its legend and table, so that nothing moves when it comes. */
const LOADING_HEIGHT = 222

interface TrafficCardProps {
  readonly traffic: Query<Traffic>
}

/** How many requests there were, and how many failed. */
export function RequestsCard({ traffic }: TrafficCardProps) {
  const [, navigate] = useLocation()
  return (
    <Card title={words.title} description={words.description}>
      <QueryView query={traffic} what={words.reading} loading={<Loading />}>
        {({ times, stepMs, counts }) => (
          <TimeChart
            label={words.countsLabel}
            kind="bars"
            times={times}
            stepMs={stepMs}
            series={counts}
            empty={words.empty}
            atRest={{ shows: 'sums', label: words.total }}
            pickHint={words.pickHint}
            onPick={(index) => {
              const fromMs = times[index] ?? 0
              navigate(`/logs?span=${fromMs}-${fromMs + stepMs}`)
            }}
          />
        )}
      </QueryView>
    </Card>
  )
}

/** How long requests waited for their turn, apart from what the exchange needed. */
export function TimesCard({ traffic }: TrafficCardProps) {
  return (
    <Card title={words.times} description={words.timesDescription}>
      <QueryView query={traffic} what={words.reading} loading={<Loading />}>
        {({ times, stepMs, durations }) => (
          <TimeChart
            label={words.timesLabel}
            kind="lines"
            times={times}
            stepMs={stepMs}
            series={durations}
            format={formatMs}
            empty={words.empty}
            atRest={{ shows: 'names' }}
          />
        )}
      </QueryView>
    </Card>
  )
}

const Loading = () => <Skeleton height={LOADING_HEIGHT} />
