import { useState } from 'react'
import {
  dropQueueEntry,
  dropQueueOfClient,
  EXCHANGES,
  type ExchangeCode,
  getOperations,
  listQueue,
  type QueueEntry,
} from 'schema'
import { useAction } from '../../api/use-action.ts'
import { useLiveQuery } from '../../api/use-live-query.ts'
import { useAddressParams } from '../../components/use-address-param.ts'

/** A long queue is a long response. */
const EVERY_MS = { short: 2000, long: 5000 }
const LONG = 300

/** What waits, and what drops it. */
export function useQueue() {
  const [everyMs, setEveryMs] = useState(EVERY_MS.short)
  const query = useLiveQuery(listQueue, everyMs)
  const wantedMs = (query.data?.length ?? 0) > LONG ? EVERY_MS.long : EVERY_MS.short
  if (wantedMs !== everyMs) setEveryMs(wantedMs)
  return query
}

export const useDropEntry = () =>
  useAction(dropQueueEntry, { readAgain: [listQueue, getOperations], alsoOffline: true })

/** Drops all that waits of a client, at each exchange that has some; says how many these were. */
export function useDropClient() {
  const { trigger, isPending } = useAction(dropQueueOfClient, {
    readAgain: [listQueue, getOperations],
    alsoOffline: true,
  })
  const drop = async (clientId: string, exchanges: readonly ExchangeCode[]): Promise<number> => {
    let sum = 0
    for (const exchange of exchanges) {
      sum += (await trigger({ params: { exchange }, query: { clientId } })).dropped
    }
    return sum
  }
  return { drop, isPending }
}

export interface QueueFilter {
  readonly exchange: string
  readonly class: string
  readonly client: string
}

/** What the address asks for; '' is everything. */
export const useQueueFilter = () => useAddressParams(['exchange', 'class', 'client'])

export function filterQueue(
  entries: readonly QueueEntry[],
  { exchange, class: requestClass, client }: QueueFilter,
): QueueEntry[] {
  return entries.filter(
    (entry) =>
      (exchange === '' || entry.exchange === exchange) &&
      (requestClass === '' || entry.requestClass === requestClass) &&
      (client === '' || entry.clientId === client),
  )
}

/** Each client with the number of its entries, most first. */
export function clientsOf(entries: readonly QueueEntry[]): [clientId: string, count: number][] {
  const counts = new Map<string, number>()
  for (const { clientId } of entries) counts.set(clientId, (counts.get(clientId) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
}

/** The exchanges that have entries. */
export const exchangesOf = (entries: readonly QueueEntry[]): ExchangeCode[] =>
  EXCHANGES.filter((code) => entries.some(({ exchange }) => exchange === code))
