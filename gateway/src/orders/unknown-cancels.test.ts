import { cancelOwnOrders } from 'schema'
import { expect, test } from 'vitest'
import type { OrderKey } from '../exchanges/order-lookup/order-key.ts'
import { STOP_ENDPOINT } from './send-cancel.ts'
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
  return { cancels, add }
}

test('a try takes the place of those whose orders it all names, also of an own cancel', () => {
  const { cancels, add } = added()
  expect(add('1', keyOf('a', 'b'))).toMatchObject({ kind: 'cancel', orders: 2, repeats: [] })
  expect(add('2', keyOf('a'))).toMatchObject({ repeats: [] })
  expect(add('other client', keyOf('a'), stop, 2)).toMatchObject({ repeats: [] })
  expect(add('3', keyOf('a', 'b', 'c'))).toMatchObject({ orders: 3, repeats: ['1', '2'] })
  expect(cancels.triesOf('3')).toBe(2)
  expect(add('4', keyOf('c', 'b', 'a'), own)).toMatchObject({ repeats: ['3'] })
  expect([cancels.triesOf('4'), cancels.triesOf('3'), cancels.size]).toEqual([3, undefined, 2])
  cancels.forget('4')
  expect(add('5', keyOf('a', 'b', 'c'))).toMatchObject({ repeats: [] })
})

test('what a bot sent is no try of the gateway, and neither is what names no order', () => {
  const { cancels, add } = added()
  const calls = [
    add('1', keyOf('a'), { method: 'POST', endpoint: '/api/bg/v1/spot/trade/cancel-order' }),
    add('2', keyOf('a'), { method: 'GET', endpoint: cancelOwnOrders.path }),
    add('3', undefined),
  ]
  for (const each of calls) expect(each).toMatchObject({ kind: 'order', orders: 1, repeats: [] })
  expect(cancels.size).toBe(0)
})
