import { expect, test } from 'vitest'
import type { OrderKey, OrderTerms } from '../exchanges/order-lookup/order-key.ts'
import { askedFor, fillIn } from './asked-for.ts'

const keyOf = (terms: OrderTerms, changes: Partial<OrderKey> = {}): OrderKey => ({
  ...{ exchange: 'mx', family: 'mexc-spot', market: 'spot', action: 'place', symbol: 'BTCUSDT' },
  terms,
  ...changes,
})
const limit = { side: 'buy', kind: 'limit', price: '100', size: '0.5' }
const nothing = { symbol: null, side: null, quantity: null, price: null, amount: null }

test('what an order asks for is what its call says', () => {
  const bought = { symbol: 'BTCUSDT', side: 'buy', kind: 'limit', quantity: '0.5', price: '100' }
  expect(askedFor({ jobClass: 'order' }, keyOf(limit))).toEqual({ ...bought, amount: null })
  const spending = keyOf({ side: 'buy', kind: 'market', spends: '25' })
  expect(askedFor({ jobClass: 'order' }, spending)).toMatchObject({
    ...{ kind: 'market', quantity: null, amount: '25' },
  })
  const trigger = keyOf(limit, { plan: 'planorder' })
  expect(askedFor({ jobClass: 'order' }, trigger)).toMatchObject({ kind: 'trigger' })
})

test.each([
  ['1', 'buy'],
  ['2', 'buy'],
  ['3', 'sell'],
  ['4', 'sell'],
])('the side %s of MEXC futures is a %s', (side, shown) => {
  expect(askedFor({ jobClass: 'order' }, keyOf({ side }))).toMatchObject({ side: shown })
})

test('what differs between the orders of one call, is too long, or is not said is left out', () => {
  const sold = keyOf({ ...limit, side: 'sell' })
  const both = { ...keyOf({}), orders: [keyOf(limit), sold] }
  expect(askedFor({ jobClass: 'order' }, both)).toEqual({
    ...{ ...nothing, symbol: 'BTCUSDT', kind: 'limit' },
  })
  const long = keyOf(limit, { symbol: 'x'.repeat(65) })
  expect(askedFor({ jobClass: 'order' }, long)).toMatchObject({ symbol: null, side: 'buy' })
  expect(askedFor({ jobClass: 'cancel' }, undefined)).toEqual({ ...nothing, kind: 'cancel' })
  expect(askedFor({ jobClass: 'order' }, undefined)).toEqual({ ...nothing, kind: null })
})

test('a fill is that of the one order that was placed', () => {
  const filled = { size: '0.2', isFinal: true, averagePrice: '99' }
  const placed = { order: keyOf(limit), became: 'ended', orderId: '1', filled } as const
  const gone = { order: keyOf({}, { action: 'cancel' }), became: 'ended', orderId: '2' } as const
  expect(fillIn([gone, placed])).toEqual({ filled: '0.2', averagePrice: '99' })
  expect(fillIn([placed, placed])).toEqual({ filled: null, averagePrice: null })
})
