import { useEffect, useState } from 'react'
import {
  EXCHANGES,
  type ExchangeCode,
  exportOrders,
  FINAL_ORDER_STATES,
  getOrderSums,
  type InputOf,
  type JournalOrder,
  listOrders,
  OPEN_ORDER_STATES,
  type OrderSums,
} from 'schema'
import useSWR from 'swr'
import { call, readFile, SESSION_ENDED } from '../../api/client.ts'
import { reportFailure } from '../../api/failures.tsx'
import { type Query, queryKey } from '../../api/queries.tsx'
import { createFileSink, downloadBlob } from '../../components/files.ts'
import { useEvery } from '../../components/timers.ts'
import { useAddressParams } from '../../components/use-address-param.ts'
import * as texts from './texts.ts'

type Orders = readonly JournalOrder[]
export type OrderQuery = NonNullable<InputOf<typeof listOrders>['query']>

const HOUR_MS = 3_600_000
/** How far back a list goes, by the word in the address; '' is all that is kept. */
const SPANS = { '1h': HOUR_MS, '24h': 24 * HOUR_MS } as const
const STATES = [...OPEN_ORDER_STATES, ...FINAL_ORDER_STATES, 'open'] as const

const NAMES = ['client', 'exchange', 'symbol', 'side', 'state', 'span'] as const

const oneOf = <Value extends string>(values: readonly Value[], text: string) =>
  values.find((value) => value === text)

/** What narrows the list, as the address holds it; a value that is none narrows nothing. */
export function useOrderFilter() {
  const [words, change] = useAddressParams(NAMES)
  const exchange: ExchangeCode | undefined = oneOf(EXCHANGES, words.exchange)
  const filter = {
    clientId: words.client || undefined,
    exchange,
    symbol: words.symbol.slice(0, 64) || undefined,
    side: oneOf(['buy', 'sell'], words.side),
    state: oneOf(STATES, words.state),
    span: oneOf(['1h', '24h'], words.span),
  }
  return { filter, change }
}
export type OrderFilter = ReturnType<typeof useOrderFilter>['filter']

/** As the gateway is asked, now. */
function toQuery({ span, ...filter }: OrderFilter): OrderQuery {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  const from = span === undefined ? {} : { from: Date.now() - SPANS[span] }
  return { ...Object.fromEntries(given), ...from }
}

/** How often the newest orders are read. */
export const ORDERS_EVERY_MS = 5_000

interface Page {
  readonly orders: Orders
  /** Where the next page begins; null when there is none. */
  readonly next: string | null
  readonly atMs: number
}

/** @returns undefined when the session ended */
async function readPage(query: OrderQuery): Promise<Page | undefined> {
  let next: string | null = null
  const orders = await call(listOrders, { query }, (headers) => {
    next = headers.get('x-next-before')
  })
  return orders === SESSION_ENDED ? undefined : { orders, next, atMs: Date.now() }
}

/** The newest orders of a filter, live, and the older ones that were asked for. */
export function useOrders(filter: OrderFilter) {
  const key = queryKey(listOrders, { query: { ...filter, live: true } })
  const read = async () => (await readPage(toQuery(filter))) ?? new Promise<never>(() => {})
  const { data, error, isLoading, isValidating, mutate } = useSWR<Page, unknown>(key, read)
  const refresh = async () => void (await mutate())
  useEvery(ORDERS_EVERY_MS, refresh)
  const [held, setHeld] = useState<Held>()
  const [isReadingOlder, setReadingOlder] = useState(false)
  const shown = data === undefined ? undefined : joined(data, held?.key === key ? held : undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page is taken once, when it comes.
  useEffect(() => {
    if (shown !== undefined && held?.key === key) setHeld({ ...shown, key })
  }, [data])
  const loadOlder = async (before: string) => {
    setReadingOlder(true)
    try {
      const page = await readPage({ ...toQuery(filter), before })
      if (page === undefined || shown === undefined) return
      setHeld({ ...page, orders: unique([...shown.orders, ...page.orders]), key })
    } catch (cause) {
      reportFailure(cause, { fallback: texts.olderFailed })
    } finally {
      setReadingOlder(false)
    }
  }
  const query: Query<Orders> = {
    ...{ data: shown?.orders, error, isLoading, isReading: isValidating, refresh },
    ...{ readAtMs: data?.atMs ?? null, total: undefined },
  }
  const next = shown?.next ?? null
  const older =
    next === null
      ? undefined
      : {
          /** The list has been searched down to here. */
          thanMs: Number.parseInt(next, 10),
          isReading: isReadingOlder,
          load: () => void loadOlder(next),
        }
  return { query, older }
}

/** What is shown since older orders were asked for. */
interface Held extends Page {
  /** Of which list. */
  readonly key: string
}

/** The newest page, and below it what was read before. */
function joined(newest: Page, held: Held | undefined): Page {
  if (held === undefined || newest.next === null) return newest
  const last = newest.orders.at(-1)
  const older = held.orders.filter(
    (order) => last === undefined || order.createdAt <= last.createdAt,
  )
  return { ...newest, orders: unique([...newest.orders, ...older]), next: held.next }
}

const unique = (orders: Orders): Orders => [
  ...new Map(orders.map((order) => [order.id, order])).values(),
]

/** How often the sums are read. */
const SUMS_EVERY_MS = 15_000

/** What the orders of a filter come to: of the last hour, or of the last 24. */
export function useOrderSums(filter: OrderFilter): OrderSums | undefined {
  const wanted: OrderFilter = { ...filter, span: filter.span ?? '1h' }
  const read = async () => {
    const sums = await call(getOrderSums, { query: toQuery(wanted) })
    return sums === SESSION_ENDED ? new Promise<never>(() => {}) : sums
  }
  const key = queryKey(getOrderSums, { query: wanted })
  const { data, mutate } = useSWR<OrderSums, unknown>(key, read)
  useEvery(SUMS_EVERY_MS, () => mutate())
  return data
}

/** Saves all orders of a filter as a file. */
export async function saveOrders(filter: OrderFilter, format: 'csv' | 'jsonl'): Promise<void> {
  const sink = await createFileSink()
  try {
    const input = { query: { ...toQuery(filter), format } }
    const { signal } = new AbortController()
    const isWhole = await readFile(exportOrders, input, (piece) => sink.write(piece), signal)
    const date = new Date().toISOString().slice(0, 10)
    const type = format === 'csv' ? 'text/csv' : 'application/jsonl'
    if (isWhole) downloadBlob(`orders-${date}.${format}`, await sink.finish(type))
    else await sink.discard()
  } catch (error) {
    await sink.discard()
    reportFailure(error, { fallback: texts.exportFailed })
  }
}
