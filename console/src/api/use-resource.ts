import { useCallback, useRef, useState } from 'react'
import type { Endpoint, InputOf, ResponseOf } from 'schema'
import { useSWRConfig } from 'swr'
import type { CallInput } from './client.ts'
import { queryKey } from './query-key.ts'
import { type ActionOptions, type Mutate, sendAction } from './use-action.ts'
import { type Query, useQuery } from './use-query.ts'

type Input<E extends Endpoint> = InputOf<E> & CallInput

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
