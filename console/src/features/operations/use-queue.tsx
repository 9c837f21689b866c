import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import {
  dropQueueEntry,
  dropQueueOfClient,
  EXCHANGE_NAMES,
  EXCHANGES,
  getOperations,
  listOrders,
  listQueue,
  type QueueEntry,
} from 'schema'
import { useSWRConfig } from 'swr'
import { ApiError } from '../../api/api-error.ts'
import { useLiveQuery, useQuery } from '../../api/queries.tsx'
import { EndingNote } from '../../api/stop-progress.tsx'
import { sendAction } from '../../api/use-action.ts'
import { confirm } from '../../components/confirm.tsx'
import { formatOrder } from '../../components/format.ts'
import { Details } from '../../components/page.tsx'
import { toast } from '../../components/toast.tsx'
import { changeAddress, useAddressParams } from '../../components/use-address-param.ts'
import * as texts from './texts.ts'

const words = texts.queue
/** A long queue is a long response. */
const EVERY_MS = { short: 2000, long: 5000 }
const LONG = 300

/** What waits. */
export function useQueue() {
  const [everyMs, setEveryMs] = useState(EVERY_MS.short)
  const query = useLiveQuery(listQueue, everyMs)
  const wantedMs = (query.data?.length ?? 0) > LONG ? EVERY_MS.long : EVERY_MS.short
  if (wantedMs !== everyMs) setEveryMs(wantedMs)
  return query
}

const OPTIONS = { readAgain: [listQueue, getOperations], alsoOffline: true }

/** What asks, and then drops an entry of the queue, or all of a client. */
export function useDropping() {
  const { mutate } = useSWRConfig()
  const [acts] = useState(() => ({
    /** @param entry as it was when its button was pressed: the queue moves on beneath */
    drop: (entry: QueueEntry) =>
      confirm({
        ...{ title: words.dropTitle, label: words.drop, text: <EntryFacts entry={entry} /> },
        async act() {
          const { exchange, id } = entry
          try {
            const input = { params: { exchange, id }, query: {} }
            await sendAction(mutate, dropQueueEntry, input, OPTIONS)
            toast(words.dropped)
          } catch (failure) {
            if (!(failure instanceof ApiError && failure.status === 404)) throw failure
            toast({ ...words.gone, tone: 'failure' })
          }
        },
      }),

    /**
     * @param id the client's row, where it is known
     * @param entries what waits of the client, at each exchange that has some
     */
    dropClient(clientId: string, id: number | undefined, entries: readonly QueueEntry[]) {
      const exchanges = EXCHANGES.filter((code) =>
        entries.some(({ exchange }) => exchange === code),
      )
      const where = exchanges.map((code) => EXCHANGE_NAMES[code]).join(', ')
      return confirm({
        ...{ title: words.dropAllTitle(clientId), label: words.dropAllLabel },
        text: (
          <Stack gap="sm">
            <Text fz="sm">{words.dropAllText(entries.length, where)}</Text>
            {id !== undefined && <EndingNote of={{ client: { id } }} way="dropped" />}
          </Stack>
        ),
        async act() {
          let sum = 0
          for (const exchange of exchanges) {
            const input = { params: { exchange }, query: { clientId } }
            sum += (await sendAction(mutate, dropQueueOfClient, input, OPTIONS)).dropped
          }
          toast(words.droppedAll(sum))
        },
      })
    },
  }))
  return acts
}

function EntryFacts({ entry }: { readonly entry: QueueEntry }) {
  const { exchange, clientId, requestClass, method, endpoint } = entry
  const name = entry.clientOrderId ?? entry.orderId
  const places = requestClass === 'order' ? { query: { find: entry.requestId } } : null
  const asked = formatOrder(
    useQuery(listOrders, places).data?.find(({ id }) => id === entry.requestId),
  )
  const order = [name, asked].filter((part) => part != null).join(', ')
  return (
    <Stack gap="sm">
      <Details
        rows={[
          [words.filters.exchange, EXCHANGE_NAMES[exchange]],
          [words.client, clientId],
          [words.filters.requestClass, texts.classes[requestClass]],
          [words.call, `${method} ${endpoint}`],
          ...(order === '' ? [] : [[texts.outcomes.columns.order, order] as const]),
        ]}
      />
      <Text fz="sm">{words.dropText}</Text>
    </Stack>
  )
}

const FILTERS = ['exchange', 'class', 'client'] as const
export type QueueFilter = Readonly<Record<(typeof FILTERS)[number], string>>

/** What the address asks for; '' is everything. */
export const useQueueFilter = (): QueueFilter => useAddressParams(FILTERS)[0]

/** Shows what waits of a client. */
export function showQueue(client: string): void {
  changeAddress({ client })
  document.getElementById('queue')?.scrollIntoView()
  document.querySelector<HTMLElement>('#queue h2')?.focus()
}

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
