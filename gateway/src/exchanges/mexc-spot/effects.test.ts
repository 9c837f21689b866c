import { test } from 'vitest'
import { expectEffect, orderEffect, rowsOf } from '../../../test/support/exchange-orders.ts'

const bought = { side: 'buy', size: '2', price: '9.5' }
const s = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '2', price: '9.5' }

test.each(
  rowsOf<[fields: object, effect: object]>({
    'POST /api/v3/order': [
      [s, orderEffect(bought)],
      [{ ...s, type: 'IMMEDIATE_OR_CANCEL' }, orderEffect(bought)],
      [
        { ...s, side: 'SELL', type: 'MARKET', price: '9' },
        orderEffect({ side: 'sell', size: '2', reduces: true, rests: false }),
      ],
    ],
    'POST /api/v3/order/test': [
      [
        { symbol: 'btcusdt', side: 'buy', type: 'market', quoteOrderQty: '10', quantity: '' },
        orderEffect({ side: 'buy', quoteSize: '10', rests: false }),
      ],
    ],
  }),
)('%s %j', expectEffect)
