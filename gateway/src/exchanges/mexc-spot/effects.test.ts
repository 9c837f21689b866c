import { test } from 'vitest'
import { expectEffect, NOTHING_OF_ITS_OWN } from '../test-effects.ts'

const S = '/api/v3'
const spot = { kind: 'order', market: 'spot', symbol: 'BTCUSDT', rests: true, reduces: false }
const bought = { side: 'buy', size: '2', price: '9.5' }
const s = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '2', price: '9.5' }

test.each<[line: string, fields: object, effect: object]>([
  [`POST ${S}/order`, s, { ...spot, ...bought }],
  [`POST ${S}/order`, { ...s, type: 'IMMEDIATE_OR_CANCEL' }, { ...spot, ...bought }],
  [
    `POST ${S}/order`,
    { symbol: 'BTCUSDT', side: 'SELL', type: 'MARKET', quantity: '2', price: '9' },
    { ...spot, ...NOTHING_OF_ITS_OWN, side: 'sell', size: '2', reduces: true, rests: false },
  ],
  [
    `POST ${S}/order/test`,
    { symbol: 'btcusdt', side: 'buy', type: 'market', quoteOrderQty: '10', quantity: '' },
    { ...spot, ...NOTHING_OF_ITS_OWN, side: 'buy', quoteSize: '10', rests: false },
  ],
])('%s %j', expectEffect)
