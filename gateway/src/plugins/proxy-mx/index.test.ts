import { expect, test } from 'vitest'
import { callsFor, marketOf } from './index.ts'

test('the underscore distinguishes futures from spot', () => {
  expect([marketOf('BTC_USDT'), marketOf('BTCUSDT')]).toEqual(['futures', 'spot'])
})

test('the call goes to the market that the symbol names', () => {
  const family = (symbol: string) => callsFor({ symbol }).orderHistoryCall({ symbol }).family
  expect([family('BTC_USDT'), family('BTCUSDT')]).toEqual(['mexc-futures', 'mexc-spot'])
})
