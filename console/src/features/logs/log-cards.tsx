import { useMemo } from 'react'
import type { LogEntry } from 'schema'
import { formatCount, formatMs, formatPercent } from '../../components/format.ts'
import { DOTS } from '../../components/shorten.ts'
import { StatCard, StatCards } from '../../components/stat-card.tsx'
import { summariseLogs } from './summarise-logs.ts'
import * as texts from './texts.ts'
import type { LogPart } from './use-logs.ts'

interface LogCardsProps {
  /**
   * All of them, whatever the filters: the cards agree with "of M". Undefined before the first
   * response.
   */
  readonly entries: readonly LogEntry[] | undefined
  /** The gateway's own figures, when not all entries are loaded. */
  readonly part: LogPart | undefined
  readonly hasFailed: boolean
}

export function LogCards({ entries, part, hasFailed }: LogCardsProps) {
  const ofEntries = useMemo(() => entries && summariseLogs(entries), [entries])
  const summary = part === undefined ? ofEntries : part.summary
  const placeholder = hasFailed ? texts.nothing : DOTS
  const cards = texts.cards
  const hints = texts.hints
  return (
    <StatCards>
      <StatCard
        label={cards.total}
        value={summary && formatCount(summary.total)}
        placeholder={placeholder}
        hint={hints.total}
      />
      <StatCard
        label={cards.successRate}
        value={summary && formatPercent(summary.successRate)}
        placeholder={placeholder}
        hint={hints.successRate}
      />
      <StatCard
        label={cards.avgTime}
        value={summary && formatMs(summary.avgTimeMs)}
        placeholder={placeholder}
        hint={hints.avgTime}
      />
      <StatCard
        label={cards.errorRate}
        value={summary && formatPercent(summary.errorRate)}
        placeholder={placeholder}
        hint={hints.errorRate}
      />
    </StatCards>
  )
}
