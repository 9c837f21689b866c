import { useNetwork } from '@mantine/hooks'
import { useMemo } from 'react'
import { getOperations, listApiKeys, type Operations } from 'schema'
import { ApiError } from './api-error.ts'
import { STATE_LOOKS } from './exchange-state.ts'
import { useLiveQuery } from './use-live-query.ts'
import type { Query } from './use-query.ts'

/** How often the Operations page reads. */
export const OPERATIONS_EVERY_MS = 2000

/** How often the header's strip reads, on every other page. */
export const STRIP_EVERY_MS = 5000

/** What happens now, for all who show it: one response, read at the pace of the most eager. */
export function useOperations(everyMs: number, isPaused = false): Query<Operations> {
  const query = useLiveQuery(getOperations, everyMs, isPaused)
  const { data } = query
  const complete = useMemo(() => data && completeOf(data), [data])
  return { ...query, data: complete }
}

/** The same, for a page that leaves the reading to the header's strip. */
export const useOperationsOfStrip = () => useOperations(STRIP_EVERY_MS, true)

const KEYS_EVERY_MS = 60_000

/** The exchange keys of all clients: they change seldom, and what they need is not urgent. */
export const useKeys = () => useLiveQuery(listApiKeys, KEYS_EVERY_MS)

/** A part that a response lacks must not take every page down: the header shows it. */
function completeOf(now: Operations): Operations {
  return {
    ...now,
    exchanges: listOf(now.exchanges).filter(({ state }) => state in STATE_LOOKS),
    clients: listOf(now.clients),
    alerts: listOf(now.alerts),
  }
}

const listOf = <T>(list: readonly T[] | undefined): T[] => list?.filter(Boolean) ?? []

/** Why what is shown is not current; null when it is. */
export type Lost = 'offline' | 'failed' | null

/** The browser reports no network, or the gateway does not respond: `offline`. */
export function useLost({ error }: Pick<Query<unknown>, 'error'>): Lost {
  const { online } = useNetwork()
  if (!online) return 'offline'
  if (error === undefined) return null
  return error instanceof ApiError ? 'failed' : 'offline'
}
