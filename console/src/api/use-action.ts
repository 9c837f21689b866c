import { useState } from 'react'
import type { Endpoint, InputOf, ResponseOf } from 'schema'
import { useSWRConfig } from 'swr'
import { ApiError, OfflineError } from './api-error.ts'
import { type CallInput, call, SESSION_ENDED } from './client.ts'
import { type Query, queryKey, useQuery } from './queries.tsx'

type Input<E extends Endpoint> = InputOf<E> & CallInput

interface Action<E extends Endpoint> {
  /**
   * Sends the change once; while one is under way a second call joins it instead of sending again.
   * @throws ApiError, UnexpectedResponseError, UnreachableError, OfflineError
   */
  readonly trigger: (input: Input<E>) => Promise<ResponseOf<E>>
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
  input: CallInput,
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

/** Sends a change once: the same one, by its key, while it is under way joins it. */
function useJoined() {
  const [pending, setPending] = useState(0)
  const [join] = useState(() => {
    const inFlight = new Map<string, Promise<unknown>>()
    return <T>(key: string, send: () => Promise<T>): Promise<T> => {
      const running = inFlight.get(key)
      // The same change has the same response.
      if (running !== undefined) return running as Promise<T>
      setPending((count) => count + 1)
      const sent = send().finally(() => {
        inFlight.delete(key)
        setPending((count) => count - 1)
      })
      inFlight.set(key, sent)
      return sent
    }
  })
  return { join, isPending: pending > 0 }
}

/** A change, never repeated by itself; the same one for the life of the component. */
export function useAction<E extends Endpoint>(endpoint: E, options: ActionOptions = {}): Action<E> {
  const { mutate } = useSWRConfig()
  const { join, isPending } = useJoined()
  const [trigger] = useState(
    () => (input: Input<E>) => join('', () => sendAction(mutate, endpoint, input, options)),
  )
  return { trigger, isPending }
}

/** Sends changes of one kind. Its component is open once, such as a dialog that waits. */
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
  const { join, isPending } = useJoined()
  const [calls] = useState(() => {
    const key = queryKey(list)
    const send = async (act: ResourceAct<L, E[string]>, input: Input<E[string]>) => {
      const response = await sendAction(mutate, act.endpoint, input, { listedIn: [list], ...act })
      const { change } = act
      // The list is read again; until then it shows the change.
      if (change === undefined) void mutate(key)
      else void mutate<ResponseOf<L>>(key, (shown) => shown && change(shown, input, response))
      return response
    }
    return Object.fromEntries(
      Object.entries(acts).map(([name, act]) => [
        name,
        (input: Input<E[string]>) =>
          join(`${name} ${JSON.stringify(input)}`, () => send(act, input)),
      ]),
    ) as Calls<E>
  })
  return { ...query, ...calls, isPending }
}
