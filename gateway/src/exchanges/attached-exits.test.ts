import { expect, test } from 'vitest'
import { callOf, readOrderKey } from '../../test/support/exchange-orders.ts'
import { partOf } from './position-part.ts'

const MIX = 'POST /api/v2/mix/order/place-order'

const mx = { symbol: 'BTC_USDT', side: 1, type: 1, vol: 3, price: 9, openType: 2 }
const order = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price: '9' }
const spot = { ...order, size: '3', force: 'gtc' }
const mix = { ...spot, productType: 'USDT-FUTURES', marginCoin: 'USDT', marginMode: 'crossed' }
const v3 = { ...order, category: 'USDT-FUTURES', qty: '3' }

test.each([
  ['POST /api/v1/private/order/create', { ...mx, stopLossPrice: 0 }, { stopLossPrice: 8 }],
  [MIX, mix, { presetStopLossPrice: '8' }],
  ['POST /api/v2/spot/trade/place-order', spot, { presetTakeProfitPrice: '8' }],
  ['POST /api/v3/trade/place-order', v3, { stopLoss: '8' }],
] as const)('%s: the key says that a take profit or stop loss hangs on it', (line, entry, exit) => {
  const part = (body: object) => {
    const key = readOrderKey(callOf(line, body))
    return key && partOf(JSON.parse(JSON.stringify(key)))
  }
  expect(part({ ...entry, ...exit })).toMatchObject({ does: 'open', hasAttachedExit: true })
  expect(part(entry)?.does).toBe('open')
  expect(part(entry)?.hasAttachedExit).toBeUndefined()
})

test('nothing hangs on what closes', () => {
  const closes = { ...mix, side: 'sell', reduceOnly: 'YES', presetStopLossPrice: '8' }
  const key = readOrderKey(callOf(MIX, closes))
  expect(key?.hasAttachedExit).toBeUndefined()
  expect(key && partOf(key)).toMatchObject({ does: 'close' })
})
