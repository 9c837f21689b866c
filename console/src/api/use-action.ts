import { useCallback, useRef, useState } from 'react'
import type { Endpoint, InputOf, ResponseOf } from 'schema'
import { useSWRConfig } from 'swr'
import { ApiError, OfflineError } from './api-error.ts'
import { type CallInput, call, SESSION_ENDED } from './client.ts'
import { type Query, queryKey, useQuery } from './queries.tsx'

interface Action<E extends Endpoint> {
  /**
   * Sends the change once; while one is under way a second call joins it instead of sending again.
   * @throws ApiError, UnexpectedResponseError, UnreachableError, OfflineError
   */
  readonly trigger: (input: InputOf<E> & CallInput) => Promise<ResponseOf<E>>
  readonly isPending: boolean
}

interface ActionOptions {
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

type Mutate = ReturnType<typeof useSWRConfig>['mutate']

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

type Input<E extends Endpoint> = InputOf<E> & CallInput

/** Sends changes of one kind. Whoever calls it is open once, such as a dialog that waits. */
export function useSend(options: ActionOptions) {
  const { mutate } = useSWRConfig()
  return <E extends Endpoint>(endpoint: E, input: Input<E>) =>
    sendAction(mutate, endpoint, input, options)
}

/** One change of what a list has. */
interface ResourceAct<L extends Endpoint, E extends Endpoint> extends ActionOptions {
  readonly endpoint: E
  /** The list as it is after the change: shown at once, until the list is read again. */
  readonly change?: (list: ResponseOf<L>, input: Input<E>, response: ResponseOf<E>) => ResponseOf<L>
}

type Acts<L extends Endpoint, E extends Readonly<Record<string, Endpoint>>> = {
  readonly [K in keyof E]: ResourceAct<L, E[K]>
}

type Calls<E extends Readonly<Record<string, Endpoint>>> = {
  /**
   * Sends the change once: the same change while it is under way joins it. The list is read again.
   * @throws ApiError, UnexpectedResponseError, UnreachableError, OfflineError
   */
  readonly [K in keyof E]: (input: Input<E[K]>) => Promise<ResponseOf<E[K]>>
}

type Resource<L extends Endpoint, E extends Readonly<Record<string, Endpoint>>> = Query<
  ResponseOf<L>
> &
  Calls<E> & {
    /** One of the changes is under way. */
    readonly isPending: boolean
  }

/**
 * A list and what changes it: the query of the list, and a function for each change. The changes
 * are the same for the life of the component.
 */
export function useResource<L extends Endpoint, E extends Readonly<Record<string, Endpoint>>>(
  list: L,
  acts: Acts<L, E>,
): Resource<L, E> {
  const query = useQuery(list)
  const { mutate } = useSWRConfig()
  const [pending, setPending] = useState(0)
  const inFlight = useRef(new Map<string, Promise<unknown>>())

  const send = async <K extends keyof E>(name: K, input: Input<E[K]>) => {
    const act: ResourceAct<L, E[K]> = acts[name]
    setPending((count) => count + 1)
    try {
      const response = await sendAction(mutate, act.endpoint, input, {
        ...act,
        listedIn: act.listedIn ?? [list],
      })
      showChanged(mutate, list, act, input, response)
      return response
    } finally {
      setPending((count) => count - 1)
    }
  }
  const latestSend = useRef(send)
  latestSend.current = send

  const trigger = useCallback(<K extends keyof E>(name: K, input: Input<E[K]>) => {
    const key = `${String(name)} ${JSON.stringify(input)}`
    const running = inFlight.current.get(key)
    if (running !== undefined) return running as Promise<ResponseOf<E[K]>>
    const sent = latestSend.current(name, input).finally(() => inFlight.current.delete(key))
    inFlight.current.set(key, sent)
    return sent
  }, [])
  const [calls] = useState(
    () =>
      Object.fromEntries(
        Object.keys(acts).map((name) => [name, (input: Input<E[string]>) => trigger(name, input)]),
      ) as Calls<E>,
  )
  return { ...query, ...calls, isPending: pending > 0 }
}

/** Reads the list again; until then it shows the change. */
function showChanged<L extends Endpoint, E extends Endpoint>(
  mutate: Mutate,
  list: L,
  { change }: ResourceAct<L, E>,
  input: Input<E>,
  response: ResponseOf<E>,
): void {
  const key = queryKey(list)
  if (change === undefined) void mutate(key)
  else void mutate<ResponseOf<L>>(key, (shown) => shown && change(shown, input, response))
}
