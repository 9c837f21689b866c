import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useMemo, useState } from 'react'
import { getLogHistogram, type LogEntry, listLogs, type ResponseOf } from 'schema'
import { type CallInput, call, SESSION_ENDED } from '../../api/client.ts'
import { reportFailure } from '../../api/failures.tsx'
import { type ListTotal, type Query, queryKey, useLiveQuery, useQuery } from '../../api/queries.tsx'
import { type LogSummary, summariseSteps, sumWithin } from './log-counts.ts'
import { type LogFilter, type LogQuery, readSpan, toLogQuery } from './log-filter.ts'
import { type LogLine, toLogLines } from './log-lines.ts'
import * as texts from './texts.ts'

/** How often the log is read (console-checklist.md, 169). */
export const LOGS_EVERY_MS = 30_000
/** Entries that are loaded at once, below those of the first page. */
const OLDER_LIMIT = 500
/** From the last keystroke to the question to the gateway. */
const TYPING_MS = 300

type Histogram = ResponseOf<typeof getLogHistogram>

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
  /** Of the entries that pass the filter: by the same count as the chart, where there is one. */
  readonly total: ListTotal
  /** Of all entries; undefined while it is not known. */
  readonly summary: LogSummary | undefined
  /** The read of how many entries pass the filter but for its span, over time. */
  readonly histogram: Query<Histogram>
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
  const { from: _from, to: _to, ...anyTime } = wanted
  const isNarrowed = !isWhole && hasFilter(wanted)
  const live = (input: CallInput | null) => [LOGS_EVERY_MS, isPaused, input] as const
  const matching = useLiveQuery(listLogs, ...live(isNarrowed ? { query: wanted } : null))
  const counted = (query: LogQuery | null) =>
    live(query && { query: { ...query, stepMinutes: stepMs / 60_000 } })
  const ofAll = useLiveQuery(getLogHistogram, ...counted(isWhole ? null : {}))
  const isOfSome = !isWhole && hasFilter(anyTime)
  const ofSome = useLiveQuery(getLogHistogram, ...counted(isOfSome ? anyTime : null))
  const newest = isNarrowed ? matching : all
  const histogram = isOfSome ? ofSome : ofAll
  const key = isWhole ? null : queryKey(listLogs, { query: wanted })
  const older = useOlder(newest.data, key, wanted, isReading)
  // An older gateway's count of all is not needed for the list.
  const summary = useMemo(() => ofAll.data && summariseSteps(ofAll.data.steps), [ofAll.data])
  if (isWhole) return { query: all, listKey: 'whole', part: undefined }

  const total = newest.total ?? { count: 0, isMore: false }
  const refresh = async () => {
    const wantedToo = [isNarrowed && matching.refresh(), isOfSome && ofSome.refresh()]
    await Promise.all([all.refresh(), ofAll.refresh(), ...wantedToo])
  }
  const hasOlder = older.entries !== undefined && hasMore(total, older.entries.length)
  return {
    query: { ...newest, data: older.entries ?? all.data, refresh },
    listKey: older.entries === undefined ? 'another' : `${key}`,
    part: {
      wanted,
      total: totalOf(total, histogram.data, settled),
      summary,
      histogram,
      loadOlder: hasOlder ? older.load : undefined,
      isLoading: older.isLoading,
      isApart: older.isApart,
      join: older.join,
    },
  }
}

const hasFilter = (query: LogQuery) => Object.values(query).some((value) => value !== undefined)

const hasMore = (total: ListTotal | undefined, held: number) =>
  total !== undefined && (total.isMore || total.count > held)

/** The list is counted up to a bound, the requests over time without one: one count for both. */
function totalOf(total: ListTotal, histogram: Histogram | undefined, filter: LogFilter): ListTotal {
  if (histogram?.isFiltered !== true) return total
  const count = sumWithin(histogram.steps, histogram.stepMs, readSpan(filter.span))
  return count === undefined ? total : { count, isMore: false }
}

/** Holds the pages of one filter. Undefined entries: its first page is under way. */
function useOlder(
  newest: readonly LogEntry[] | undefined,
  key: string | null,
  query: LogQuery,
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

/** Newer entries push the oldest out of what is held, unless somebody loaded them. */
const HELD_MAX = 10_000

/** The entries of one filter that were read so far, newest first. */
interface HeldEntries {
  /** Tells the filters apart. */
  readonly key: string
  readonly entries: readonly LogEntry[]
  /** So many of the newest do not meet the others: what lies between was not read. */
  readonly apart: number
}

const NOTHING_HELD: HeldEntries = { key: '', entries: [], apart: 0 }

/**
 * Adds the newest page to what is held. When other entries came between the two, only the page is
 * held, unless somebody reads the others: then the page is held apart from them.
 */
function holdNewest(
  held: HeldEntries,
  key: string,
  page: readonly LogEntry[],
  isReading: boolean,
): HeldEntries {
  const known = new Set(held.entries.map(({ id }) => id))
  const meets = page.some(({ id }) => known.has(id))
  if (held.key !== key || (!meets && !isReading)) return { key, entries: page, apart: 0 }
  const added = page.filter(({ id }) => !known.has(id))
  if (added.length === 0) return held
  const apart = meets && held.apart === 0 ? 0 : added.length + (meets ? held.apart : 0)
  const kept = meets ? held.entries : held.entries.slice(held.apart)
  const entries = [...added, ...kept]
  return { key, entries: entries.slice(0, Math.max(HELD_MAX, held.entries.length)), apart }
}

/** Forgets what does not meet the newest entries. */
function holdTogether(held: HeldEntries): HeldEntries {
  return held.apart === 0 ? held : { ...held, entries: held.entries.slice(0, held.apart), apart: 0 }
}

/** Adds an older page below what is held. */
function holdOlder(held: HeldEntries, page: readonly LogEntry[]): HeldEntries {
  const known = new Set(held.entries.map(({ id }) => id))
  const added = page.filter(({ id }) => !known.has(id))
  return { ...held, entries: [...held.entries, ...added] }
}

/**
 * Keeps new lines out of the list while somebody reads it: they would move what is being read, or
 * come where nobody looks. Lines of another list are shown at once.
 * @param listKey changes when other lines are wanted
 */
export function useHeldBack(lines: readonly LogLine[], listKey: string, isReading: boolean) {
  const newestId = useMemo(
    () => lines.reduce((newest, { entry }) => Math.max(newest, entry.id ?? 0), 0),
    [lines],
  )
  const [seen, setSeen] = useState({ listKey, newestId })
  const isSame = seen.listKey === listKey
  const isSeen = isSame && seen.newestId >= newestId
  if (!isSame || (!isReading && !isSeen)) setSeen({ listKey, newestId })
  const shown = useMemo(
    // An entry without an id is of a gateway that is not ours, and counts as seen.
    () => (isSeen ? lines : lines.filter(({ entry }) => !(entry.id > seen.newestId))),
    [lines, isSeen, seen.newestId],
  )
  return {
    shown,
    newCount: lines.length - shown.length,
    showNew: () => setSeen({ listKey, newestId: Number.MAX_SAFE_INTEGER }),
  }
}

/** The entry that an address names and that is not loaded, read by its id. */
export function useEntryApart(loaded: readonly LogLine[], key: string) {
  const isApart = /^\d{1,15}$/.test(key) && !loaded.some((line) => line.key === key)
  const { data } = useQuery(listLogs, isApart ? { query: { id: Number(key) } } : null)
  const line = isApart ? toLogLines(data ?? []).find((each) => each.key === key) : undefined
  return { line, isGone: isApart && data !== undefined && line === undefined }
}
