import { test } from 'vitest'
import { callOf, expectEffect, expectUnbounded, NOTHING_OF_ITS_OWN } from '../../test-effects.ts'

const BU = '/api/v3/trade'
const spot = { kind: 'order', market: 'spot', symbol: 'BTCUSDT', rests: true, reduces: false }
const mix = { ...spot, market: 'futures', productType: 'USDT-FUTURES' }
const bought = { side: 'buy', size: '2', price: '9.5' }
const u = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '2', price: '9.5' }
const uf = { ...u, category: 'USDT-FUTURES' }
const stop = { symbol: 'BTCUSDT', qty: '2', stopLoss: '8' }

test.each<[line: string, fields: object, effect: object]>([
  [`POST ${BU}/place-order`, { ...u, category: 'SPOT' }, { ...spot, ...bought }],
  [
    `POST ${BU}/place-order`,
    { ...u, category: 'spot', side: 'SELL' },
    { ...spot, side: 'sell', reduces: true },
  ],
  [
    `POST ${BU}/place-order`,
    { ...u, category: 'SPOT', orderType: 'market' },
    { ...spot, ...NOTHING_OF_ITS_OWN, side: 'buy', quoteSize: '2', rests: false },
  ],
  [
    `POST ${BU}/place-order`,
    { ...uf, orderType: 'market', takeProfit: '12' },
    { ...mix, ...bought, price: undefined, rests: false },
  ],
  [`POST ${BU}/place-order`, { ...uf, reduceOnly: 'yes' }, { ...mix, ...bought, reduces: true }],
  [
    `POST ${BU}/place-order`,
    { ...uf, reduceOnly: 'yes', posSide: 'short' },
    { ...mix, ...bought, reduces: true },
  ],
  [`POST ${BU}/place-order`, { ...uf, reduceOnly: 'yes', posSide: 'long' }, { ...mix, ...bought }],
  [`POST ${BU}/place-order`, { ...uf, posSide: 'short' }, { ...mix, ...bought }],
  [
    `POST ${BU}/place-order`,
    { ...uf, reduceOnly: 'YES', timeInForce: 'fok' },
    { ...mix, ...bought, rests: false },
  ],
  [
    `POST ${BU}/modify-order`,
    { category: 'USDT-FUTURES', symbol: 'BTCUSDT', orderId: '7', price: '9.5' },
    { ...mix, ...NOTHING_OF_ITS_OWN, price: '9.5', changes: { orderId: '7' } },
  ],
  [
    `POST ${BU}/place-strategy-order`,
    {
      category: 'USDT-FUTURES',
      symbol: 'BTCUSDT',
      posSide: 'long',
      tpslMode: 'partial',
      qty: '2',
      takeProfit: '12',
      stopLoss: '8',
    },
    { ...mix, ...NOTHING_OF_ITS_OWN, side: 'sell', size: '2', trigger: '12', reduces: true },
  ],
  [
    `POST ${BU}/place-strategy-order`,
    { category: 'USDT-FUTURES', symbol: 'BTCUSDT', posSide: 'short', qty: '2', stopLoss: '8' },
    { ...mix, ...NOTHING_OF_ITS_OWN, side: 'buy', trigger: '8', reduces: true },
  ],
  [
    `POST ${BU}/modify-strategy-order`,
    { orderId: '7', qty: '2', stopLoss: '8' },
    {
      kind: 'order',
      market: 'futures',
      ...NOTHING_OF_ITS_OWN,
      size: '2',
      trigger: '8',
      changes: { orderId: '7', plan: 'strategy', isInAnyMarket: true },
    },
  ],
  [
    `POST ${BU}/modify-strategy-order`,
    { clientOid: 'a', stopLoss: '8', slLimitPrice: '7', slOrderType: 'limit' },
    {
      ...{ kind: 'order', market: 'futures', ...NOTHING_OF_ITS_OWN, price: '7', trigger: '8' },
      changes: { clientOrderId: 'a', plan: 'strategy' },
    },
  ],
  // As ccxt writes them: no category in a change, and the side of a stop's trade.
  [
    `POST ${BU}/modify-order`,
    { orderId: '7', qty: '2', price: '9.5' },
    { kind: 'order', size: '2', price: '9.5', changes: { orderId: '7', isInAnyMarket: true } },
  ],
  [
    `POST ${BU}/place-strategy-order`,
    { ...stop, category: 'USDT-FUTURES', side: 'sell', slOrderType: 'market' },
    { ...mix, ...NOTHING_OF_ITS_OWN, side: 'sell', trigger: '8', reduces: true },
  ],
  [
    `POST ${BU}/place-strategy-order`,
    { ...stop, category: 'USDT-FUTURES', side: 'buy', posSide: 'short' },
    { ...mix, ...NOTHING_OF_ITS_OWN, side: 'buy', trigger: '8', reduces: true },
  ],
  [
    `POST ${BU}/place-strategy-order`,
    { ...stop, category: 'SPOT', side: 'sell', slLimitPrice: '7', slOrderType: 'limit' },
    { ...spot, side: 'sell', size: '2', price: '7', trigger: '8', reduces: true },
  ],
  [
    `POST ${BU}/place-strategy-order`,
    { ...stop, category: 'SPOT', side: 'buy', slLimitPrice: '7', slOrderType: 'limit' },
    { ...spot, side: 'buy', size: '2', price: '7', trigger: '8' },
  ],
  [
    `POST ${BU}/close-positions`,
    { category: 'USDT-FUTURES' },
    { ...mix, ...NOTHING_OF_ITS_OWN, symbol: undefined, reduces: true, rests: false },
  ],
  [
    'POST /api/v3/account/set-leverage',
    { category: 'USDT-FUTURES', symbol: 'BTCUSDT', leverage: '5' },
    { kind: 'leverage', leverage: 5 },
  ],
])('%s %j', expectEffect)

test.each<[line: string, fields: object]>([
  // The client ids of spot and futures may be the same.
  ['modify-order', { clientOid: 'a', qty: '2', price: '9.5' }],
  ['place-strategy-order', { ...stop, category: 'USDT-FUTURES' }],
  ['place-strategy-order', { ...stop, category: 'USDT-FUTURES', side: 'buy', posSide: 'long' }],
  ['place-strategy-order', { ...stop, category: 'SPOT', posSide: 'long' }],
  // Whether a market buy has its size in the base or the quote coin is not documented.
  ['place-strategy-order', { ...stop, category: 'SPOT', side: 'buy', slOrderType: 'market' }],
  // A limit price beside a market order, of the other end, or of one of two.
  ...[
    { slLimitPrice: '7', slOrderType: 'market' },
    { slLimitPrice: '7' },
    { tpLimitPrice: '7', tpOrderType: 'limit' },
    { takeProfit: '12', tpLimitPrice: '7', tpOrderType: 'limit' },
    { type: 'trigger', triggerPrice: '8' },
    { triggerOrderPrice: '8' },
  ].map((more): [string, object] => [
    'place-strategy-order',
    { ...stop, category: 'USDT-FUTURES', side: 'sell', ...more },
  ]),
  ['modify-strategy-order', { orderId: '7', qty: '2', triggerPrice: '8' }],
])('%s stays unclear with %j', (name, fields) => {
  expectUnbounded(callOf(`POST ${BU}/${name}`, fields))
})
