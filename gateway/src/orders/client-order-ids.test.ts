import { beforeEach, expect, test } from 'vitest'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import type { JournalRow } from '../store/journal-store.ts'
import { Events } from '../upstream/events.ts'
import { ClientOrderIds } from './client-order-ids.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const key: OrderKey = {
  ...{ exchange: 'mx', family: 'mexc-spot', market: 'spot', action: 'place' },
  ...{ symbol: 'BTCUSDT', clientOrderId: 'X', terms: { kind: 'limit' } },
}
const request = (id: string) => ({
  ...({ id, clientRef: 1, clientId: 'bot', exchange: 'mx', endpoint: '/order' } as const),
})
const row = (id: string, more: Partial<JournalRow> = {}) =>
  ({ ...request(id), state: 'answered', orderKey: JSON.stringify(key), ...more }) as JournalRow

let passedMs: number
let listed: readonly string[]
let placed: readonly JournalRow[]
let events: Events
let asked: number
let isOut: boolean
let ids: ClientOrderIds
beforeEach(() => {
  passedMs = 0
  listed = []
  placed = []
  asked = 0
  isOut = false
  events = new Events({ error: () => {} })
  ids = new ClientOrderIds({
    journal: { find: async (id) => row(id), listPlaced: async () => [...placed] },
    workingOrders: { list: working, withIds: working },
    sync: {
      async removeEndedOf() {
        asked += 1
        if (isOut) throw new Error('The exchange does not respond')
        listed = []
        return []
      },
    },
    events,
    time: { now: () => 0, monotonic: () => passedMs },
  })
})

const working = () => listed.map((journalId) => ({ journalId, key, clientOrderId: 'X' }) as never)
const holder = async () => (await ids.firstOf(request('next'), [key]))?.id
const settle = (id: string, state: 'answered' | 'dropped' = 'answered') =>
  events.emit('orderSettled', { order: request(id), state, results: [] })
const rests = (id: string) => {
  const results = [{ order: key, became: 'working', orderId: '7' } as const]
  events.emit('orderSettled', { order: request(id), state: 'answered', results })
  listed = [id]
}
const resolve = (id: string) =>
  events.emit('orderResolved', { order: request(id), outcome: 'done', results: [] })

async function expectHeldFor(ms: number, id = 'first') {
  passedMs += ms - 1
  expect(await holder()).toBe(id)
  passedMs += 1
  expect(await holder()).toBeUndefined()
}

test('an id belongs to its order until it ends, and for a minute after it', async () => {
  ids.sending(request('first'), [key])
  passedMs += 10 * HOUR_MS
  expect(await holder()).toBe('first')
  settle('first')
  await expectHeldFor(MINUTE_MS)
})

test('it does for an hour where the caller got no response', async () => {
  ids.sending(request('first'), [key])
  ids.callersGone('first')
  settle('first')
  await expectHeldFor(HOUR_MS)
})

test('it does for an hour where the outcome was unknown', async () => {
  ids.sending(request('first'), [key])
  resolve('first')
  await expectHeldFor(HOUR_MS)
})

test('an order that was dropped leaves its id, and a later order with the id keeps it', async () => {
  ids.sending(request('first'), [key])
  settle('first', 'dropped')
  expect(await holder()).toBeUndefined()
  ids.sending(request('first'), [key])
  ids.sending(request('second'), [key])
  settle('first', 'dropped')
  expect(await holder()).toBe('second')
})

test('an order that may be open holds its id until the exchange says that it has ended', async () => {
  ids.sending(request('first'), [key])
  rests('first')
  passedMs += 10 * HOUR_MS
  expect(await holder()).toBe('first')
  isOut = true
  await ids.removeEnded(request('next'), [key])
  expect(await holder()).toBe('first')
  isOut = false
  await ids.removeEnded(request('next'), [{ ...key, symbol: 'ETHUSDT' }])
  await ids.removeEnded(request('next'), [{ ...key, clientOrderId: undefined }])
  expect(asked).toBe(1)
  await ids.removeEnded(request('next'), [key])
  expect(asked).toBe(2)
  expect(await holder()).toBeUndefined()
})

test('the exchange is not asked where the bot may not know that its order was placed', async () => {
  ids.sending(request('first'), [key])
  ids.callersGone('first')
  rests('first')
  await ids.removeEnded(request('next'), [key])
  expect(asked).toBe(0)
  listed = []
  await expectHeldFor(HOUR_MS)
})

test('a start knows what the process before it placed', async () => {
  placed = [row('first', { state: 'resolved' })]
  listed = ['first']
  await ids.load()
  listed = []
  await expectHeldFor(HOUR_MS)
  ids.resume(row('first', { state: 'sent' }))
  passedMs += 10 * HOUR_MS
  expect(await holder()).toBe('first')
})

test('a start leaves the id of an order that ended before it, unless it never rests', async () => {
  placed = [row('first')]
  await ids.load()
  expect(await holder()).toBeUndefined()
  placed = [row('first', { orderKey: JSON.stringify({ ...key, terms: { kind: 'market' } }) })]
  await ids.load()
  await expectHeldFor(MINUTE_MS)
})
