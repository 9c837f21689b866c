import { expect, test } from 'vitest'
import { bgMix, bgSpot, mxFutures, mxSpot, unified } from '../../../test/support/exchange-orders.ts'
import { lookupsOfMade } from '../order-lookups.ts'
import type { OrderKey } from './order-key.ts'
import { answerTo } from './paged-lookup.ts'

// A list that holds 100 or 1,000 orders proved nothing about a busy account.

const FROM = 1_800_000_000_000
const HOUR_MS = 3_600_000
const UNTIL = FROM + 24 * HOUR_MS

interface Listed {
  readonly id: number
  readonly atMs: number
  readonly clientId: string
}

/** The page that an exchange gives for a query, newest first. */
type Page = (orders: readonly Listed[], query: URLSearchParams) => unknown

const within = (orders: readonly Listed[], from: number, to: number) =>
  orders.filter(({ atMs }) => atMs >= from && atMs <= to)

function byPosition(
  name: 'idLessThan' | 'cursor',
  data: (rows: object[], last?: number) => unknown,
): Page {
  return (orders, query) => {
    const before = Number(query.get(name) ?? Number.POSITIVE_INFINITY)
    const page = orders.filter(({ id }) => id < before).slice(0, 100)
    const rows = page.map(({ id, atMs, clientId }) => ({
      ...{ orderId: `${id}`, clientOid: clientId, cTime: `${atMs}`, createdTime: `${atMs}` },
      ...{ status: 'filled', orderStatus: 'filled' },
    }))
    return data(rows, page.at(-1)?.id)
  }
}

const exchanges: readonly [string, OrderKey, Page, lists: number][] = [
  [
    'MEXC spot',
    mxSpot,
    (orders, query) =>
      within(orders, Number(query.get('startTime')), Number(query.get('endTime')))
        .slice(0, 1_000)
        .map(({ id, atMs, clientId }) => ({
          ...{ orderId: `${id}`, clientOrderId: clientId, time: atMs, status: 'FILLED' },
        })),
    7,
  ],
  [
    'MEXC futures',
    mxFutures,
    (orders, query) => {
      const [page, size] = [Number(query.get('page_num')), Number(query.get('page_size'))]
      return orders.slice((page - 1) * size, page * size).map(({ id, atMs, clientId }) => ({
        ...{ orderId: `${id}`, externalOid: clientId, createTime: atMs, state: 3 },
      }))
    },
    26 + 29,
  ],
  ['Bitget spot', bgSpot, byPosition('idLessThan', (rows) => rows), 26],
  ['Bitget futures', bgMix, byPosition('idLessThan', (rows) => ({ entrustedList: rows })), 26],
  [
    'the unified account',
    unified,
    byPosition('cursor', (list, cursor) => ({ list, cursor: cursor && `${cursor}` })),
    26,
  ],
]

/** Of a day, newest first; the last one has the id `a-1`. */
const listed = (count: number, last: string): Listed[] =>
  Array.from({ length: count }, (_, at) => ({
    id: 1_000_000 - at,
    atMs: UNTIL - Math.floor(((at + 1) * 23 * HOUR_MS) / count),
    clientId: at === count - 1 ? last : 'b',
  }))

async function search(key: OrderKey, page: Page, orders: readonly Listed[]) {
  const past = lookupsOfMade({ ...key, terms: undefined }, FROM, UNTIL)?.at(-1)
  if (past === undefined) throw new Error('The order cannot be looked up')
  let calls = 0
  const found = await answerTo(past, async ({ query }) => {
    calls += 1
    return { kind: 'ok', data: page(orders, new URLSearchParams(query)) }
  })
  return { found: typeof found === 'object' ? found.orderId : found, calls }
}

test.each(exchanges)('%s: every part of a long list is read', async (_name, key, page, lists) => {
  const oldest = `${1_000_000 - 2_549}`
  expect((await search(key, page, listed(2_550, 'a-1'))).found).toBe(oldest)
  expect(await search(key, page, listed(2_550, 'b'))).toEqual({ found: 'absent', calls: lists })
})

test.each(exchanges)('%s: an endless list proves nothing', async (_name, key, page) => {
  const orders = listed(2_550, 'b')
  // It does not read which part was asked for.
  const same: Page = () => page(orders, new URLSearchParams(FIRST_PAGE))
  const { found, calls } = await search(key, same, orders)
  expect(found).toBe('unclear')
  expect(calls).toBeLessThanOrEqual(200)
})

const FIRST_PAGE = { startTime: `${FROM}`, endTime: `${UNTIL}`, page_num: '1', page_size: '100' }
