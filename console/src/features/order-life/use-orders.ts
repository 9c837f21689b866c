import { useEffect, useState } from 'react'
import {
  EXCHANGES,
  type ExchangeCode,
  FINAL_ORDER_STATES,
  getOrderSums,
  type JournalOrder,
  listOrders,
  OPEN_ORDER_STATES,
  type OrderSums,
} from 'schema'
import useSWR from 'swr'
import { call, SESSION_ENDED } from '../../api/client.ts'
import { reportFailure } from '../../api/failures.tsx'
import { type Query, queryKey } from '../../api/queries.tsx'
import { useEvery } from '../../components/timers.ts'
import { useAddressParams } from '../../components/use-address-param.ts'
import * as texts from './texts.ts'

type Orders = readonly JournalOrder[]

const HOUR_MS = 3_600_000
/** How far back a list goes, by the word in the address; '' is all that is kept. */
const SPANS = { '1h': HOUR_MS, '24h': 24 * HOUR_MS } as const
const STATES = [...OPEN_ORDER_STATES, ...FINAL_ORDER_STATES, 'open'] as const

const NAMES = ['client', 'exchange', 'symbol', 'side', 'state', 'span'] as const

const oneOf = <Value extends string>(values: readonly Value[], text: string) =>
  values.find((value) => value === text)

/** What narrows the list, as the address holds it; a value that is none narrows nothing. */
export function useOrderFilter() {
  const [words] = useAddressParams(NAMES)
  const exchange: ExchangeCode | undefined = oneOf(EXCHANGES, words.exchange)
  return {
    clientId: words.client || undefined,
    exchange,
    symbol: words.symbol.slice(0, 64) || undefined,
    side: oneOf(['buy', 'sell'], words.side),
    state: oneOf(STATES, words.state),
    span: oneOf(['1h', '24h'], words.span),
  }
}
export type OrderFilter = ReturnType<typeof useOrderFilter>

/** As the gateway is asked, now. */
export function toOrderQuery({ span, ...filter }: OrderFilter) {
  return { ...filter, from: span && Date.now() - SPANS[span] }
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
async function readPage(query: object): Promise<Page | undefined> {
  let next: string | null = null
  const orders = await call(listOrders, { query: { ...query } }, (headers) => {
    next = headers.get('x-next-before')
  })
  return orders === SESSION_ENDED ? undefined : { orders, next, atMs: Date.now() }
}

/** The newest orders of a filter, live, and the older ones that were asked for. */
export function useOrders(filter: OrderFilter) {
  const key = queryKey(listOrders, { query: { ...filter, live: true } })
  const read = async () => (await readPage(toOrderQuery(filter))) ?? new Promise<never>(() => {})
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
      const page = await readPage({ ...toOrderQuery(filter), before })
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
  // The list has been searched down to `thanMs`.
  const older = next !== null && {
    ...{ thanMs: Number.parseInt(next, 10), isReading: isReadingOlder },
    load: () => void loadOlder(next),
  }
  return { query, older: older || undefined }
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
    const sums = await call(getOrderSums, { query: toOrderQuery(wanted) })
    return sums === SESSION_ENDED ? new Promise<never>(() => {}) : sums
  }
  const key = queryKey(getOrderSums, { query: wanted })
  const { data, mutate } = useSWR<OrderSums, unknown>(key, read)
  useEvery(SUMS_EVERY_MS, () => mutate())
  return data
}
