import type { Stats } from 'schema'
import type { Query } from '../../api/use-query.ts'
import { formatMs, formatPercent, formatTimeOfDay } from '../../components/format.ts'
import { StatCard, StatCards } from '../../components/stat-card.tsx'
import * as texts from './texts.ts'
import { TOTAL_APIS } from './texts.ts'

interface OverviewCardsProps {
  readonly statistics: Pick<Query<Stats>, 'data' | 'error' | 'readAtMs'>
  /** How long requests waited on average; null when that is not known. */
  readonly avgQueueMs: number | null
}

/** The four numbers; undefined statistics show that they are on their way. */
export function OverviewCards({ statistics, avgQueueMs }: OverviewCardsProps) {
  const { data: stats, error, readAtMs } = statistics
  const cards = texts.cards
  const hints = texts.hints
  const cardLinks = texts.cardLinks
  const isOld = stats !== undefined && error !== undefined && readAtMs !== null
  const hintOf = (hint: string) => (isOld ? hints.asOf(formatTimeOfDay(readAtMs)) : hint)
  return (
    <StatCards>
      <StatCard
        label={cards.totalApis}
        value={TOTAL_APIS}
        hint={hints.totalApis}
        link={cardLinks.totalApis}
      />
      <StatCard
        label={cards.successRate}
        value={stats && formatPercent(stats.successRate)}
        hint={hintOf(hints.successRate)}
        link={cardLinks.successRate}
      />
      <StatCard
        label={cards.avgResponse}
        value={stats && formatMs(stats.avgResponseTime)}
        hint={hintOf(
          avgQueueMs === null ? hints.avgResponse : hints.avgQueue(formatMs(avgQueueMs)),
        )}
        link={cardLinks.avgResponse}
      />
      <StatCard
        label={cards.activeTokens}
        value={stats?.activeTokens}
        hint={hintOf(hints.activeTokens)}
        link={cardLinks.activeTokens}
      />
    </StatCards>
  )
}
