import type { Stats } from 'schema'
import { formatMs, formatPercent } from '../../components/format.ts'
import { StatCard, StatCards } from '../../components/stat-card.tsx'
import { TOTAL_APIS, texts } from './texts.ts'

/** The four numbers; undefined statistics show that they are on their way. */
export function OverviewCards({ stats }: { readonly stats: Stats | undefined }) {
  const { cards, hints } = texts
  return (
    <StatCards>
      <StatCard label={cards.totalApis} value={TOTAL_APIS} hint={hints.totalApis} />
      <StatCard
        label={cards.successRate}
        value={stats && formatPercent(stats.successRate)}
        hint={hints.successRate}
      />
      <StatCard
        label={cards.avgResponse}
        value={stats && formatMs(stats.avgResponseTime)}
        hint={hints.avgResponse}
      />
      <StatCard label={cards.activeTokens} value={stats?.activeTokens} hint={hints.activeTokens} />
    </StatCards>
  )
}
