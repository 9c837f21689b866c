import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { bgSpot } from '../../test/support/exchange-orders.ts'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { Lookup } from '../exchanges/order-lookup/order-key.ts'
import { listLookup, type Search } from '../exchanges/order-lookup/search.ts'
import { endsOf } from './lookup-round.ts'

// Many orders in one list: each page is read once, and what it costs does not grow with both.

const PAGE = 100

function callOf(query: string): UpstreamCall {
  return { ...{ family: 'bitget', method: 'GET', path: '/list', query, body: null, signed: true } }
}

/** A list of orders in pages of 100, and how often its rows were looked at. */
function listOf(ids: readonly string[]) {
  const asked: string[] = []
  let reads = 0
  const words = {
    ...{ clientOrderId: 'clientOid', state: ['status'], filledSize: 'filled', createdAt: 'at' },
    ...{ terms: {}, states: { filled: 'filled' } as const },
  }
  const lookupOf = (orderId: string): Lookup => {
    const search: Search = {
      ...{ order: bgSpot, wanted: { orderId }, sentAtMs: 0, words, narrowing: {} },
    }
    const list = listLookup({ ...search, order: { ...bgSpot, terms: undefined } }, callOf(''), {
      rows: (data) => {
        reads += 1
        return Array.isArray(data) ? data : undefined
      },
      limit: PAGE,
      after: (_, last) => callOf(`after=${last.orderId}`),
    })
    return list
  }
  const ask = (call: UpstreamCall) => {
    const page = pages.get(call.query)
    if (page !== undefined) return Promise.resolve(page)
    asked.push(call.query)
    const from = call.query === '' ? 0 : ids.indexOf(call.query.slice('after='.length)) + 1
    const data = ids
      .slice(from, from + PAGE)
      .map((orderId) => ({ orderId, status: 'filled', filled: '1' }))
    const verdict = { kind: 'ok', data } as const
    pages.set(call.query, verdict)
    return Promise.resolve(verdict)
  }
  const pages = new Map<string, { kind: 'ok'; data: unknown }>()
  return { asked, ask, lookupOf, reads: () => reads }
}

const idsOf = (count: number, first = 0) =>
  Array.from({ length: count }, (_, at) => `n${first + at}`)

test('of many orders each page is read once, and each order where it is', async () => {
  const ids = idsOf(1_000)
  const { asked, ask, lookupOf, reads } = listOf(ids)
  // The last one is nowhere.
  const wanted = [...ids, 'gone'].map((orderId) => ({
    ...{ orderId, clientOrderId: null, lookups: [lookupOf(orderId)] },
  }))
  let turns = 0
  const isDone = vi.fn()
  const done = endsOf(wanted, ask).finally(isDone)
  for (; isDone.mock.calls.length === 0; turns += 1) await nextTurn()
  const ends = [...(await done).values()]
  expect(ends.slice(0, -1)).toMatchObject(ids.map((orderId) => ({ orderId, state: 'filled' })))
  expect(ends.at(-1)).toBe('absent')
  expect(asked).toHaveLength(11)
  // Once for each order, and twice for each page that one was searched for in vain.
  expect(reads()).toBeLessThan(1_200)
  expect(turns).toBeGreaterThanOrEqual(20)
})

test('what is on no page has the result of the whole list, and then the next place is asked', async () => {
  const first = listOf(idsOf(250))
  const second = listOf(idsOf(150, 1_000))
  const wanted = ['n200', 'n1120', 'x', 'y', 'n1001'].map((orderId) => ({
    ...{ orderId, clientOrderId: null },
    lookups: [first.lookupOf(orderId), second.lookupOf(orderId)].map((lookup, at) =>
      at === 0 ? lookup : { ...lookup, call: callOf('second') },
    ),
  }))
  const ends = await endsOf(wanted, (call) =>
    call.query === 'second'
      ? second.ask(callOf(''))
      : (call.query.includes('n10') ? second : first).ask(call),
  )
  const [a, b, x, y, c] = [...ends.values()]
  expect([a, b, c]).toMatchObject([{ orderId: 'n200' }, { orderId: 'n1120' }, { orderId: 'n1001' }])
  expect([x, y]).toEqual(['absent', 'absent'])
})
