import type { Endpoint, ResponseOf } from 'schema'
import useSWR from 'swr'
import { type CallInput, SESSION_ENDED } from './client.ts'
import { queryKey } from './query-key.ts'
import { type ListTotal, noteRead, readTimeOf, totalOf } from './read-times.ts'
import { readWhole } from './read-whole.ts'
import { takeStartFailure } from './start-failure.ts'

export interface Query<T> {
  /** Undefined until the first success; the last good response stays while a later read fails. */
  readonly data: T | undefined
  /** Of the last read; undefined when it succeeded. */
  readonly error: unknown
  /**
   * When the data was last read, also during an earlier visit; null before the first good response.
   */
  readonly readAtMs: number | null
  /** Of a list that comes in pages; undefined when the gateway sent all of it. */
  readonly total: ListTotal | undefined
  /** True until the first response. */
  readonly isLoading: boolean
  /** True while any read is under way. */
  readonly isReading: boolean
  /** Reads at once; resolves when done, also when the read failed (then `error` is set). */
  readonly refresh: () => Promise<void>
}

/**
 * Reads once and keeps the response for the session: no polling, no retry, no reading again on
 * focus. Null for `input` reads nothing yet.
 */
export function useQuery<E extends Endpoint>(
  endpoint: E,
  input: CallInput | null = {},
): Query<ResponseOf<E>> {
  const key = input === null ? null : queryKey(endpoint, input)
  const { data, error, isLoading, isValidating, mutate } = useSWR<ResponseOf<E>, unknown>(
    key,
    async () => {
      const failure = takeStartFailure(key)
      if (failure !== undefined) throw failure
      const response = await readWhole(endpoint, input ?? {}, (headers) => {
        if (key !== null) noteRead(key, headers)
      })
      // The session ended and the page is about to load anew: no result, drawn as still loading.
      if (response === SESSION_ENDED) return new Promise<never>(() => {})
      return response
    },
  )
  return {
    data,
    error,
    readAtMs: readTimeOf(key),
    total: totalOf(key),
    isLoading,
    isReading: isValidating,
    refresh: async () => void (await mutate()),
  }
}
