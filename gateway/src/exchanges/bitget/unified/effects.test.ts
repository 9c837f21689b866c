import { test } from 'vitest'
import { expectEffect, NOTHING_OF_ITS_OWN } from '../../test-effects.ts'

const BU = '/api/v3/trade'
const spot = { kind: 'order', market: 'spot', symbol: 'BTCUSDT', rests: true, reduces: false }
const mix = { ...spot, market: 'futures', productType: 'USDT-FUTURES' }
const bought = { side: 'buy', size: '2', price: '9.5' }
const u = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '2', price: '9.5' }
const uf = { ...u, category: 'USDT-FUTURES' }

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
      changes: { orderId: '7', plan: 'strategy' },
    },
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
