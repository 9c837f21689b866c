import { expect, test } from 'vitest'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { mx, placed, record } from './test-own-positions.ts'
import { WorkingOrders } from './working-orders.ts'

// The record of own positions where a write failed, or another owner wrote too.

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
  expect(first.positions?.placed).toMatchObject([{ keysRef: 5, filled: '5' }])
  const again = orders.ended(request, results)
  expect(again.positions).toEqual(first.positions)
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
  expect(cancelled.positions?.changed).toMatchObject([{ filled: '1', isFinal: true }])
  expect(orders.ended(ofRow, found).positions).toEqual(cancelled.positions)
})
