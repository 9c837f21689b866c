import { expect, test } from 'vitest'
import { effectsOf } from './call-effects.ts'
import { partOf } from './position-part.ts'
import { callOf, storedKeys, wordsOf } from './test-effects.ts'

// What orders of each kind of call can only close, and what they do to a position.

const MX = 'POST /api/v1/private'
const SPOT = 'POST /api/v2/spot/trade'
const MIX = 'POST /api/v2/mix/order'
const V3 = 'POST /api/v3/trade'

const mx = { symbol: 'BTC_USDT', side: 1, type: 1, vol: 3, price: 9, openType: 2 }
const mxPlan = { ...mx, orderType: 1, triggerPrice: 8, executeCycle: 1, trend: 1 }
const mxTrack = {
  ...{ symbol: 'BTC_USDT', side: 4, vol: 3, openType: 2, trend: 1 },
  ...{ backType: 1, backValue: 1 },
}
const product = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const mix = { ...product, marginMode: 'crossed', size: '3', orderType: 'limit', price: '9' }
const mixPlan = { ...mix, planType: 'normal_plan', triggerPrice: '8', triggerType: 'mark_price' }
const ending = { ...product, triggerPrice: '8', size: '3' }
const spot = { symbol: 'BTCUSDT', size: '3', orderType: 'limit', price: '9', force: 'gtc' }
const v3 = {
  ...{ category: 'USDT-FUTURES', symbol: 'BTCUSDT', qty: '3' },
  ...{ orderType: 'limit', price: '9' },
}
const v3Ending = {
  ...{ category: 'USDT-FUTURES', symbol: 'BTCUSDT', type: 'tpsl' },
  ...{ tpslMode: 'partial', qty: '3' },
}

/**
 * The side in one-way mode and in hedge mode, the kind, and whether it is the whole position; `-`:
 * it may open.
 */
type Closes = `${Side}/${Side} ${'now' | 'stop' | 'profit'}${'' | ' whole'}`
type Side = 'long' | 'short' | '-'
type Case = readonly [line: string, fields: object, closes: Closes | 'may open', part: string]

const cases: Case[] = [
  // MEXC spot
  [
    'POST /api/v3/order',
    { symbol: 'BTCUSDT', side: 'SELL', type: 'LIMIT', quantity: '3', price: '9' },
    'long/long now',
    'close long 3 now',
  ],
  [
    'POST /api/v3/order',
    { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quoteOrderQty: '9' },
    'may open',
    'open long all',
  ],

  // MEXC futures
  [`${MX}/order/create`, mx, 'may open', 'open long 3'],
  [`${MX}/order/create`, { ...mx, positionMode: 2 }, 'may open', 'open long 3 netting'],
  [`${MX}/order/create`, { ...mx, side: 2 }, 'short/short now', 'close short 3 now'],
  [`${MX}/order/create`, { ...mx, side: 3 }, 'may open', 'open short 3'],
  [`${MX}/order/submit`, { ...mx, side: '4' }, 'long/long now', 'close long 3 now'],
  [`${MX}/order/create`, { ...mx, reduceOnly: true }, 'short/- now', 'close short 3 now'],
  [
    `${MX}/order/create`,
    { ...mx, side: 3, reduceOnly: true, positionMode: 2 },
    'long/- now',
    'close long 3 now',
  ],
  // In doubt it opens nothing.
  [`${MX}/order/create`, { ...mx, reduceOnly: 'true' }, 'may open', 'close short 3 now'],
  [
    `${MX}/order/create`,
    { ...mx, reduceOnly: true, positionMode: 1 },
    'may open',
    'close short 3 now',
  ],
  [`${MX}/order/create`, { ...mx, reduceOnly: false }, 'may open', 'open long 3'],
  [
    `${MX}/planorder/place`,
    { ...mxPlan, side: 4, triggerType: 1 },
    'long/long profit',
    'close long 3 profit',
  ],
  [
    `${MX}/planorder/place/v2`,
    { ...mxPlan, side: 4, triggerType: 2 },
    'long/long stop',
    'close long 3 stop',
  ],
  [
    `${MX}/planorder/place`,
    { ...mxPlan, side: 2, triggerType: 2 },
    'short/short profit',
    'close short 3 profit',
  ],
  [`${MX}/planorder/place`, { ...mxPlan, side: 2 }, 'short/short stop', 'close short 3 stop'],
  [`${MX}/planorder/place`, { ...mxPlan, triggerType: 1 }, 'may open', 'open long 3'],
  [`${MX}/trackorder/place`, mxTrack, 'long/long stop', 'close long 3 stop'],
  [
    `${MX}/stoporder/place`,
    { positionId: 5, vol: 3, volType: 1, stopLossPrice: 8 },
    '-/- stop',
    'none',
  ],
  [
    `${MX}/stoporder/place`,
    { positionId: 5, vol: 3, volType: 2, takeProfitPrice: 8 },
    '-/- profit whole',
    'none',
  ],
  [`${MX}/position/close_all`, { symbol: 'BTC_USDT' }, '-/- now whole', 'none'],

  // Bitget spot
  [`${SPOT}/place-order`, { ...spot, side: 'buy' }, 'may open', 'open long 3'],
  [`${SPOT}/place-order`, { ...spot, side: 'sell' }, 'long/long now', 'close long 3 now'],
  [
    `${SPOT}/place-order`,
    { ...spot, side: 'Sell', tpslType: 'tpsl', triggerPrice: '8' },
    'long/long stop',
    'close long 3 stop',
  ],
  [
    `${SPOT}/place-plan-order`,
    {
      ...{ symbol: 'BTCUSDT', side: 'sell', size: '3', orderType: 'market' },
      ...{ triggerPrice: '8', triggerType: 'fill_price' },
    },
    'long/long stop',
    'close long 3 stop',
  ],

  // Bitget futures, classic
  [`${MIX}/place-order`, { ...mix, side: 'buy' }, 'may open', 'open long 3 netting'],
  [`${MIX}/place-order`, { ...mix, side: 'buy', tradeSide: 'Open' }, 'may open', 'open long 3'],
  [
    `${MIX}/place-order`,
    { ...mix, side: 'sell', reduceOnly: 'YES' },
    'long/- now',
    'close long 3 now',
  ],
  [
    `${MIX}/place-order`,
    { ...mix, side: 'buy', tradeSide: 'Close' },
    '-/long now',
    'close long 3 now either side',
  ],
  [
    `${MIX}/place-order`,
    { ...mix, side: 'sell', tradeSide: 'close', reduceOnly: 'YES' },
    'long/short now',
    'close short 3 now either side',
  ],
  [
    `${MIX}/place-order`,
    { ...mix, side: 'sell', tradeSide: 'open', reduceOnly: 'YES' },
    'long/- now',
    'close long 3 now',
  ],
  // In doubt it opens nothing.
  [
    `${MIX}/place-order`,
    { ...mix, side: 'sell', reduceOnly: 'yes' },
    'may open',
    'close long 3 now',
  ],
  [
    `${MIX}/place-plan-order`,
    { ...mixPlan, side: 'sell', reduceOnly: 'YES' },
    'long/- stop',
    'close long 3 stop',
  ],
  [
    `${MIX}/place-tpsl-order`,
    { ...ending, planType: 'profit_plan', holdSide: 'long' },
    'long/long profit',
    'close long 3 profit',
  ],
  [
    `${MIX}/place-tpsl-order`,
    { ...ending, planType: 'loss_plan', holdSide: 'sell' },
    'short/short stop',
    'close short 3 stop',
  ],
  [
    `${MIX}/place-tpsl-order`,
    { ...ending, planType: 'moving_plan', holdSide: 'buy', rangeRate: '1' },
    'long/long stop',
    'close long 3 stop',
  ],
  [
    `${MIX}/place-tpsl-order`,
    { ...ending, planType: 'pos_profit', holdSide: 'short' },
    'short/short profit whole',
    'close short all profit',
  ],
  [
    `${MIX}/place-pos-tpsl`,
    { ...product, holdSide: 'long', stopSurplusTriggerPrice: '9', stopSurplusSize: '3' },
    'long/long profit',
    'close long 3 profit',
  ],
  [
    `${MIX}/place-pos-tpsl`,
    { ...product, holdSide: 'short', stopLossTriggerPrice: '9' },
    'short/short stop whole',
    'close short all stop',
  ],
  [
    `${MIX}/close-positions`,
    { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', holdSide: 'long' },
    'long/long now whole',
    'none',
  ],

  // Bitget, unified
  [
    `${V3}/place-order`,
    { ...v3, category: 'SPOT', side: 'sell' },
    'long/long now',
    'close long 3 now',
  ],
  [`${V3}/place-order`, { ...v3, side: 'sell' }, 'may open', 'open short 3 netting'],
  [
    `${V3}/place-order`,
    { ...v3, side: 'sell', reduceOnly: 'yes' },
    'long/- now',
    'close long 3 now',
  ],
  [`${V3}/place-order`, { ...v3, side: 'sell', posSide: 'long' }, '-/long now', 'close long 3 now'],
  [
    `${V3}/place-order`,
    { ...v3, side: 'buy', posSide: 'short', reduceOnly: 'yes' },
    'short/short now',
    'close short 3 now',
  ],
  [`${V3}/place-order`, { ...v3, side: 'sell', posSide: 'short' }, 'may open', 'open short 3'],
  // What one-way mode makes of a position that opens is not established.
  [
    `${V3}/place-order`,
    { ...v3, side: 'sell', posSide: 'short', reduceOnly: 'yes' },
    'may open',
    'close long 3 now',
  ],
  [
    `${V3}/place-strategy-order`,
    { ...v3Ending, posSide: 'long', takeProfit: '9' },
    'long/long profit',
    'close long 3 profit',
  ],
  [
    `${V3}/place-strategy-order`,
    { ...v3Ending, tpslMode: 'full', posSide: 'short', stopLoss: '9', takeProfit: '8' },
    'short/short stop whole',
    'close short all stop',
  ],
  [
    `${V3}/place-strategy-order`,
    { ...v3Ending, side: 'sell', stopLoss: '8' },
    'long/- stop',
    'close long 3 stop',
  ],
  [
    `${V3}/place-strategy-order`,
    { ...v3Ending, category: 'SPOT', side: 'sell', takeProfit: '9' },
    'long/long profit',
    'close long 3 profit',
  ],
  [
    `${V3}/close-positions`,
    { category: 'USDT-FUTURES', symbol: 'BTCUSDT' },
    '-/- now whole',
    'none',
  ],
]

test.each(cases)('%s %j closes %j: %s', (line, fields, closes, part) => {
  const call = callOf(line, fields)
  const [effect] = effectsOf(call)
  expect(effect).toMatchObject({ kind: 'order' })
  const [sides = '', kind, isWhole] = closes.split(' ')
  const [inOneWay, inHedge] = sides.split('/').map((side) => (side === '-' ? undefined : side))
  expect(effect?.kind === 'order' ? effect.closes : 'none').toEqual(
    closes === 'may open'
      ? undefined
      : {
          ...{ inOneWay, inHedge, kind, isWhole: isWhole === 'whole' },
          ...('positionId' in fields ? { positionId: '5' } : {}),
        },
  )
  const [key] = storedKeys(call)
  expect(wordsOf(key === undefined ? undefined : partOf(key))).toBe(part)
})
