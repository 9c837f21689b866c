import { useNetwork } from '@mantine/hooks'
import { type ReactNode, useEffect, useEffectEvent, useMemo } from 'react'
import {
  type Endpoint,
  getOperations,
  listApiKeys,
  listClients,
  type Operations,
  type ResponseOf,
  urlOf,
} from 'schema'
import useSWR from 'swr'
import { FailureNote } from '../components/failure-note.tsx'
import { PageSpinner } from '../components/page.tsx'
import { useEvery } from '../components/timers.ts'
import { ApiError, UnexpectedResponseError } from './api-error.ts'
import { type CallInput, call, type Ended, SESSION_ENDED } from './client.ts'
import { STATE_LOOKS } from './exchange-state.ts'
import { FailureDetail } from './failures.tsx'
import * as texts from './texts.ts'

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
  const read = key === null ? undefined : reads.get(key)
  return {
    data,
    error,
    readAtMs: read?.atMs ?? null,
    total: read?.total,
    isLoading,
    isReading: isValidating,
    refresh: async () => void (await mutate()),
  }
}

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

interface QueryViewProps<T> {
  readonly query: Query<T>
  /** What is read, for the failure: "the request logs". */
  readonly what: string
  readonly loading?: ReactNode
  readonly children: (data: NonNullable<T>) => ReactNode
}

/**
 * The data of a read, or what replaces it while it loads or after it failed. Old data outlives a
 * failure.
 */
export function QueryView<T>({ query, what, loading, children }: QueryViewProps<T>) {
  const { data, error, refresh } = query
  if (data !== undefined && data !== null) return children(data)
  if (error === undefined) return loading ?? <PageSpinner label={texts.loading(what)} />
  const hasId = error instanceof ApiError || error instanceof UnexpectedResponseError
  return (
    <FailureNote
      title={texts.failed(what)}
      detail={<FailureDetail error={error} />}
      requestId={hasId ? error.requestId : null}
      onRetry={() => void refresh()}
    />
  )
}

/** The address of a read: the key of its response in the cache. */
export function queryKey(endpoint: Endpoint, input?: CallInput): string {
  return urlOf(endpoint, input)
}

/** Lists that the console shows and searches as a whole, however many pages they have. */
const WHOLE_LISTS: readonly Endpoint[] = [listClients]

/** Like `call`; of a list that the console needs whole, it reads the pages one after the other. */
async function readWhole<E extends Endpoint>(
  endpoint: E,
  input: CallInput,
  onHeaders: (headers: Headers) => void,
): Promise<ResponseOf<E> | Ended> {
  let total = 0
  const first = await call(endpoint, input, (headers) => {
    total = readTotal(headers)?.count ?? 0
    onHeaders(headers)
  })
  if (!Array.isArray(first) || !WHOLE_LISTS.includes(endpoint)) return first
  const list: { readonly id: number }[] = Array.from(first)
  while (list.length < total) {
    const before = list.at(-1)?.id
    const page: unknown = await call(endpoint, { query: { ...input.query, before } })
    if (page === SESSION_ENDED) return SESSION_ENDED
    if (!Array.isArray(page) || page.length === 0) break
    list.push(...Array.from<{ readonly id: number }>(page))
  }
  // Entries of the pages are of the type that the first page has.
  return list as ResponseOf<E>
}

/** How many entries a list has at the gateway, whatever part of it was sent. */
export interface ListTotal {
  readonly count: number
  /** Whether there are more than `count`: the gateway stops counting there. */
  readonly isMore: boolean
}

/** By key: when it last got a response, and the total that came with it. */
const reads = new Map<string, Pick<Query<unknown>, 'total'> & { readonly atMs: number }>()

/** Notes that a read, by its key, got its response now. */
export function noteRead(key: string, headers?: Headers): void {
  reads.set(key, { atMs: Date.now(), total: headers && readTotal(headers) })
}

/** Undefined when the gateway sent none. */
export function readTotal(headers: Headers): ListTotal | undefined {
  const text = headers.get('x-total-count')
  if (text === null || !/^\d+$/.test(text)) return undefined
  return { count: Number(text), isMore: headers.get('x-total-count-relation') === 'gte' }
}

/** How long the response of the start check replaces a first read of the same list. */
const FRESH_MS = 5000

let failure: { key: string; error: unknown; atMs: number } | undefined

/**
 * Remembers that the start check failed, so that the page that opens next does not ask again at
 * once.
 */
export function rememberStartFailure(key: string, error: unknown): void {
  failure = { key, error, atMs: Date.now() }
}

/** The failure of the start check for this key, given out once and only while fresh. */
function takeStartFailure(key: string | null): unknown {
  if (failure === undefined || failure.key !== key) return undefined
  const { error, atMs } = failure
  failure = undefined
  return Date.now() - atMs <= FRESH_MS ? error : undefined
}

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
    exchanges: listOf(now.exchanges)
      .filter(({ state }) => state in STATE_LOOKS)
      .map((exchange) => ({ ...exchange, accounts: listOf(exchange.accounts) })),
    clients: listOf(now.clients),
    alerts: listOf(now.alerts),
  }
}

const listOf = <T,>(list: readonly T[] | undefined): T[] => list?.filter(Boolean) ?? []

/** Why what is shown is not current; null when it is. */
export type Lost = 'offline' | 'failed' | null

/** The browser reports no network, or the gateway does not respond: `offline`. */
export function useLost({ error }: Pick<Query<unknown>, 'error'>): Lost {
  const { online } = useNetwork()
  if (!online) return 'offline'
  if (error === undefined) return null
  return error instanceof ApiError ? 'failed' : 'offline'
}
