import { cancelOwnOrders } from 'schema'
import { expect, test } from 'vitest'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { STOP_ENDPOINT } from './order-request.ts'
import { UnknownCancels } from './unknown-cancels.ts'

const cancel = { exchange: 'bg', family: 'bitget', market: 'spot', action: 'cancel' } as const
const keyOf = (...ids: string[]): OrderKey => ({
  ...cancel,
  orders: ids.map((orderId) => ({ ...cancel, orderId })),
})
const stop = { method: 'POST', endpoint: STOP_ENDPOINT }
const own = { method: cancelOwnOrders.method, endpoint: cancelOwnOrders.path }

function added() {
  const cancels = new UnknownCancels()
  const add = (id: string, key: OrderKey | undefined, call = stop, clientRef = 1) =>
    cancels.add({ id, clientRef, clientId: 'bot', exchange: 'bg', ...call }, key)
  const triesOf = (id: string, call = stop) =>
    cancels.triesOf({ id, state: 'unknown' as const, ...call })
  return { cancels, add, triesOf }
}

test('a try takes the place of those whose orders it all names, also of an own cancel', () => {
  const { cancels, add, triesOf } = added()
  expect(add('1', keyOf('a', 'b'))).toMatchObject({ kind: 'cancel', orders: 2, repeats: [] })
  expect(add('2', keyOf('a'))).toMatchObject({ repeats: [] })
  expect(add('other client', keyOf('a'), stop, 2)).toMatchObject({ repeats: [] })
  expect(add('3', keyOf('a', 'b', 'c'))).toMatchObject({ orders: 3, repeats: ['1', '2'] })
  expect([triesOf('3'), triesOf('1'), cancels.size]).toEqual([2, 1, 2])
  expect(['1', '2', '3'].map((id) => cancels.isRepeated(id))).toEqual([true, true, false])
  // The journal has their end.
  for (const id of ['1', '2']) cancels.forget(id)
  expect(add('4', keyOf('c', 'b', 'a'), own)).toMatchObject({ repeats: ['3'] })
  expect([triesOf('4', own), cancels.size]).toEqual([3, 2])
  for (const id of ['3', '4']) cancels.forget(id)
  expect(add('5', keyOf('a', 'b', 'c'))).toMatchObject({ repeats: [] })
})

test('a try that is looked up for its caller is one already, and takes the place of none', () => {
  const { cancels, add, triesOf } = added()
  const request = { id: '2', clientRef: 1, clientId: 'bot', exchange: 'bg', ...stop } as const
  add('1', keyOf('a'))
  cancels.begin(request, keyOf('a'))
  expect([triesOf('2'), triesOf('1'), cancels.size]).toEqual([2, 1, 1])
  // Another one, whose outcome is known to be unknown first.
  expect(add('3', keyOf('a'), own)).toMatchObject({ repeats: ['1'] })
  cancels.forget('1')
  cancels.forget('3')
  expect(cancels.size).toBe(1)
  cancels.forget('2')
  expect(cancels.size).toBe(0)
})

test('what a bot sent is no try of the gateway; what names no order is one of its own', () => {
  const { cancels, add, triesOf } = added()
  const cancelOrder = { method: 'POST', endpoint: '/api/bg/v1/spot/trade/cancel-order' }
  const calls = [
    add('1', keyOf('a'), cancelOrder),
    add('2', keyOf('a'), { method: 'GET', endpoint: cancelOwnOrders.path }),
  ]
  for (const each of calls) expect(each).toMatchObject({ kind: 'order', orders: 1, repeats: [] })
  expect([cancels.size, triesOf('1', cancelOrder)]).toEqual([0, null])
  for (const id of ['3', '4'])
    expect(add(id, undefined)).toMatchObject({ kind: 'cancel', orders: 1, repeats: [] })
  expect(cancels.size).toBe(2)
})
