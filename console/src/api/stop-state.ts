import {
  changeClientLimits,
  type Endpoint,
  EXCHANGE_NAMES,
  type ExchangeCode,
  getClientStop,
  getExchangeStop,
  getOperations,
  getStopOfEverything,
  type ListedClient,
  listClients,
  listQueue,
  previewClientStop,
  previewExchangeStop,
  previewStopOfEverything,
  resumeClient,
  resumeEverything,
  resumeExchange,
  type Stop,
  type StopRequest,
  stopClient,
  stopEverything,
  stopExchange,
} from 'schema'
import { useSWRConfig } from 'swr'
import { confirm } from '../components/confirm.tsx'
import { toast } from '../components/toast.tsx'
import type { CallInput } from './client.ts'
import { useLiveQuery } from './queries.tsx'
import { resume as texts } from './stop-texts.ts'
import { sendAction, useAction } from './use-action.ts'

/** What can be stopped. */
export type StopTarget =
  | {
      readonly client: Pick<ListedClient, 'id' | 'clientId' | 'state' | 'wouldHaveRefused'>
    }
  | { readonly exchange: ExchangeCode }
  | 'everything'

/** The same, where only the figures of its end are asked for. */
export type PreviewTarget = Exclude<StopTarget, { readonly client: unknown }> | OfClient
interface OfClient {
  readonly client: Pick<ListedClient, 'id'>
}

export const isInForce = (stop: Stop | null | undefined): stop is Stop => stop?.resumedAt === null

export const isUnderWay = (stop: Stop | null | undefined): boolean =>
  isInForce(stop) && stop.completedAt === null

/** What an end of trading changes on every page. */
export const CHANGED_BY_STOPS: readonly Endpoint[] = [getOperations, listQueue, listClients]

/** Where the gateway has the stop of a target, what it would do, and what begins it. */
export function stopCallsOf(target: PreviewTarget) {
  if (target === 'everything')
    return {
      ...{ read: getStopOfEverything, preview: previewStopOfEverything, begin: stopEverything },
      input: {},
    } as const
  if ('exchange' in target)
    return {
      ...{ read: getExchangeStop, preview: previewExchangeStop, begin: stopExchange },
      input: { params: { exchange: target.exchange } },
    } as const
  return {
    ...{ read: getClientStop, preview: previewClientStop, begin: stopClient },
    input: { params: { id: target.client.id } },
  } as const
}

/** How often a stop is read while its dialog is open. */
const EVERY_MS = 1000

/** The stop of a target as the gateway has it, and what begins it or sets a stricter state. */
export function useStopping(target: StopTarget) {
  const { read, begin, input } = stopCallsOf(target)
  const query = useLiveQuery(read, EVERY_MS, false, input)
  const options = { readAgain: CHANGED_BY_STOPS, alsoOffline: true }
  const stopping = useAction<Endpoint>(begin, options)
  const limits = useAction(changeClientLimits, options)
  return {
    stop: query.data,
    isPending: stopping.isPending || limits.isPending,
    /** Resolves once the gateway responds: the reads show earlier how far it is. */
    begin: async (body: StopRequest) => {
      await stopping.trigger({ ...input, body })
      await query.refresh()
    },
    /** @returns whether it is in force: in shadow mode limits refuse nothing */
    restrict: async (id: number, state: 'reducing' | 'halted') => {
      const { mode } = await limits.trigger({ params: { id }, body: { state } })
      return mode === 'enforce'
    },
  }
}

interface ResumeWords {
  readonly title: string
  readonly label: string
  readonly text: string
  readonly done: { readonly title: string; readonly message: string }
}

/** What asks, and then lets a client, an exchange or everything trade again. */
export function useResuming() {
  const { mutate } = useSWRConfig()
  const ask = (words: ResumeWords, endpoint: Endpoint, input: CallInput, stop?: Stop | null) =>
    confirm({
      ...{ title: words.title, label: words.label },
      text: isUnderWay(stop) ? `${words.text} ${texts.unfinished}` : words.text,
      act: async () => {
        await sendAction(mutate, endpoint, input, { readAgain: CHANGED_BY_STOPS })
        toast(words.done)
      },
    })
  return {
    /** Ends the stop of a client, or its state that is stricter than `active`. */
    client(client: Pick<ListedClient, 'id' | 'clientId' | 'state'>, stop?: Stop | null) {
      const { stopped, halted, ...words } = texts.client(client.clientId)
      const params = { id: client.id }
      return client.state === 'stopped'
        ? ask({ ...words, text: stopped }, resumeClient, { params }, stop)
        : ask(
            { ...words, text: halted },
            changeClientLimits,
            { params, body: { state: 'active' } },
            stop,
          )
    },
    exchange: (exchange: ExchangeCode, stop: Stop | null) =>
      ask(texts.exchange(EXCHANGE_NAMES[exchange]), resumeExchange, { params: { exchange } }, stop),
    everything: () => ask(texts.everything, resumeEverything, {}),
  }
}
