import { expect, test } from 'vitest'
import type { AccountEvent } from '../exchanges/feed.ts'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { WorkingOrder } from '../orders/working-order.ts'
import type { Sent } from '../orders/working-orders.ts'
import type { JournalRow, NamingSearch } from '../store/journal-store.ts'
import { ExchangeKeysMissingError } from '../upstream/errors.ts'
import { OrderJoin } from './join-orders.ts'

const NOW = 1_800_000_000_000
const TERMS = { side: 'buy', kind: 'limit', price: '50000', size: '1' }
const PLACE: OrderKey = {
  ...{ exchange: 'bg', family: 'bitget', market: 'spot', action: 'place', symbol: 'BTCUSDT' },
  ...{ clientOrderId: 'bot-1', terms: TERMS, firstSentAtMs: NOW },
}
/** The account of a client's keys. */
const refOf = (clientRef: number) => clientRef * 10

interface Row extends Partial<Omit<JournalRow, 'orderKey'>> {
  readonly id: string
  readonly key?: OrderKey
}

/** A join over these requests and working orders, and how often it read the journal. */
function join({
  rows = [],
  working = [],
  sent = [],
  accountRefOf = async (clientRef) => refOf(clientRef),
}: {
  rows?: Row[]
  working?: Partial<WorkingOrder>[]
  /** Requests that never get a response. */
  sent?: readonly Partial<Sent>[]
  accountRefOf?: (clientRef: number) => Promise<number>
}) {
  const count = { reads: 0, waitedMs: 0 }
  const journal = rows.map(({ key = PLACE, ...row }) => ({
    ...{ clientRef: 1, exchange: 'bg', state: 'sent', statusCode: null, orderId: null },
    ...{ clientOrderId: key.clientOrderId ?? null, idempotencyKey: null },
    ...{ keysRef: refOf(row.clientRef ?? 1), orderKey: JSON.stringify(key), ...row },
  })) as JournalRow[]
  const orders = working.map((order) => ({
    ...{ clientRef: 1, exchange: 'bg', key: PLACE, clientOrderId: 'bot-1', orderId: '7' },
    ...{ keysRef: refOf(order.clientRef ?? 1), journalId: 'placed', ...order },
  })) as WorkingOrder[]
  const orderJoin = new OrderJoin({
    workingOrders: {
      list: (client) => orders.filter(({ clientRef }) => clientRef === client),
      sentTo: () => sent as Sent[],
      async oneEnded(_of, waitMs) {
        count.waitedMs += waitMs
      },
    },
    time: { monotonic: () => count.waitedMs },
    journal: {
      async findNaming({ names, clientRefs }: NamingSearch) {
        count.reads += 1
        return journal
          .filter(({ clientRef }) => clientRefs.includes(clientRef))
          .flatMap((row) =>
            names
              .filter((name) => name === row.orderId || name === row.clientOrderId)
              .map((name) => ({ ...row, name })),
          )
      },
      find: async (id) => journal.find((row) => row.id === id),
      keysSince: async () => journal,
    },
    keys: { accountRefOf },
  })
  const ownerOf = (event: AccountEvent, clients = [1, 2]) => orderJoin.ownerOf('bg', clients, event)
  return { ownerOf, count, journal }
}

function order(
  { clientOrderId = 'bot-1', timeMs = NOW, ...key }: Partial<OrderKey> & { timeMs?: number } = {},
  orderId = '7',
): AccountEvent {
  const { firstSentAtMs: _, ...place } = PLACE
  return {
    ...{ type: 'order', market: key.market ?? 'spot', timeMs, key: { ...place, ...key } },
    data: {
      ...{ orderId, clientOrderId: clientOrderId || null, symbol: 'BTCUSDT', side: 'buy' },
      ...{ positionSide: null, orderType: 'limit', price: '50000', quantity: '1' },
      ...{ quantityUnit: 'base', filledQuantity: '0', averagePrice: null, status: 'open' },
      reason: null,
    },
  }
}

const fill = (clientOrderId: string | null, orderId = '7'): AccountEvent => ({
  ...{ type: 'fill', market: 'spot', timeMs: NOW },
  data: {
    ...{ fillId: 'f', orderId, clientOrderId, symbol: 'BTCUSDT', side: 'buy', price: '1' },
    ...{ positionSide: null, quantity: '1', quantityUnit: 'base', fee: null, feeCurrency: null },
    ...{ liquidity: null, realizedPnl: null, inferred: false },
  },
})

test('an order is found by its id of the exchange, once: then it is remembered', async () => {
  const { ownerOf, count } = join({
    rows: [{ id: 'placed', orderId: '7', state: 'answered', idempotencyKey: 'k' }],
  })
  const owner = { clientRef: 1, requestId: 'placed', idempotencyKey: 'k', clientOrderId: 'bot-1' }
  expect(await ownerOf(order({ clientOrderId: '' }))).toEqual(owner)
  expect(await ownerOf(fill(null))).toEqual(owner)
  expect(count.reads).toBe(1)
  expect(await ownerOf(order())).toEqual(owner)
  expect(await ownerOf(fill(null))).toEqual(owner)
  expect(count.reads).toBe(1)
  // The same key of an account that only the other client has.
  expect(await ownerOf(order(), [2])).toBeUndefined()
})

test('an event that overtakes the response has the request by its client order id, and its fills too', async () => {
  const { ownerOf, journal } = join({ rows: [{ id: 'placed' }] })
  const owner = { clientRef: 1, requestId: 'placed' }
  // The fill of Bitget spot has no client order id.
  expect(await ownerOf(fill(null))).toBeUndefined()
  expect(await ownerOf(order())).toMatchObject(owner)
  expect(await ownerOf(fill(null))).toMatchObject(owner)
  expect(await ownerOf(fill('bot-1', '8'))).toMatchObject(owner)
  // The response names another order: this one was somebody else's.
  Object.assign(journal[0] ?? {}, { state: 'answered', orderId: '9' })
  expect(await ownerOf(order({}, '9'))).toMatchObject(owner)
  expect(await ownerOf(order({}, '10'))).toBeUndefined()
})

test.each<[string, AccountEvent]>([
  ['has another side', order({ terms: { ...TERMS, side: 'sell' } })],
  ['has another price', order({ terms: { ...TERMS, price: '50001' } })],
  ['is of another symbol', order({ symbol: 'ETHUSDT' })],
  ['is of another market', order({ market: 'futures', productType: 'USDT-FUTURES' })],
  ['waits for a price', order({ plan: 'spot' })],
  ['is of the demo account', order({ demo: true })],
  ['changed before the request was sent', order({ timeMs: NOW - 60_001 })],
  ['has no client order id', order({ clientOrderId: '' })],
  ['has an id in other letters', order({ clientOrderId: 'BOT-1' })],
])('an order with the client order id of a request is nobody’s when it %s', async (_why, event) => {
  const { ownerOf } = join({ rows: [{ id: 'placed' }] })
  expect(await ownerOf(event)).toBeUndefined()
  expect(await ownerOf(order())).toMatchObject({ requestId: 'placed' })
})

test.each<[string, Row[]]>([
  ['was settled with another id', [{ id: 'a', state: 'answered', orderId: '9' }]],
  ['was not carried out', [{ id: 'a', state: 'resolved', statusCode: 502 }]],
  ['was sent with keys of another account', [{ id: 'a', keysRef: 99 }]],
  ['is a cancel', [{ id: 'a', key: { ...PLACE, action: 'cancel' } }]],
  ['is one of two of different clients', [{ id: 'a' }, { id: 'b', clientRef: 2 }]],
])('a request with the client order id does not have the order when it %s', async (_why, rows) => {
  expect(await join({ rows }).ownerOf(order())).toBeUndefined()
})

test('a working order with another id is not this one, though a bot used its name again', async () => {
  expect(await join({ working: [{ orderId: '9' }] }).ownerOf(order())).toBeUndefined()
  const unnamed = { orderId: null }
  expect(await join({ working: [unnamed] }).ownerOf(order())).toMatchObject({ clientRef: 1 })
})

test('ids are unique within a market: another market’s order with the id is not this one', async () => {
  const { ownerOf } = join({
    working: [{}, { clientRef: 2, orderId: '7', key: { ...PLACE, market: 'futures' } }],
  })
  expect(await ownerOf(order())).toMatchObject({ clientRef: 1 })
  expect(await ownerOf(order({ market: 'futures' }))).toMatchObject({ clientRef: 2 })
})

test('an order is its maker’s, not one’s who changed it in place', async () => {
  const change: OrderKey = { ...PLACE, action: 'modify', isInPlace: true, orderId: '7' }
  const changed = {
    id: 'changed',
    clientRef: 2,
    orderId: '7',
    state: 'answered',
    key: change,
  } as const
  const placed = { id: 'placed', orderId: '7', state: 'answered' } as const
  expect(await join({ rows: [changed, placed] }).ownerOf(order())).toMatchObject({ clientRef: 1 })
  expect(await join({ rows: [changed] }).ownerOf(order())).toMatchObject({ clientRef: 2 })
})

test('positions and balances are of nobody in particular', async () => {
  const { ownerOf, count } = join({})
  const data = { asset: 'USDT', available: '1', locked: '0', total: null }
  expect(await ownerOf({ type: 'balance', market: 'spot', timeMs: NOW, data })).toBeUndefined()
  expect(count.reads).toBe(0)
})

test('for the response of a request that may have placed an order an event waits 2 s, and no other event again', async () => {
  const { clientOrderId: _, ...trigger } = { ...PLACE, plan: 'spot' }
  const of = { clientRef: 2, exchange: 'bg', key: trigger } as const
  const { ownerOf, count } = join({ sent: [of, { ...of }, { ...of, clientRef: 3 }] })
  const pushed = order({ clientOrderId: '', plan: 'spot' })
  // Of another kind, and of another client order id.
  await ownerOf(order({ clientOrderId: '' }))
  await ownerOf(fill(null))
  expect(count.waitedMs).toBe(0)
  expect(await ownerOf(pushed)).toBeUndefined()
  await ownerOf(pushed)
  expect(count.waitedMs).toBe(2_000)
})

test('keys that cannot be read make an order nobody’s only where there are none', async () => {
  const failing = (error: Error) =>
    join({ rows: [{ id: 'a' }], accountRefOf: () => Promise.reject(error) })
  const gone = failing(new ExchangeKeysMissingError('Bitget'))
  expect(await gone.ownerOf(order(), [1])).toBeUndefined()
  const unread = failing(new Error('The database is not there'))
  await expect(unread.ownerOf(order(), [1])).rejects.toThrow('The database is not there')
})
