import { test } from 'vitest'
import { expectEffect, orderEffect, rowsOf } from '../../../test/support/exchange-orders.ts'

const MX = 'POST /api/v1/private'
const mexc = (more: object) => orderEffect({ market: 'futures', symbol: 'BTC_USDT', ...more })
const nameless = (more: object) => mexc({ symbol: undefined, ...more })
const f = { symbol: 'BTC_USDT', side: 1, type: 1, vol: 3, price: 9.5, openType: 2 }
const p = { ...f, type: undefined, orderType: 1, triggerPrice: '10', triggerType: 1, trend: 1 }
const stop = { positionId: 5, vol: 3, stopLossPrice: 8 }
const bought = { side: 'buy', size: '3', price: '9.5' }
const sold = { ...bought, side: 'sell' }
const ofPlan = (plan: string) => ({ changes: { orderId: '7', plan } })

test.each(
  rowsOf<[fields: object, effect: object]>({
    [`${MX}/order/create`]: [
      [f, mexc(bought)],
      [{ ...f, side: 2, type: 4 }, mexc({ ...bought, reduces: true, rests: false })],
      [{ ...f, side: 3, reduceOnly: true }, mexc({ ...sold, reduces: true })],
      [{ ...f, side: 3, reduceOnly: 'true' }, mexc(sold)],
    ],
    [`${MX}/order/submit`]: [
      [
        { ...f, side: '4', type: '5', leverage: '20', marketCeiling: false, bboTypeNum: 0 },
        mexc({ ...sold, price: undefined, leverage: 20, reduces: true, rests: false }),
      ],
    ],
    [`${MX}/order/change_limit_order`]: [
      [
        { orderId: '101716841474621953', price: 9.5, vol: '3' },
        nameless({ size: '3', price: '9.5', changes: { orderId: '101716841474621953' } }),
      ],
    ],
    [`${MX}/planorder/place`]: [
      [p, mexc({ ...bought, trigger: '10' })],
      // As ccxt writes it.
      [{ ...p, type: 1, executeCycle: 1 }, mexc({ ...bought, trigger: '10' })],
    ],
    [`${MX}/planorder/place/v2`]: [
      [
        { ...p, orderType: 5, side: 4 },
        mexc({ ...sold, price: undefined, trigger: '10', reduces: true }),
      ],
    ],
    [`${MX}/planorder/change_price`]: [
      [
        {
          ...{ ...p, side: undefined, vol: undefined, openType: undefined, orderId: 7 },
          ...{ triggerPrice: 11, price: 12 },
        },
        mexc({ price: '12', trigger: '11', ...ofPlan('planorder') }),
      ],
    ],
    [`${MX}/planorder/change_stop_order`]: [
      [
        { symbol: 'BTC_USDT', orderId: 7, stopLossPrice: 8, takeProfitPrice: 0 },
        mexc({ trigger: '8', ...ofPlan('planorder') }),
      ],
    ],
    [`${MX}/stoporder/place`]: [
      [
        { ...stop, volType: 1, takeProfitPrice: 12, stopLossReverse: 2, takeProfitType: 0 },
        nameless({ size: '3', trigger: '12', reduces: true }),
      ],
      [{ ...stop, volType: 2 }, nameless({ trigger: '8', reduces: true })],
    ],
    [`${MX}/stoporder/change_plan_price`]: [
      [
        { stopPlanOrderId: 7, stopLossPrice: 8 },
        nameless({ trigger: '8', ...ofPlan('stoporder') }),
      ],
    ],
    [`${MX}/stoporder/change_price`]: [
      [{ orderId: 7, stopLossPrice: 0 }, nameless({ changes: { orderId: '7' } })],
    ],
    [`${MX}/trackorder/place`]: [
      [
        {
          ...{ symbol: 'BTC_USDT', leverage: 5, side: 3, vol: 1, openType: 1, trend: 1 },
          ...{ activePrice: 70, backType: 1, backValue: 0.01 },
        },
        mexc({ side: 'sell', size: '1', trigger: '70', leverage: 5 }),
      ],
    ],
    [`${MX}/trackorder/change_order`]: [
      [
        { symbol: 'BTC_USDT', trackOrderId: 7, trend: 1, backType: 1, backValue: 0.01, vol: 4 },
        mexc({ size: '4', ...ofPlan('trackorder') }),
      ],
    ],
    [`${MX}/position/close_all`]: [[{}, nameless({ reduces: true, rests: false })]],
    [`${MX}/position/change_leverage`]: [
      [
        { symbol: 'BTC_USDT', leverage: '20', openType: 1, positionType: 1 },
        { kind: 'leverage', market: 'futures', symbol: 'BTC_USDT', leverage: 20 },
      ],
      [
        { symbol: 'BTC_USDT', positionId: 7, leverage: 20 },
        { kind: 'leverage', symbol: undefined, leverage: 20 },
      ],
    ],
  }),
)('%s %j', expectEffect)
