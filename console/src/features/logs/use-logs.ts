import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useMemo, useState } from 'react'
import { getStats, type LogEntry, listLogs, type Stats } from 'schema'
import { call, SESSION_ENDED } from '../../api/client.ts'
import { queryKey } from '../../api/query-key.ts'
import type { ListTotal } from '../../api/read-times.ts'
import { reportFailure } from '../../api/report-failure.tsx'
import { useLiveQuery } from '../../api/use-live-query.ts'
import type { Query } from '../../api/use-query.ts'
import type { LogFilter } from './filter-logs.ts'
import { type HeldEntries, holdNewest, holdOlder } from './hold-entries.ts'
import { toLogQuery } from './log-query.ts'
import type { LogSummary } from './summarise-logs.ts'
import { texts } from './texts.ts'

/** How often the log is read (docs/console-checklist.md, 169). */
export const LOGS_EVERY_MS = 30_000
/** Entries that are loaded at once, below those of the first page. */
const OLDER_LIMIT = 500
/** From the last keystroke to the question to the gateway. */
const TYPING_MS = 300

export interface Logs {
  /** The read of the newest entries; its data are those of the list that is shown. */
  readonly query: Query<readonly LogEntry[]>
  /**
   * Undefined when the browser holds the whole log, and filters it itself. Otherwise the gateway
   * filters.
   */
  readonly part: LogPart | undefined
}

/** What there is beyond the entries that were loaded. */
export interface LogPart {
  /** Of the entries that pass the filter. */
  readonly total: ListTotal
  /** Of all entries; undefined while it is not known. */
  readonly summary: LogSummary | undefined
  /** Undefined when all that pass are loaded. */
  readonly loadOlder: (() => void) | undefined
  readonly isLoading: boolean
}

/**
 * The log, whole or in pages: a long one is filtered by the gateway and loaded as far as wanted.
 */
export function useLogs(filter: LogFilter, isPaused: boolean): Logs {
  const all = useLiveQuery(listLogs, LOGS_EVERY_MS, isPaused)
  const isWhole = all.data === undefined || !hasMore(all.total, all.data.length)
  const [settled] = useDebouncedValue(filter, TYPING_MS)
  const wanted = useMemo(() => toLogQuery(settled), [settled])
  const isNarrowed = !isWhole && Object.keys(wanted).length > 0
  const matching = useLiveQuery(
    listLogs,
    LOGS_EVERY_MS,
    isPaused,
    isNarrowed ? { query: wanted } : null,
  )
  const stats = useLiveQuery(getStats, LOGS_EVERY_MS, isPaused, isWhole ? null : {})
  const newest = isNarrowed ? matching : all
  const older = useOlder(
    newest.data,
    isWhole ? null : queryKey(listLogs, { query: wanted }),
    wanted,
  )
  if (isWhole) return { query: all, part: undefined }

  const entries = older.entries ?? all.data
  const total = newest.total ?? { count: 0, isMore: false }
  return {
    query: {
      ...newest,
      data: entries,
      refresh: async () =>
        void (await Promise.all([
          all.refresh(),
          isNarrowed && matching.refresh(),
          stats.refresh(),
        ])),
    },
    part: {
      total,
      summary: stats.data && toSummary(stats.data),
      loadOlder:
        older.entries !== undefined && hasMore(total, older.entries.length)
          ? older.load
          : undefined,
      isLoading: older.isLoading,
    },
  }
}

const hasMore = (total: ListTotal | undefined, held: number) =>
  total !== undefined && (total.isMore || total.count > held)

/** Holds the pages of one filter. Undefined entries: its first page is under way. */
function useOlder(
  newest: readonly LogEntry[] | undefined,
  key: string | null,
  query: Readonly<Record<string, unknown>>,
) {
  const [held, setHeld] = useState<HeldEntries>({ key: '', entries: [] })
  const [isLoading, setLoading] = useState(false)
  useEffect(() => {
    if (key !== null && newest !== undefined) setHeld((before) => holdNewest(before, key, newest))
  }, [key, newest])
  const isHeld = held.key === key
  const load = async () => {
    setLoading(true)
    try {
      const before = held.entries.at(-1)?.id
      const page = await call(listLogs, { query: { ...query, limit: OLDER_LIMIT, before } })
      if (page !== SESSION_ENDED)
        setHeld((now) => (now.key === held.key ? holdOlder(now, page) : now))
    } catch (error) {
      reportFailure(error, { fallback: texts.loadFailed })
    } finally {
      setLoading(false)
    }
  }
  return { entries: isHeld ? held.entries : newest, load: () => void load(), isLoading }
}

/** Undefined when the gateway is of an older version, which does not tell all of it. */
function toSummary(stats: Partial<Stats>): LogSummary | undefined {
  const { totalRequests: total, successRate, errorRate, avgResponseTime } = stats
  if (total === undefined || successRate === undefined) return undefined
  if (errorRate === undefined || avgResponseTime === undefined) return undefined
  return { total, successRate, errorRate, avgTimeMs: avgResponseTime }
}
