import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useMemo, useState } from 'react'
import {
  getLogHistogram,
  getStats,
  type LogEntry,
  listLogs,
  type ResponseOf,
  type Stats,
} from 'schema'
import { type CallInput, call, SESSION_ENDED } from '../../api/client.ts'
import { queryKey } from '../../api/query-key.ts'
import type { ListTotal } from '../../api/read-times.ts'
import { reportFailure } from '../../api/report-failure.tsx'
import { useLiveQuery } from '../../api/use-live-query.ts'
import type { Query } from '../../api/use-query.ts'
import type { LogFilter } from './filter-logs.ts'
import { holdNewest, holdOlder, holdTogether, NOTHING_HELD } from './hold-entries.ts'
import { type LogQuery, toLogQuery } from './log-query.ts'
import type { LogSummary } from './summarise-logs.ts'
import * as texts from './texts.ts'

/** How often the log is read (docs/console-checklist.md, 169). */
export const LOGS_EVERY_MS = 30_000
/** Entries that are loaded at once, below those of the first page. */
const OLDER_LIMIT = 500
/** From the last keystroke to the question to the gateway. */
const TYPING_MS = 300

export interface Logs {
  /** The read of the newest entries; its data are those of the list that is shown. */
  readonly query: Query<readonly LogEntry[]>
  /** Changes when the data are those of another list. */
  readonly listKey: string
  /**
   * Undefined when the browser holds the whole log, and filters it itself. Otherwise the gateway
   * filters.
   */
  readonly part: LogPart | undefined
}

/** What there is beyond the entries that were loaded. */
export interface LogPart {
  /** What the gateway filters by. */
  readonly wanted: LogQuery
  /** Of the entries that pass the filter. */
  readonly total: ListTotal
  /** Of all entries; undefined while it is not known. */
  readonly summary: LogSummary | undefined
  /** Of the entries that pass the filter but for its span; undefined while it is not known. */
  readonly histogram: ResponseOf<typeof getLogHistogram> | undefined
  /** The read of it. */
  readonly histogramQuery: Query<ResponseOf<typeof getLogHistogram>>
  /** Undefined when all that pass are loaded. */
  readonly loadOlder: (() => void) | undefined
  readonly isLoading: boolean
  /** More entries came than were read, while somebody read the list. */
  readonly isApart: boolean
  /** Leaves the entries that do not meet the newest. */
  readonly join: () => void
}

export interface LogsOptions {
  readonly isPaused: boolean
  /** Somebody reads the list: nothing may be taken out of it. */
  readonly isReading: boolean
  /** Of the histogram. */
  readonly stepMs: number
}

/**
 * The log, whole or in pages: a long one is filtered by the gateway and loaded as far as wanted.
 */
export function useLogs(filter: LogFilter, { isPaused, isReading, stepMs }: LogsOptions): Logs {
  const all = useLiveQuery(listLogs, LOGS_EVERY_MS, isPaused)
  const isWhole = all.data === undefined || !hasMore(all.total, all.data.length)
  const [settled] = useDebouncedValue(filter, TYPING_MS)
  const wanted = useMemo(() => toLogQuery(settled), [settled])
  const isNarrowed = !isWhole && Object.keys(wanted).length > 0
  const live = (input: CallInput | null) => [LOGS_EVERY_MS, isPaused, input] as const
  const matching = useLiveQuery(listLogs, ...live(isNarrowed ? { query: wanted } : null))
  const stats = useLiveQuery(getStats, ...live(isWhole ? null : {}))
  const { from: _from, to: _to, ...anyTime } = wanted
  const histogram = useLiveQuery(
    getLogHistogram,
    ...live(isWhole ? null : { query: { ...anyTime, stepMinutes: stepMs / 60_000 } }),
  )
  const newest = isNarrowed ? matching : all
  const key = isWhole ? null : queryKey(listLogs, { query: wanted })
  const older = useOlder(newest.data, key, wanted, isReading)
  if (isWhole) return { query: all, listKey: 'whole', part: undefined }

  const total = totalOf(newest.total, isNarrowed, stats.data)
  const refresh = async () =>
    void (await Promise.all([
      all.refresh(),
      isNarrowed && matching.refresh(),
      stats.refresh(),
      histogram.refresh(),
    ]))
  const hasOlder = older.entries !== undefined && hasMore(total, older.entries.length)
  return {
    query: { ...newest, data: older.entries ?? all.data, refresh },
    listKey: older.entries === undefined ? 'another' : `${key}`,
    part: {
      wanted,
      total,
      summary: stats.data && toSummary(stats.data),
      histogram: histogram.data,
      histogramQuery: histogram,
      loadOlder: hasOlder ? older.load : undefined,
      isLoading: older.isLoading,
      isApart: older.isApart,
      join: older.join,
    },
  }
}

const hasMore = (total: ListTotal | undefined, held: number) =>
  total !== undefined && (total.isMore || total.count > held)

/** The gateway counts what matches up to a bound, but knows exactly how many there are in all. */
function totalOf(
  total: ListTotal | undefined,
  isNarrowed: boolean,
  stats: Partial<Stats> | undefined,
): ListTotal {
  if (total?.isMore && !isNarrowed && (stats?.totalRequests ?? 0) > total.count)
    return { count: stats?.totalRequests ?? 0, isMore: false }
  return total ?? { count: 0, isMore: false }
}

/** Holds the pages of one filter. Undefined entries: its first page is under way. */
function useOlder(
  newest: readonly LogEntry[] | undefined,
  key: string | null,
  query: Readonly<Record<string, unknown>>,
  isReading: boolean,
) {
  const [held, setHeld] = useState(NOTHING_HELD)
  const [isLoading, setLoading] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page is taken once, when it comes.
  useEffect(() => {
    if (key !== null && newest !== undefined)
      setHeld((before) => holdNewest(before, key, newest, isReading))
  }, [key, newest])
  const join = () => setHeld(holdTogether)
  // Nobody reads on: what came is all that is shown.
  if (!isReading && held.apart > 0) join()
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
  return {
    entries: isHeld ? held.entries : newest,
    load: () => void load(),
    isLoading,
    isApart: isHeld && held.apart > 0,
    join,
  }
}

/** Undefined when the gateway is of an older version, which does not tell all of it. */
function toSummary(stats: Partial<Stats>): LogSummary | undefined {
  const { totalRequests: total, successRate, errorRate, avgResponseTime } = stats
  if (total === undefined || successRate === undefined) return undefined
  if (errorRate === undefined || avgResponseTime === undefined) return undefined
  return { total, successRate, errorRate, avgTimeMs: avgResponseTime }
}
