import { expect, test } from 'vitest'
import { callOf, rowsOf, storedKeys, wordsOf } from '../../test/support/exchange-orders.ts'
import { effectsOf } from './call-effects.ts'
import { partOf } from './position-part.ts'

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
const mxStop = { positionId: 5, vol: 3 }
const product = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const mix = { ...product, marginMode: 'crossed', size: '3', orderType: 'limit', price: '9' }
const mixSale = { ...mix, side: 'sell' }
const mixPlan = {
  ...{ ...mixSale, planType: 'normal_plan', triggerPrice: '8', triggerType: 'mark_price' },
}
const ending = { ...product, triggerPrice: '8', size: '3' }
const spot = { symbol: 'BTCUSDT', size: '3', orderType: 'limit', price: '9', force: 'gtc' }
const spotPlan = { symbol: 'BTCUSDT', side: 'sell', size: '3', orderType: 'market' }
const futures = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }
const v3 = { ...futures, qty: '3', orderType: 'limit', price: '9', side: 'sell' }
const v3Ending = { ...futures, type: 'tpsl', tpslMode: 'partial', qty: '3' }
const mxSpot = { symbol: 'BTCUSDT', side: 'SELL', type: 'LIMIT', quantity: '3', price: '9' }
const mxBuy = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quoteOrderQty: '9' }

/**
 * The side in one-way mode and in hedge mode, the kind, and whether it is the whole position; `-`:
 * it may open.
 */
type Closes = `${Side}/${Side} ${'now' | 'stop' | 'profit'}${'' | ' whole'}`
type Side = 'long' | 'short' | '-'
type Row = readonly [closes: Closes | 'may open', part: string, fields: object]

const cases = rowsOf<Row>({
  'POST /api/v3/order': [
    ['long/long now', 'close long 3 now', mxSpot],
    ['may open', 'open long all', mxBuy],
  ],
  [`${MX}/order/create`]: [
    ['may open', 'open long 3', mx],
    ['may open', 'open long 3 netting', { ...mx, positionMode: 2 }],
    ['short/short now', 'close short 3 now', { ...mx, side: 2 }],
    ['may open', 'open short 3', { ...mx, side: 3 }],
    ['short/- now', 'close short 3 now', { ...mx, reduceOnly: true }],
    ['long/- now', 'close long 3 now', { ...mx, side: 3, reduceOnly: true, positionMode: 2 }],
    // In doubt it opens nothing.
    ['may open', 'close short 3 now', { ...mx, reduceOnly: 'true' }],
    ['may open', 'close short 3 now', { ...mx, reduceOnly: true, positionMode: 1 }],
    ['may open', 'open long 3', { ...mx, reduceOnly: false }],
  ],
  [`${MX}/order/submit`]: [['long/long now', 'close long 3 now', { ...mx, side: '4' }]],
  [`${MX}/planorder/place`]: [
    ['long/long profit', 'close long 3 profit', { ...mxPlan, side: 4, triggerType: 1 }],
    ['short/short profit', 'close short 3 profit', { ...mxPlan, side: 2, triggerType: 2 }],
    ['short/short stop', 'close short 3 stop', { ...mxPlan, side: 2 }],
    ['may open', 'open long 3', { ...mxPlan, triggerType: 1 }],
  ],
  [`${MX}/planorder/place/v2`]: [
    ['long/long stop', 'close long 3 stop', { ...mxPlan, side: 4, triggerType: 2 }],
  ],
  [`${MX}/trackorder/place`]: [['long/long stop', 'close long 3 stop', mxTrack]],
  [`${MX}/stoporder/place`]: [
    ['-/- stop', 'none', { ...mxStop, volType: 1, stopLossPrice: 8 }],
    ['-/- profit whole', 'none', { ...mxStop, volType: 2, takeProfitPrice: 8 }],
  ],
  [`${MX}/position/close_all`]: [['-/- now whole', 'none', { symbol: 'BTC_USDT' }]],

  [`${SPOT}/place-order`]: [
    ['may open', 'open long 3', { ...spot, side: 'buy' }],
    ['long/long now', 'close long 3 now', { ...spot, side: 'sell' }],
    [
      'long/long stop',
      'close long 3 stop',
      { ...spot, side: 'Sell', tpslType: 'tpsl', triggerPrice: '8' },
    ],
  ],
  [`${SPOT}/place-plan-order`]: [
    [
      'long/long stop',
      'close long 3 stop',
      { ...spotPlan, triggerPrice: '8', triggerType: 'fill_price' },
    ],
  ],

  [`${MIX}/place-order`]: [
    ['may open', 'open long 3 netting', { ...mix, side: 'buy' }],
    ['may open', 'open long 3', { ...mix, side: 'buy', tradeSide: 'Open' }],
    ['long/- now', 'close long 3 now', { ...mixSale, reduceOnly: 'YES' }],
    ['-/long now', 'close long 3 now either side', { ...mix, side: 'buy', tradeSide: 'Close' }],
    [
      'long/short now',
      'close short 3 now either side',
      { ...mixSale, tradeSide: 'close', reduceOnly: 'YES' },
    ],
    ['long/- now', 'close long 3 now', { ...mixSale, tradeSide: 'open', reduceOnly: 'YES' }],
    // In doubt it opens nothing.
    ['may open', 'close long 3 now', { ...mixSale, reduceOnly: 'yes' }],
  ],
  [`${MIX}/place-plan-order`]: [
    ['long/- stop', 'close long 3 stop', { ...mixPlan, reduceOnly: 'YES' }],
  ],
  [`${MIX}/place-tpsl-order`]: [
    [
      'long/long profit',
      'close long 3 profit',
      { ...ending, planType: 'profit_plan', holdSide: 'long' },
    ],
    [
      'short/short stop',
      'close short 3 stop',
      { ...ending, planType: 'loss_plan', holdSide: 'sell' },
    ],
    [
      'long/long stop',
      'close long 3 stop',
      { ...ending, planType: 'moving_plan', holdSide: 'buy', rangeRate: '1' },
    ],
    [
      'short/short profit whole',
      'close short all profit',
      { ...ending, planType: 'pos_profit', holdSide: 'short' },
    ],
  ],
  [`${MIX}/place-pos-tpsl`]: [
    [
      'long/long profit',
      'close long 3 profit',
      { ...product, holdSide: 'long', stopSurplusTriggerPrice: '9', stopSurplusSize: '3' },
    ],
    [
      'short/short stop whole',
      'close short all stop',
      { ...product, holdSide: 'short', stopLossTriggerPrice: '9' },
    ],
  ],
  [`${MIX}/close-positions`]: [
    ['long/long now whole', 'none', { ...product, marginCoin: undefined, holdSide: 'long' }],
  ],

  [`${V3}/place-order`]: [
    ['long/long now', 'close long 3 now', { ...v3, category: 'SPOT' }],
    ['may open', 'open short 3 netting', v3],
    ['long/- now', 'close long 3 now', { ...v3, reduceOnly: 'yes' }],
    ['-/long now', 'close long 3 now', { ...v3, posSide: 'long' }],
    [
      'short/short now',
      'close short 3 now',
      { ...v3, side: 'buy', posSide: 'short', reduceOnly: 'yes' },
    ],
    ['may open', 'open short 3', { ...v3, posSide: 'short' }],
    // What one-way mode makes of a position that opens is not established.
    ['may open', 'close long 3 now', { ...v3, posSide: 'short', reduceOnly: 'yes' }],
  ],
  [`${V3}/place-strategy-order`]: [
    ['long/long profit', 'close long 3 profit', { ...v3Ending, posSide: 'long', takeProfit: '9' }],
    [
      'short/short stop whole',
      'close short all stop',
      { ...v3Ending, tpslMode: 'full', posSide: 'short', stopLoss: '9', takeProfit: '8' },
    ],
    ['long/- stop', 'close long 3 stop', { ...v3Ending, side: 'sell', stopLoss: '8' }],
    [
      'long/long profit',
      'close long 3 profit',
      { ...v3Ending, category: 'SPOT', side: 'sell', takeProfit: '9' },
    ],
  ],
  [`${V3}/close-positions`]: [['-/- now whole', 'none', futures]],
})

test.each(cases)('%s closes %j: %s, with %j', (line, closes, part, fields) => {
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
