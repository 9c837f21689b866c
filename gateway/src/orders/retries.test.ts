import { beforeEach, expect, test } from 'vitest'
import type { JournalRow } from '../store/journal-store.ts'
import { Events } from '../upstream/events.ts'
import { ClientOrderIds } from './retries.ts'

const FIVE_MINUTES_MS = 5 * 60_000

const request = (id: string, fingerprint = 'same') => ({
  ...({ id, clientRef: 1, clientId: 'bot', exchange: 'mx', endpoint: '/order' } as const),
  fingerprint,
})
const row = (id: string) => ({ ...request(id), state: 'unknown' }) as JournalRow

let passedMs: number
let events: Events
let ids: ClientOrderIds
beforeEach(() => {
  passedMs = 0
  events = new Events({ error: () => {} })
  ids = new ClientOrderIds({
    ...{ journal: { find: async (id) => row(id) }, events },
    time: { monotonic: () => passedMs },
  })
})

const first = async (fingerprint?: string) =>
  (await ids.firstOf(request('next', fingerprint), true))?.id
const settle = (id: string, state: 'answered' | 'resolved' | 'dropped' = 'answered') =>
  events.emit('orderSettled', { order: request(id), state, results: [] })
const resolve = (id: string, outcome: 'done' | 'not-done' = 'done') =>
  events.emit('orderResolved', { order: request(id), outcome, results: [] })

async function expectFiveMinutes(id = 'first') {
  passedMs += FIVE_MINUTES_MS - 1
  expect(await first()).toBe(id)
  passedMs += 1
  expect(await first()).toBeUndefined()
}

test('the same request is a retry until the outcome is known, and a new order after it', async () => {
  ids.sending(request('first'), true)
  passedMs += 100 * FIVE_MINUTES_MS
  expect(await first()).toBe('first')
  expect(await first('another payload')).toBeUndefined()
  expect(await ids.firstOf(request('next'), false)).toBeUndefined()
  settle('first')
  expect(await first()).toBeUndefined()
})

test.each([
  ['whose caller has gone', () => ids.callersGone('first'), () => settle('first')],
  ['that was looked up in the background', () => {}, () => resolve('first')],
])('it is one for five minutes after an order %s', async (_, before, end) => {
  ids.sending(request('first'), true)
  before()
  end()
  await expectFiveMinutes()
})

test('it is none once the order was cancelled through the gateway', async () => {
  ids.sending(request('first'), true)
  resolve('first')
  ids.cancelled({ journalId: null })
  expect(await first()).toBe('first')
  ids.cancelled({ journalId: 'first' })
  expect(await first()).toBeUndefined()
})

test('an order that was not placed has no retries, and a later one keeps its own', async () => {
  ids.sending(request('first'), true)
  settle('first', 'dropped')
  expect(await first()).toBeUndefined()
  ids.sending(request('first'), true)
  ids.sending(request('second'), true)
  resolve('first', 'not-done')
  expect(await first()).toBe('second')
})

test('a start knows the orders whose outcome is unknown', async () => {
  ids.resume(row('first'))
  passedMs += 100 * FIVE_MINUTES_MS
  expect(await first()).toBe('first')
  resolve('first')
  await expectFiveMinutes()
})
