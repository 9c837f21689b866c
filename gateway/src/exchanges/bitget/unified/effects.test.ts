import { test } from 'vitest'
import {
  callOf,
  expectEffect,
  expectUnbounded,
  rowsOf,
  orderEffect as spot,
} from '../../../../test/support/exchange-orders.ts'

const TRADE = 'POST /api/v3/trade'
const mix = (more: object) =>
  spot({ market: 'futures', productType: 'USDT-FUTURES', symbol: 'BTCUSDT', ...more })
const bought = { side: 'buy', size: '2', price: '9.5' }
const u = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '2', price: '9.5' }
const uf = { ...u, category: 'USDT-FUTURES' }
const us = { ...u, category: 'SPOT' }
const stop = { symbol: 'BTCUSDT', qty: '2', stopLoss: '8' }
const stopMix = { ...stop, category: 'USDT-FUTURES' }
const stopSpot = { ...stop, category: 'SPOT', slLimitPrice: '7', slOrderType: 'limit' }
const ended = { trigger: '8', reduces: true }
const limit = { size: '2', price: '7' }
const futures = { kind: 'order', market: 'futures', side: undefined }

test.each(
  rowsOf<[fields: object, effect: object]>({
    [`${TRADE}/place-order`]: [
      [us, spot(bought)],
      [{ ...us, category: 'spot', side: 'SELL' }, spot({ ...bought, side: 'sell', reduces: true })],
      [{ ...us, orderType: 'market' }, spot({ side: 'buy', quoteSize: '2', rests: false })],
      [
        { ...uf, orderType: 'market', takeProfit: '12' },
        mix({ side: 'buy', size: '2', rests: false }),
      ],
      [{ ...uf, reduceOnly: 'yes' }, mix({ ...bought, reduces: true })],
      [{ ...uf, reduceOnly: 'yes', posSide: 'short' }, mix({ ...bought, reduces: true })],
      [{ ...uf, reduceOnly: 'yes', posSide: 'long' }, mix(bought)],
      [{ ...uf, posSide: 'short' }, mix(bought)],
      [{ ...uf, reduceOnly: 'YES', timeInForce: 'fok' }, mix({ ...bought, rests: false })],
    ],
    [`${TRADE}/modify-order`]: [
      [
        { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderId: '7', price: '9.5' },
        mix({ price: '9.5', changes: { orderId: '7' } }),
      ],
      // As ccxt writes it: no category in a change.
      [
        { orderId: '7', qty: '2', price: '9.5' },
        { kind: 'order', size: '2', price: '9.5', changes: { orderId: '7', isInAnyMarket: true } },
      ],
    ],
    [`${TRADE}/place-strategy-order`]: [
      [
        { ...stopMix, posSide: 'long', tpslMode: 'partial', takeProfit: '12' },
        mix({ ...ended, side: 'sell', size: '2', trigger: '12' }),
      ],
      [{ ...stopMix, posSide: 'short' }, mix({ ...ended, side: 'buy' })],
      // As ccxt writes them: the side of a stop's trade.
      [{ ...stopMix, side: 'sell', slOrderType: 'market' }, mix({ ...ended, side: 'sell' })],
      [{ ...stopMix, side: 'buy', posSide: 'short' }, mix({ ...ended, side: 'buy' })],
      [{ ...stopSpot, side: 'sell' }, spot({ ...ended, ...limit, side: 'sell' })],
      [{ ...stopSpot, side: 'buy' }, spot({ ...limit, side: 'buy', trigger: '8' })],
    ],
    [`${TRADE}/modify-strategy-order`]: [
      [
        { orderId: '7', qty: '2', stopLoss: '8' },
        {
          ...{ ...futures, size: '2', price: undefined, trigger: '8' },
          changes: { orderId: '7', plan: 'strategy', isInAnyMarket: true },
        },
      ],
      [
        { clientOid: 'a', stopLoss: '8', slLimitPrice: '7', slOrderType: 'limit' },
        {
          ...{ ...futures, size: undefined, price: '7', trigger: '8' },
          changes: { clientOrderId: 'a', plan: 'strategy' },
        },
      ],
    ],
    [`${TRADE}/close-positions`]: [
      [{ category: 'USDT-FUTURES' }, mix({ symbol: undefined, reduces: true, rests: false })],
    ],
    'POST /api/v3/account/set-leverage': [
      [
        { category: 'USDT-FUTURES', symbol: 'BTCUSDT', leverage: '5' },
        { kind: 'leverage', leverage: 5 },
      ],
    ],
  }),
)('%s %j', expectEffect)

test.each(
  rowsOf<[fields: object]>({
    // The client ids of spot and futures may be the same.
    'modify-order': [[{ clientOid: 'a', qty: '2', price: '9.5' }]],
    'place-strategy-order': [
      [stopMix],
      [{ ...stopMix, side: 'buy', posSide: 'long' }],
      [{ ...stop, category: 'SPOT', posSide: 'long' }],
      // Whether a market buy has its size in the base or the quote coin is not documented.
      [{ ...stop, category: 'SPOT', side: 'buy', slOrderType: 'market' }],
      // A limit price beside a market order, of the other end, or of one of two.
      [{ ...stopMix, side: 'sell', slLimitPrice: '7', slOrderType: 'market' }],
      [{ ...stopMix, side: 'sell', slLimitPrice: '7' }],
      [{ ...stopMix, side: 'sell', tpLimitPrice: '7', tpOrderType: 'limit' }],
      [{ ...stopMix, side: 'sell', takeProfit: '12', tpLimitPrice: '7', tpOrderType: 'limit' }],
      [{ ...stopMix, side: 'sell', type: 'trigger', triggerPrice: '8' }],
      [{ ...stopMix, side: 'sell', triggerOrderPrice: '8' }],
    ],
    'modify-strategy-order': [[{ orderId: '7', qty: '2', triggerPrice: '8' }]],
  }),
)('%s stays unclear with %j', (name, fields) => {
  expectUnbounded(callOf(`${TRADE}/${name}`, fields))
})
