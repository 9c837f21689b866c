import { expect, test } from 'vitest'
import type { UpstreamCall } from '../exchanges/exchange.ts'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { closingKeyOf, perhapsClosedBy } from '../exchanges/order-results.ts'
import { MX, memoryStore, mx, placed, record } from './test-own-positions.ts'
import { WorkingOrders } from './working-orders.ts'

// The record of own positions where a write failed, or another owner wrote too.

const NO_CALL: UpstreamCall = {
  ...{ family: 'mexc-futures', method: 'POST', path: '/api/v1/private/stoporder/place' },
  ...{ query: '', body: null, signed: true },
}

function workingOrders(positions: ReturnType<typeof record>['positions']) {
  const store = { async *read() {}, remove: () => Promise.resolve() }
  return new WorkingOrders(store, { now: () => 1, sleep: () => Promise.resolve() }, positions)
}

test('an end that has to be written twice has the same rows', () => {
  const { positions, end } = record()
  const orders = workingOrders(positions)
  const request = { id: 'r', clientRef: 1, exchange: 'mx' } as const
  orders.sending(request, mx('1', '5'), 5)
  const results = [placed(mx('1', '5', { clientOrderId: 'c' }), 'a', '5')]
  const first = orders.ended(request, results)
  expect(first.ownPositions?.placed).toMatchObject([{ keysRef: 5, filled: '5' }])
  const again = orders.ended(request, results)
  expect(again.ownPositions).toEqual(first.ownPositions)
  expect(again.placed).toMatchObject([{ keysRef: 5, orderId: 'a' }])
  expect(orders.list(1)).toHaveLength(1)
  // A cancel has made no row that names the keys: those are in the journal.
  end(placed(mx('4', '3'), 'b'))
  const cancel: OrderKey = { ...mx('4', '3'), action: 'cancel', terms: undefined, orderId: 'b' }
  const filled = { size: '1', isFinal: true }
  const found = [{ order: cancel, became: 'ended', orderId: 'b', filled }] as const
  const ofRow = { ...request, id: 'c', keysRef: 5 }
  orders.sending(ofRow, cancel, 5)
  const cancelled = orders.ended(ofRow, found)
  expect(cancelled.ownPositions?.changed).toMatchObject([{ filled: '1', isFinal: true }])
  expect(orders.ended(ofRow, found).ownPositions).toEqual(cancelled.ownPositions)
})

test('a fill that two owners learn counts once', async () => {
  const store = memoryStore()
  const before = record(store)
  before.end(placed(mx('1', '10'), 'a'))
  const next = record(store)
  await next.positions.load(2)
  before.learnt('a', { isOpen: true, filled: '5' })
  await before.merge()
  await next.positions.endedElsewhere()
  expect(next.open().open).toBe('5')
  next.learnt('a', { filled: '10' })
  await next.merge()
  expect(next.open().open).toBe('10')
  expect([...store.rows.values()]).toMatchObject([{ journalId: null, filled: '10' }])
})

test('who is not the owner any more writes nothing of what it learns', async () => {
  const store = memoryStore()
  const before = record(store)
  await before.positions.load(1)
  before.end(placed(mx('1', '10'), 'a'))
  store.state.fence = 2
  const next = record(store)
  await next.positions.load(2)
  before.learnt('a', { isOpen: true, filled: '5' })
  await before.merge()
  expect([...store.rows.values()]).toMatchObject([{ filled: '0', counted: '0' }])
  next.learnt('a', { filled: '10' })
  await next.merge()
  expect([...store.rows.values()]).toMatchObject([{ journalId: null, filled: '10' }])
})

test('of an end that two owners have, the one that is written counts', async () => {
  const store = memoryStore()
  const before = record(store)
  const next = record(store)
  await next.positions.load(2)
  const found = next.change('r', placed(mx('1', '3'), 'a', '3'))
  store.settle(before.change('r', placed(mx('1', '3'), 'a', '3')))
  await next.positions.endedElsewhere()
  expect(found?.placed).toHaveLength(1)
  expect(next.open().open).toBe('3')
})

test('a write whose answer was lost counts once, and does not keep the next ones', async () => {
  const { end, open, merge, store } = record()
  end(placed(mx('1', '3'), 'a', '3'))
  store.state.isAnswerLost = true
  await expect(merge()).rejects.toThrow('The answer was lost')
  store.state.isAnswerLost = false
  end(placed(mx('1', '2'), 'b', '2'))
  await merge()
  expect(open().open).toBe('5')
  expect([...store.rows.values()]).toMatchObject([{ journalId: null, filled: '5' }])
})

test('an exit that nobody can look up counts as carried out, also after a restart', async () => {
  const { end, open, positions, store, merge } = record()
  end(placed(mx('1', '9'), 'a', '9'), placed(mx('1', '1'), 'b'))
  const request = { id: 'lost', clientRef: 1, exchange: 'mx' } as const
  const perhaps = (order: OrderKey) =>
    perhapsClosedBy(closingKeyOf({ call: NO_CALL, order: { ...order, plan: 'stoporder' } }))
  expect(perhaps(mx('1', '4'))).toEqual([])
  store.state.isAnswerLost = true
  const failed = positions.neverKnown(request, perhaps(mx('4', '4')), 5)
  expect(open()).toMatchObject({ open: '5' })
  await expect(failed).rejects.toThrow('The answer was lost')
  await expect(merge()).rejects.toThrow('The answer was lost')
  store.state.isAnswerLost = false
  await merge()
  const next = record(store)
  await next.positions.load()
  expect(next.open()).toMatchObject({ open: '5' })
})

test('closing all, without a response, leaves nothing open', async () => {
  const { end, open, positions, store } = record()
  end(placed(mx('1', '9'), 'a', '9'), placed(mx('3', '2'), 'b', '2'))
  const call = { ...NO_CALL, path: '/api/v1/private/position/close_all', body: '{}' }
  // As a start reads it from the journal.
  const key = JSON.parse(JSON.stringify(closingKeyOf({ call, order: undefined })))
  const results = perhapsClosedBy(key)
  const written = positions.neverKnown({ id: 'lost', clientRef: 1, exchange: 'mx' }, results, 5)
  expect([open().open, open(MX, 'short').open]).toEqual(['0', '0'])
  await written
  await positions.store(1, 'mx', new Set(), 0)
  expect(store.rows.size).toBe(0)
})
