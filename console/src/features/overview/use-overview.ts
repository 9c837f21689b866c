import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import {
  getLogHistogram,
  getOperationsHistory,
  getStats,
  LOG_WINDOW_HOURS,
  listClients,
  listLogs,
} from 'schema'
import { type Query, useKeys, useLiveQuery, useQuery } from '../../api/queries.tsx'
import {
  joinPoints,
  QUEUE_WINDOW_MS,
  type QueuePoint,
  sumByTime,
  type Traffic,
  toTraffic,
} from './traffic.ts'

/** How often the statistics are read (console-checklist.md, 79). */
export const STATS_EVERY_MS = 5000

export const useStats = () => useLiveQuery(getStats, STATS_EVERY_MS)

const TRAFFIC_EVERY_MS = 60_000
const STEP_MINUTES = 30
const WINDOW_MS = LOG_WINDOW_HOURS * 3_600_000

/** The requests of the log's window. */
export function useTraffic(): Query<Traffic> {
  const query = useLiveQuery(getLogHistogram, TRAFFIC_EVERY_MS, false, {
    query: { stepMinutes: STEP_MINUTES },
  })
  const { data, readAtMs } = query
  const traffic = useMemo(
    () => data && toTraffic(data, readAtMs ?? Date.now(), WINDOW_MS),
    [data, readAtMs],
  )
  return { ...query, data: traffic }
}

/** Seldom: the page's own readings follow what the gateway remembers. */
const HISTORY_EVERY_MS = 60_000

/**
 * How many requests waited in the last five minutes, oldest first: as the gateway remembers it, and
 * at each reading of this page.
 * @param readAtMs changes with each good response, whose queue is `size`
 */
export function useQueueHistory(
  size: number | undefined,
  readAtMs: number | null,
): readonly QueuePoint[] {
  const [own, setOwn] = useState<readonly QueuePoint[]>([])
  const add = useEffectEvent((atMs: number) => {
    if (size === undefined) return
    const isRecent = (point: QueuePoint) => point.atMs > atMs - QUEUE_WINDOW_MS
    setOwn((before) => [...before.filter(isRecent), { atMs, size }])
  })
  useEffect(() => {
    if (readAtMs !== null) add(readAtMs)
  }, [readAtMs])
  const { data } = useLiveQuery(getOperationsHistory, HISTORY_EVERY_MS, false, {
    query: { span: '5m' },
  })
  const remembered = useMemo(() => sumByTime(data), [data])
  return useMemo(() => joinPoints(remembered, own), [remembered, own])
}

/** Each is undefined until it is known. */
export interface FirstSteps {
  readonly hasClient: boolean | undefined
  readonly hasKeys: boolean | undefined
  /** An order went well in the window of the log. */
  readonly hasOrder: boolean | undefined
}

/** The paths that orders are placed at, of Sluice's own calls and of the exchanges'. */
const PLACES_ORDER = /order/i
const CANCELS = /cancel/i

/** Which of the three first steps are done. Each is looked at once the one before it is. */
export function useFirstSteps(): FirstSteps {
  const { data: clients } = useQuery(listClients)
  const { data: keys } = useKeys()
  const hasClient = clients && clients.length > 0
  const hasKeys = hasClient === false ? false : keys && keys.length > 0
  const orders = useQuery(
    listLogs,
    hasKeys === true ? { query: { method: 'POST', status: 'success', limit: 100 } } : null,
  )
  const placed = orders.data?.some(
    ({ endpoint }) => PLACES_ORDER.test(endpoint) && !CANCELS.test(endpoint),
  )
  const hasOrder = hasKeys === false ? false : placed

  // What an earlier visit read may be old: the order was placed in between.
  const readAgain = useEffectEvent(() => {
    if (orders.data !== undefined && !hasOrder) void orders.refresh()
  })
  useEffect(() => readAgain(), [])
  return { hasClient, hasKeys, hasOrder }
}
