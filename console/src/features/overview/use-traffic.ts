import { useMemo } from 'react'
import { getLogHistogram, LOG_WINDOW_HOURS } from 'schema'
import { useLiveQuery } from '../../api/use-live-query.ts'
import type { Query } from '../../api/use-query.ts'
import { type Traffic, toTraffic } from './traffic.ts'

const EVERY_MS = 60_000
const STEP_MINUTES = 30
const WINDOW_MS = LOG_WINDOW_HOURS * 3_600_000

/** The requests of the log's window. */
export function useTraffic(): Query<Traffic> {
  const query = useLiveQuery(getLogHistogram, EVERY_MS, false, {
    query: { stepMinutes: STEP_MINUTES },
  })
  const { data, readAtMs } = query
  const traffic = useMemo(
    () => data && toTraffic(data, readAtMs ?? Date.now(), WINDOW_MS),
    [data, readAtMs],
  )
  return { ...query, data: traffic }
}
