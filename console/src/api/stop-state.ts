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

/** Where the gateway has the stop of a target, and what it would do. */
export function stopCallsOf(target: PreviewTarget) {
  if (target === 'everything')
    return { read: getStopOfEverything, preview: previewStopOfEverything, input: {} } as const
  if ('exchange' in target) {
    const input: CallInput = { params: { exchange: target.exchange } }
    return { read: getExchangeStop, preview: previewExchangeStop, input } as const
  }
  const input: CallInput = { params: { id: target.client.id } }
  return { read: getClientStop, preview: previewClientStop, input } as const
}

/** How often a stop is read while its dialog is open. */
const EVERY_MS = 1000

/** The stop of a target as the gateway has it, and what begins it or sets a stricter state. */
export function useStopping(target: StopTarget) {
  const { read, input } = stopCallsOf(target)
  const query = useLiveQuery(read, EVERY_MS, false, input)
  const options = { readAgain: CHANGED_BY_STOPS, alsoOffline: true }
  const ofClient = useAction(stopClient, options)
  const ofExchange = useAction(stopExchange, options)
  const ofAll = useAction(stopEverything, options)
  const limits = useAction(changeClientLimits, options)

  const send = (body: StopRequest) => {
    if (target === 'everything') return ofAll.trigger({ body })
    if ('exchange' in target)
      return ofExchange.trigger({ params: { exchange: target.exchange }, body })
    return ofClient.trigger({ params: { id: target.client.id }, body })
  }
  return {
    stop: query.data,
    isPending: [ofClient, ofExchange, ofAll, limits].some(({ isPending }) => isPending),
    /** Resolves once the gateway responds: the reads show earlier how far it is. */
    begin: async (body: StopRequest) => {
      await send(body)
      await query.refresh()
    },
    /** @returns whether it is in force: in shadow mode limits refuse nothing */
    restrict: async (id: number, state: 'reducing' | 'halted') => {
      const { mode } = await limits.trigger({ params: { id }, body: { state } })
      return mode === 'enforce'
    },
  }
}

/** What asks, and then lets a client, an exchange or everything trade again. */
export function useResuming() {
  const { mutate } = useSWRConfig()
  const options = { readAgain: CHANGED_BY_STOPS }
  return {
    /** Ends the stop of a client, or its state that is stricter than `active`. */
    client(
      { id, clientId, state }: Pick<ListedClient, 'id' | 'clientId' | 'state'>,
      stop?: Stop | null,
    ) {
      const { title, label, stopped, halted, done } = texts.client(clientId)
      const input = { params: { id } }
      const act = async () => {
        if (state === 'stopped') await sendAction(mutate, resumeClient, input, options)
        else
          await sendAction(
            mutate,
            changeClientLimits,
            { ...input, body: { state: 'active' } },
            options,
          )
        toast(done)
      }
      const text = state === 'stopped' ? stopped : halted
      return confirm({
        ...{ title, label, act },
        text: isUnderWay(stop) ? `${text} ${texts.unfinished}` : text,
      })
    },
    exchange(exchange: ExchangeCode, stop: Stop | null) {
      const { title, label, text, done } = texts.exchange(EXCHANGE_NAMES[exchange])
      const act = async () => {
        await sendAction(mutate, resumeExchange, { params: { exchange }, query: {} }, options)
        toast(done)
      }
      return confirm({
        ...{ title, label, act },
        text: isUnderWay(stop) ? `${text} ${texts.unfinished}` : text,
      })
    },
    everything() {
      const { title, label, text, done } = texts.everything
      const act = async () => {
        await sendAction(mutate, resumeEverything, {}, options)
        toast(done)
      }
      return confirm({ title, label, text, act })
    },
  }
}
