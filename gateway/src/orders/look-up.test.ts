import { describe, expect, test } from 'vitest'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { Verdict } from '../exchanges/protocol/verdict.ts'
import type { JournalRow } from '../store/journal-store.ts'
import { OrderLife } from '../store/life-event.ts'
import { OrderLookup } from './look-up.ts'
import { clientOrderIdOf } from './retries.ts'

const SENT = 1_800_000_000_000
const row: JournalRow = {
  ...{ id: 'r', clientRef: 1, clientId: 'bot', exchange: 'bg', method: 'POST', endpoint: '/bg/x' },
  ...{
    ...{ fingerprint: '', idempotencyKey: null, state: 'unknown', orderKey: null },
    ...{ clientOrderId: null, orderId: null },
  },
  ...{
    ...{ keysRef: null, createdAtMs: SENT, sentAtMs: SENT, settledAtMs: null },
    ...{ handedOverAtMs: null, valueMicros: null, lookups: 0, events: '' },
    ...{ symbol: null, side: null, kind: null, quantity: null, price: null, amount: null },
    ...{ filled: null, averagePrice: null },
  },
  ...{ statusCode: null, contentType: null, body: null },
}
const order = (clientOrderId: string): OrderKey => ({
  ...{ exchange: 'bg', family: 'bitget', market: 'spot', action: 'place', symbol: 'AB' },
  clientOrderId,
})
const several = (ids: readonly string[]): OrderKey => ({
  ...order(''),
  orders: ids.map(order),
  several: 'two-lists',
})
const listed = (clientOid: string, status = 'live') => ({
  orderId: `1${clientOid}`,
  clientOid,
  status,
})

/**
 * A look-up at an exchange with these lists, `ageMs` after the orders were sent; it notes each
 * call.
 */
function asking({
  open = [],
  past = [],
  ageMs = 61_000,
  accounts = [1],
  verdict,
}: {
  verdict?: Verdict
  open?: object[]
  past?: object[]
  ageMs?: number
  /** The account of the present keys, each time it is read; the last one repeats. */
  accounts?: number[]
}) {
  const refs = [...accounts]
  const asked: string[] = []
  const dataFor = ({ path }: UpstreamCall) =>
    path.endsWith('/unfilled-orders') ? open : path.endsWith('/history-orders') ? past : []
  const upstream = {
    lookUp: async (_context: unknown, call: UpstreamCall) => {
      asked.push(call.path.split('/').at(-1) ?? '')
      return verdict ?? ({ kind: 'ok', data: dataFor(call) } as const)
    },
    time: { sync: async () => true },
    accountRefOf: async () => (refs.length > 1 ? refs.shift() : refs[0]) ?? 1,
    accountKindOf: async () => null,
  }
  const clock = { nowMs: () => SENT + ageMs }
  const lookup = new OrderLookup({
    lostOrders: { areVisible: true },
    journal: { countLookup: async () => undefined, belongsToEarlierRequest: async () => false },
    ...{ upstreams: { mx: upstream, bg: upstream }, clocks: { mx: clock, bg: clock } },
  })
  const life = new OrderLife(SENT, () => SENT + ageMs)
  const ask = (of: JournalRow, key: OrderKey, placesMax?: number) =>
    lookup.ask(of, key, { life, placesMax })
  return { asked, ask, life }
}
const ids = ['a', 'b', 'c'] as const
const DAY_MS = 86_400_000

test('one list of open orders serves all orders in it', async () => {
  const { asked, ask } = asking({ open: ids.map((id) => listed(id)), ageMs: 1_000 })
  expect(await ask(row, several(ids))).toMatchObject(ids.map((id) => ({ orderId: `1${id}` })))
  expect(asked).toEqual(['unfilled-orders'])
})

// A filled order was reported as not placed: it is in the history, which was not read.
test('a round at only some of the places proves of no order that it is nowhere', async () => {
  const { asked, ask } = asking({
    open: [listed('a')],
    past: [listed('b', 'filled'), listed('c', 'filled')],
  })
  expect(await ask(row, several(ids), 1)).toBe('unclear')
  expect(asked).toEqual(['unfilled-orders'])
  expect(await ask(row, several(ids))).toMatchObject([
    { state: 'open' },
    { state: 'filled' },
    { state: 'filled' },
  ])
})

test('an order that waited when a restored backup was made is absent only as long as the history has all orders of its time', async () => {
  const waited = { ...row, sentAtMs: null }
  const listedStill = asking({ ageMs: 29 * DAY_MS })
  expect(await listedStill.ask(waited, order('a'))).toEqual(['absent'])
  const older = asking({ ageMs: 91 * DAY_MS })
  expect(await older.ask(waited, order('a'))).toBe('unclear')
})

test('an order is absent only after a look-up by its own id, and not before a minute is over', async () => {
  const young = asking({ open: [listed('a')], ageMs: 59_000 })
  expect(await young.ask(row, several(ids))).toBe('unclear')
  expect(young.asked).toEqual(['unfilled-orders', 'history-orders', 'orderInfo'])
  const old = asking({ open: [listed('a')] })
  expect(await old.ask(row, several(ids))).toMatchObject([{ orderId: '1a' }, 'absent', 'absent'])
  expect(old.asked).toEqual(['unfilled-orders', 'history-orders', 'orderInfo', 'orderInfo'])
})

test('when one of several orders has nothing to look it up by, none is looked up', async () => {
  const { asked, ask } = asking({})
  const key = {
    ...several(['a']),
    orders: [order('a'), { ...order('b'), clientOrderId: undefined }],
  }
  expect(await ask(row, key)).toBe('never')
  expect(asked).toEqual([])
})

test('one order that is found for two of them settles neither', async () => {
  const { ask } = asking({ open: [listed('a')] })
  expect(await ask(row, several(['a', 'a', 'a']))).toBe('unclear')
})

test('a look-up that proves nothing is noted with what was wrong with the response', async () => {
  const why = 'It responded with HTTP 503'
  const { ask, life } = asking({ verdict: { kind: 'unknown', why } })
  expect(await ask(row, order('a'))).toBe('unclear')
  expect(life.unwritten).toMatchObject([
    { type: 'lookup', found: 'unclear', why },
    { why },
    { why },
  ])
})

describe('with other keys than those that an order was sent with', () => {
  const sent: JournalRow = { ...row, keysRef: 1 }
  const own = clientOrderIdOf(sent)
  const isOpen = { open: [listed(own), listed('a')] }

  test('only an order that is found by an id of the gateway is settled', async () => {
    const found = asking({ ...isOpen, accounts: [2] })
    expect(await found.ask(sent, order(own))).toMatchObject([{ state: 'open' }])
    // It may be open in the account of the old keys.
    const nowhere = asking({ accounts: [2] })
    expect(await nowhere.ask(sent, order(own))).toBe('unclear')
    expect(await asking({}).ask(sent, order(own))).toEqual(['absent'])
  })

  test.each([
    ['the id of another', order('a'), 61_000],
    ['one of several with such an id', several([own, 'a']), 61_000],
    ['a cancel', { ...order(own), action: 'cancel' as const }, 61_000],
    ['an order of the day before', order(own), 24 * 3_600_000],
  ])('%s is not looked up', async (_, key, ageMs) => {
    const { asked, ask } = asking({ ...isOpen, accounts: [2], ageMs })
    expect(await ask(sent, key)).toBe('other-keys')
    expect(asked).toEqual([])
  })

  test.each([1, 2, null])(
    'what was read while they were replaced proves nothing (sent with %s)',
    async (keysRef) => {
      const of = { ...sent, keysRef }
      for (const accounts of [
        [1, 2],
        [3, 2],
      ]) {
        expect(await asking({ accounts }).ask(of, order(own))).toBe('unclear')
        expect(await asking({ ...isOpen, accounts }).ask(of, order(own))).toBe('unclear')
      }
    },
  )
})
