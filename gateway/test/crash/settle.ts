import { setTimeout as sleep } from 'node:timers/promises'
import { type JournalOrder, listOrders, urlOf } from 'schema'
import type { Books } from './check-books.ts'
import { adminHeader } from './clients.ts'
import type { Trading, TradingRound } from './trading.ts'

/** What is unknown at the end has this long to become known. */
const SETTLE_MS = 60_000

/** Waits for what is unknown to become known, and repeats what is. */
export async function settle(
  { supervisor, inDoubt }: Pick<TradingRound, 'supervisor' | 'inDoubt'>,
  trading: Trading,
  mayStayUnknown: Books['mayStayUnknown'],
): Promise<void> {
  const untilMs = performance.now() + SETTLE_MS
  const headers = await adminHeader(await supervisor.url())
  const url = `${await supervisor.url()}${urlOf(listOrders, { query: { state: 'unknown' } })}`
  const unknown = async () => {
    const orders = (await (await fetch(url, { headers })).json()) as JournalOrder[]
    return orders.filter((order) => !mayStayUnknown(order) && !inDoubt.has(order.id))
  }
  while ((await unknown()).length > 0 && performance.now() < untilMs) await sleep(250)
  await trading.finish(AbortSignal.timeout(SETTLE_MS))
  await trading.repeat()
}
