import { useNetwork } from '@mantine/hooks'
import { getOperations, type Operations } from 'schema'
import { ApiError } from './api-error.ts'
import { useLiveQuery } from './use-live-query.ts'
import type { Query } from './use-query.ts'

/** How often the Operations page reads. */
export const OPERATIONS_EVERY_MS = 2000

/** What happens now, for all who show it: one response, read at the pace of the most eager. */
export function useOperations(everyMs: number, isPaused = false): Query<Operations> {
  return useLiveQuery(getOperations, everyMs, isPaused)
}

/** Why what is shown is not current; null when it is. */
export type Lost = 'offline' | 'failed' | null

/** The browser reports no network, or the gateway does not respond: `offline`. */
export function useLost({ error }: Pick<Query<unknown>, 'error'>): Lost {
  const { online } = useNetwork()
  if (!online) return 'offline'
  if (error === undefined) return null
  return error instanceof ApiError ? 'failed' : 'offline'
}
