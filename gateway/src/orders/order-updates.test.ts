import { expect, test } from 'vitest'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { OrderResult } from '../exchanges/order-results.ts'
import { ExchangeKeysMissingError } from '../upstream/errors.ts'
import { Events } from '../upstream/events.ts'
import { FillLearner, type FillLearnerDeps } from './learn-fills.ts'
import type { OrderUpdate } from './order-update.ts'
import { OrderUpdates } from './order-updates.ts'
import { MX, mx, placed, record } from './test-own-positions.ts'
import { WorkingOrders } from './working-orders.ts'

const KEYS = 5
const NOW = 1_000_000

/** Order updates, and their effect on requests, working orders and own positions. */
function world() {
  const kept = record()
  const time = { now: () => NOW, sleep: async () => {} }
  const store = { read: async function* () {}, remove: async () => {} }
  const workingOrders = new WorkingOrders(store, time, kept.positions)
  const events = new Events({ error: () => {} })
  const pushed: string[] = []
  const reports: string[] = []
  events.on('journalFailed', ({ id }) => reports.push(id))
  const keys = { areGone: false }
  const journal: string[] = []
  const fills = new FillLearner({
    ownPositions: kept.positions,
    orderFills: { learnt: async () => {} },
    events,
    time: { now: time.now, setTimeout: () => ({ cancel() {}, unref: () => undefined }) },
  } as unknown as FillLearnerDeps)
  const orders = new OrderUpdates({
    ...{ workingOrders, fills, events },
    reconciler: {
      orderPushed: (id, at, { state }, count) =>
        void pushed.push(`${id} ${at} of ${count}: ${state}`),
    },
    orderFills: { pushed: async (id, { state }) => void journal.push(`${id}: ${state}`) },
    keys: {
      async accountRefOf() {
        if (keys.areGone) throw new ExchangeKeysMissingError('MEXC')
        return KEYS
      },
    },
  })
  const request = (id: string, clientRef = 1) => ({ id, clientRef, exchange: 'mx' as const })
  return {
    ...{ pushed, journal, kept, keys, reports },
    send: (id: string, key: OrderKey, clientRef = 1) =>
      workingOrders.sending(request(id, clientRef), key, KEYS),
    async end(id: string, ...results: OrderResult[]) {
      const change = workingOrders.ended({ ...request(id), keysRef: KEYS }, results)
      kept.store.settle(change.ownPositions)
      workingOrders.written(id)
      const order = { ...request(id), clientId: 'grid', endpoint: '/x' }
      events.emit('orderSettled', { order, state: 'answered', results })
      await orders.close()
    },
    receive: (event: OrderUpdate, requestId = 'placed') =>
      orders.receive('mx', event, { clientRef: 1, requestId }),
    listed: () => workingOrders.list(1).map(({ orderId }) => orderId),
    keyOf: (orderId: string) => workingOrders.withIds(1, 'mx', { orderId })[0]?.key,
  }
}

const ORDER = mx('1', '3', { clientOrderId: 'c' })

function event(
  status: OrderUpdate['data']['status'],
  { key = ORDER, orderId = '7', filled = '0', ...more }: Partial<OrderUpdate> & Named = {},
): OrderUpdate {
  return {
    ...{ type: 'order', market: 'futures', timeMs: NOW, key },
    data: {
      ...{ orderId, clientOrderId: key.clientOrderId ?? null, symbol: key.symbol ?? '' },
      ...{ side: 'buy', positionSide: 'long', orderType: 'limit', price: '1', quantity: '3' },
      ...{ quantityUnit: 'contracts', filledQuantity: filled, averagePrice: null },
      ...{ status, reason: null },
    },
    ...more,
  }
}
interface Named {
  readonly orderId?: string
  readonly filled?: string
}

test('an update before the response settles the request, and is applied after its outcome', async () => {
  const t = world()
  t.send('placed', ORDER)
  await t.receive(event('filled', { filled: '3' }))
  expect(t.pushed).toEqual(['placed 0 of 1: filled'])
  expect(t.journal).toEqual(['placed: filled'])
  // Late, out of order.
  await t.receive(event('open'))
  await t.end('placed', placed(ORDER, '7'))
  expect(t.listed()).toEqual([])
  expect(t.kept.open()).toMatchObject({ open: '3', isCertain: true })
  expect(t.kept.positions.toLearn(1, 'mx', KEYS)).toEqual([])
})

test('an order that ends is no longer among the working ones, and its fill is known', async () => {
  const t = world()
  await t.end('placed', placed(ORDER, '7'))
  await t.end('other', placed({ ...ORDER, clientOrderId: 'd' }, '8'))
  await t.receive(event('partiallyFilled', { filled: '1' }))
  expect(t.listed()).toEqual(['7', '8'])
  expect(t.kept.open()).toMatchObject({ open: '1' })
  await t.receive(event('canceled', { filled: '2' }))
  expect(t.listed()).toEqual(['8'])
  expect(t.kept.open()).toMatchObject({ open: '2' })
  // Late and repeated.
  await t.receive(event('canceled', { filled: '2' }))
  await t.receive(event('partiallyFilled', { filled: '1' }))
  expect(t.listed()).toEqual(['8'])
  expect(t.kept.open()).toMatchObject({ open: '2' })
})

test('the end of a cancel is known when its order is cancelled, and not while that is open', async () => {
  const t = world()
  await t.end('placed', placed(ORDER, '7'))
  const cancel: OrderKey = { ...ORDER, action: 'cancel', terms: undefined }
  t.send('by id', { ...cancel, orderId: '7', clientOrderId: undefined })
  t.send('by name', { ...cancel, orders: [{ ...cancel, clientOrderId: 'x' }, cancel] })
  // Another client that may cancel foreign orders; its own names are other names.
  t.send('of another', { ...cancel, orderId: '7', clientOrderId: undefined }, 2)
  t.send('of another by name', cancel, 2)
  await t.receive(event('partiallyFilled', { filled: '1' }))
  expect(t.pushed).toEqual([])
  await t.receive(event('canceled', { filled: '1' }))
  expect(t.pushed).toEqual([
    'by id 0 of 1: cancelled',
    'by name 1 of 2: cancelled',
    'of another 0 of 1: cancelled',
  ])
  expect(t.listed()).toEqual([])
})

test('a change is made when the exchange names it, and its order is kept as it was until then', async () => {
  const t = world()
  await t.end('placed', placed(ORDER, '7'))
  const change: OrderKey = { ...ORDER, action: 'modify', orderId: '7', isInPlace: true }
  t.send('changed', { ...change, changeId: 'sl-1' })
  await t.receive(event('open', { changeId: 'sl-0' }))
  expect(t.pushed).toEqual([])
  await t.receive(event('filled', { changeId: 'sl-1', filled: '3' }))
  expect(t.pushed).toEqual(['changed 0 of 1: filled'])
  expect(t.listed()).toEqual(['7'])
  await t.end('changed', { order: change, became: 'working', orderId: '7' })
  expect(t.listed()).toEqual([])
  expect(t.kept.open()).toMatchObject({ open: '3', isCertain: true })
})

test('an order that takes the place of another one has what its call left as it was', async () => {
  const t = world()
  await t.end('placed', placed(ORDER, '7'))
  // It names neither symbol nor side.
  const call = { ...ORDER, symbol: undefined, orderId: '7', clientOrderId: 'new' }
  const change: OrderKey = {
    ...call,
    action: 'modify',
    oldClientOrderId: 'c',
    terms: { size: '2' },
  }
  t.send('changed', change)
  await t.receive(event('canceled'))
  await t.end('changed', {
    ...{ order: change, became: 'working', orderId: '8' },
    replaces: { ...change, clientOrderId: 'c' },
  })
  expect(t.listed()).toEqual(['8'])
  expect(t.keyOf('8')).toMatchObject({ symbol: 'BTC_USDT', terms: { side: '1', size: '2' } })
})

test('that no place has an order ends it, and proves nothing of requests and fills', async () => {
  const t = world()
  await t.end('placed', placed(ORDER, '7'))
  t.send('cancelled', { ...ORDER, action: 'cancel', orderId: '7' })
  await t.receive(event('canceled', { isGone: true }))
  expect([...t.pushed, ...t.journal]).toEqual([])
  expect(t.listed()).toEqual([])
  expect(t.kept.positions.toLearn(1, 'mx', KEYS)).toHaveLength(1)
})

test('an order without an id of the exchange is known by its name only where that is clear', async () => {
  const t = world()
  const unnamed = { order: ORDER, became: 'working', orderId: undefined } as const
  await t.end('placed', unnamed)
  await t.receive(event('canceled', { key: { ...ORDER, terms: { ...ORDER.terms, side: '3' } } }))
  expect(t.listed()).toEqual([null])
  await t.end('again', unnamed)
  await t.receive(event('canceled'))
  expect(t.listed()).toEqual([null, null])
  await t.end('third', placed({ ...ORDER, clientOrderId: 'd' }, '9'))
  await t.receive(event('canceled', { key: { ...ORDER, clientOrderId: 'd' }, orderId: '10' }))
  expect(t.listed()).toEqual([null, null, '9'])
})

test('an update of an order does not settle a later request that reuses its client order id', async () => {
  const t = world()
  await t.end('placed', placed(ORDER, '7'))
  t.send('again', ORDER)
  await t.receive(event('filled', { filled: '3' }))
  expect(t.pushed).toEqual([])
  expect(t.listed()).toEqual([])
  await t.receive(event('open', { orderId: '8' }), 'again')
  expect(t.pushed).toEqual(['again 0 of 1: open'])
})

test('an open order that was cancelled is not taken for open again by a late push', async () => {
  const t = world()
  await t.end('placed', placed(ORDER, '7'))
  await t.receive(event('open'))
  expect(t.kept.positions.hasOpen(1, 'mx', KEYS, MX)).toBe(false)
  const cancel: OrderKey = { ...ORDER, action: 'cancel', orderId: '7' }
  await t.end('cancelled', { order: cancel, became: 'ended', orderId: '7' })
  await t.receive(event('open'))
  expect(t.kept.positions.hasOpen(1, 'mx', KEYS, MX)).toBe('perhaps')
})

test('updates of a client whose keys were deleted are ignored', async () => {
  const t = world()
  await t.end('placed', placed(ORDER, '7'))
  t.keys.areGone = true
  await t.receive(event('canceled'))
  expect(t.listed()).toEqual(['7'])
  expect([...t.pushed, ...t.journal, ...t.reports]).toEqual([])
})
