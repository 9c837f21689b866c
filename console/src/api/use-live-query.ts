import { useEffect, useEffectEvent, useState } from 'react'
import type { Endpoint, ResponseOf } from 'schema'
import { useEvery } from './use-every.ts'
import { type Query, useQuery } from './use-query.ts'

export interface LiveQuery<T> extends Query<T> {
  /** When the data was last confirmed by an answer; null before the first since the page was opened. */
  readonly readAtMs: number | null
}

/** Reads on entry and then, unless it is paused, at a fixed pace while the page is open, also after a failure. */
export function useLiveQuery<E extends Endpoint>(
  endpoint: E,
  everyMs: number,
  isPaused = false,
): LiveQuery<ResponseOf<E>> {
  const query = useQuery(endpoint)
  const { data, error, isReading, refresh } = query
  const [readAtMs, setReadAtMs] = useState<number | null>(null)
  useEvery(everyMs, refresh, isPaused)

  const readOnEntry = useEffectEvent(() => {
    // Without data the read is under way already; with data of an earlier visit it would not be repeated.
    if (data !== undefined) void refresh()
  })
  useEffect(() => readOnEntry(), [])

  const hasGoodAnswer = !isReading && error === undefined && data !== undefined
  useEffect(() => {
    if (hasGoodAnswer) setReadAtMs(Date.now())
  }, [hasGoodAnswer])

  return { ...query, readAtMs }
}
