import { expect, test } from 'vitest'
import {
  bgMix,
  bgSpot,
  callOf,
  mxFutures,
  storedKeys,
  unified,
  wordsOf,
} from '../../test/support/exchange-orders.ts'
import type { OrderKey } from './order-lookup/order-key.ts'
import { keyInMode, partOf, placeNameOf, positionPlaceOf } from './position-part.ts'

// What an order does to a position by its key, and by the mode of the account.

const MX = 'POST /api/v1/private'
const MIX = 'POST /api/v2/mix/order'

const product = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const mix = { ...product, marginMode: 'crossed', size: '3', orderType: 'limit', price: '9' }

test.each([
  [{ side: 'sell', tradeSide: 'close', reduceOnly: 'YES' }, 'long', 'short'],
  [{ side: 'sell', tradeSide: 'close' }, 'long', 'short'],
  [{ side: 'buy', reduceOnly: 'YES' }, 'short', 'short'],
])(
  'by the mode %j closes %s in one-way mode, and %s in hedge mode',
  (fields, inOneWay, inHedge) => {
    for (const [mode, side] of [
      ['oneWay', inOneWay],
      ['hedge', inHedge],
    ] as const) {
      const [key] = storedKeys(callOf(`${MIX}/place-order`, { ...mix, ...fields }))
      if (key === undefined) throw new Error('it has no key')
      const part = { does: 'close', side }
      expect(partOf(key, mode)).toMatchObject(part)
      // Of the key as it was admitted the mode is not asked any more.
      const { orders } = JSON.parse(JSON.stringify(keyInMode({ ...key, orders: [key] }, mode)))
      for (const later of [undefined, 'oneWay', 'hedge'] as const)
        expect(wordsOf(partOf(orders[0], later))).toBe(`close ${side} 3 now`)
    }
  },
)

test('the two ends of a position are a take profit and a stop loss', () => {
  const call = callOf(`${MIX}/place-pos-tpsl`, {
    ...{ ...product, holdSide: 'buy', stopSurplusTriggerPrice: '9', stopSurplusSize: '2' },
    stopLossTriggerPrice: '7',
  })
  expect(storedKeys(call).map((key) => wordsOf(partOf(key)))).toEqual([
    'close long 2 profit',
    'close long all stop',
  ])
})

test('the mode of the account decides what an order closes, where it is known', () => {
  const both = storedKeys(
    callOf(`${MIX}/place-order`, { ...mix, side: 'buy', tradeSide: 'close', reduceOnly: 'YES' }),
  )
  const byHedge = storedKeys(
    callOf(`${MIX}/place-order`, { ...mix, side: 'buy', tradeSide: 'close' }),
  )
  const opening = storedKeys(
    callOf(`${MX}/order/create`, { symbol: 'BTC_USDT', side: 1, type: 1, vol: 3, price: 9 }),
  )
  const words = (keys: readonly OrderKey[], mode: 'oneWay' | 'hedge') =>
    keys.map((key) => wordsOf(partOf(key, mode)))
  expect(words(both, 'oneWay')).toEqual(['close short 3 now'])
  expect(words(both, 'hedge')).toEqual(['close long 3 now'])
  // One-way mode ignores `tradeSide`: what it opens there is not counted.
  expect(words(byHedge, 'oneWay')).toEqual(['close short 3 now'])
  expect(words(opening, 'oneWay')).toEqual(['open long 3 netting'])
  expect(words(opening, 'hedge')).toEqual(['open long 3'])
})

test('a take profit of MEXC has the place of its position once that is known', () => {
  const [key] = storedKeys(
    callOf(`${MX}/stoporder/place`, { positionId: 5, vol: 3, volType: 1, takeProfitPrice: 9 }),
  )
  expect(key?.closes?.positionId).toBe('5')
  if (key?.closes === undefined) return
  const closes = { ...key.closes, inOneWay: 'long', inHedge: 'long' } as const
  expect(wordsOf(partOf({ ...key, symbol: 'BTC_USDT', closes }))).toBe('close long 3 profit')
})

test.each<[OrderKey, string]>([
  [{ ...mxFutures, terms: { side: '1', size: '3' } }, 'open long 3'],
  [{ ...mxFutures, terms: { side: '1', asked: '3' } }, 'close short 3 now'],
  [{ ...mxFutures, terms: { side: '4', size: '3' }, plan: 'planorder' }, 'close long 3 stop'],
  [{ ...bgSpot, terms: { side: 'sell', size: '3' } }, 'close long 3 now'],
  [{ ...bgSpot, terms: { side: 'buy', spends: '9' } }, 'open long all'],
  [{ ...bgMix, terms: { side: 'buy', position: 'open', size: '3' } }, 'open long 3'],
  [{ ...bgMix, terms: { side: 'buy', position: 'close', asked: '3' } }, 'close long 3 now'],
  [{ ...bgMix, terms: { side: 'buy', asked: '3' } }, 'close short 3 now'],
  [{ ...unified, terms: { side: 'sell', position: 'long', asked: '3' } }, 'close long 3 now'],
  [{ ...unified, terms: { side: 'sell', position: 'short', size: '3' } }, 'open short 3'],
  [{ ...bgMix, terms: { size: '3' }, plan: 'profit_loss', planType: 'pos_loss' }, 'none'],
  [{ ...bgSpot, terms: { price: '9', size: '3' } }, 'none'],
  [{ ...bgSpot, action: 'cancel', terms: { side: 'sell' } }, 'none'],
  [{ ...bgSpot, symbol: undefined, terms: { side: 'sell' } }, 'none'],
])('a key of an earlier version: %j is %s', (key, part) => {
  expect(wordsOf(partOf(key))).toBe(part)
})

test.each<[Parameters<typeof positionPlaceOf>[0], string | undefined]>([
  [{ ...bgSpot, symbol: 'btcusdt' }, 'spot BTCUSDT'],
  [{ ...bgSpot, productType: 'SPOT', isUnified: true }, 'spot BTCUSDT'],
  [mxFutures, 'futures BTC_USDT'],
  [{ ...bgMix, productType: 'usdt-futures' }, 'futures USDT-FUTURES BTCUSDT'],
  [{ ...unified, demo: true }, 'futures USDT-FUTURES BTCUSDT demo'],
  [{ ...bgMix, demo: false }, 'futures USDT-FUTURES BTCUSDT'],
  [{ ...bgMix, symbol: undefined }, undefined],
])('the place of %j is named %s', (placed, name) => {
  const place = positionPlaceOf(placed)
  expect(place === undefined ? undefined : placeNameOf(place)).toBe(name)
})
