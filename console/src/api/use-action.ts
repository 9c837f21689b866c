import { useCallback, useRef, useState } from 'react'
import type { Endpoint, InputOf, ResponseOf } from 'schema'
import { useSWRConfig } from 'swr'
import { ApiError, OfflineError } from './api-error.ts'
import { type CallInput, call, SESSION_ENDED } from './client.ts'
import { queryKey } from './query-key.ts'

export interface Action<E extends Endpoint> {
  /**
   * Sends the change once; while one is under way a second call joins it instead of sending again.
   * @throws ApiError, UnexpectedResponseError, UnreachableError, OfflineError
   */
  readonly trigger: (input: InputOf<E> & CallInput) => Promise<ResponseOf<E>>
  readonly isPending: boolean
}

export interface ActionOptions {
  /** Lists on the page that are read again after success. */
  readonly readAgain?: readonly Endpoint[]
  /** Lists that show what is changed; read again when the gateway no longer knows it. */
  readonly listedIn?: readonly Endpoint[]
  /**
   * Ends trading, so that it is tried without a network too: a gateway on this machine can be
   * reached nevertheless.
   */
  readonly alsoOffline?: boolean
}

export type Mutate = ReturnType<typeof useSWRConfig>['mutate']

/** Sends a change, and lets the lists that show it read again. Throws what `call` throws. */
export async function sendAction<E extends Endpoint>(
  mutate: Mutate,
  endpoint: E,
  input: InputOf<E> & CallInput,
  { readAgain = [], listedIn = readAgain, alsoOffline = false }: ActionOptions,
): Promise<ResponseOf<E>> {
  if (!navigator.onLine && !alsoOffline) throw new OfflineError()
  try {
    const response = await call(endpoint, input)
    // The session ended and the page is about to load anew: the change never reports.
    if (response === SESSION_ENDED) return await new Promise<never>(() => {})
    // A read that fails rejects nothing: it is the list's own `error`, shown in its place, not
    // the change's.
    for (const list of readAgain) void mutate(queryKey(list))
    return response
  } catch (error) {
    if (error instanceof ApiError && error.status === 404)
      for (const list of listedIn) void mutate(queryKey(list))
    throw error
  }
}

/** A change, never repeated by itself. */
export function useAction<E extends Endpoint>(endpoint: E, options: ActionOptions = {}): Action<E> {
  const { mutate } = useSWRConfig()
  const inFlight = useRef<Promise<ResponseOf<E>>>(undefined)
  const [isPending, setPending] = useState(false)

  const send = async (input: InputOf<E> & CallInput): Promise<ResponseOf<E>> => {
    setPending(true)
    try {
      return await sendAction(mutate, endpoint, input, options)
    } finally {
      inFlight.current = undefined
      setPending(false)
    }
  }
  const latestSend = useRef(send)
  latestSend.current = send

  const trigger = useCallback((input: InputOf<E> & CallInput) => {
    inFlight.current ??= latestSend.current(input)
    return inFlight.current
  }, [])
  return { trigger, isPending }
}
