import { useEffect, useEffectEvent } from 'react'
import type { Endpoint, ResponseOf } from 'schema'
import type { CallInput } from './client.ts'
import { useEvery } from './use-every.ts'
import { type Query, useQuery } from './use-query.ts'

/**
 * Reads on entry and then, unless it is paused, at a fixed pace while the page is open, also after
 * a failure. Null for `input` reads nothing.
 */
export function useLiveQuery<E extends Endpoint>(
  endpoint: E,
  everyMs: number,
  isPaused = false,
  input: CallInput | null = {},
): Query<ResponseOf<E>> {
  const query = useQuery(endpoint, input)
  const { data, refresh } = query
  useEvery(everyMs, refresh, isPaused || input === null)

  const readOnEntry = useEffectEvent(() => {
    // Without data the read is under way already; with data of an earlier visit it would not be
    // repeated.
    if (data !== undefined) void refresh()
  })
  useEffect(() => readOnEntry(), [])
  return query
}
