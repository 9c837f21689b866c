import { test } from 'vitest'
import { expectEffect, NOTHING_OF_ITS_OWN } from '../test-effects.ts'

const F = '/api/v1/private'
const limit = { kind: 'order', market: 'futures', rests: true, reduces: false }
const mexc = { ...limit, symbol: 'BTC_USDT' }
const f = { symbol: 'BTC_USDT', side: 1, type: 1, vol: 3, price: 9.5, openType: 2 }
const p = { ...f, type: undefined, orderType: 1, triggerPrice: '10', triggerType: 1, trend: 1 }

test.each<[line: string, fields: object, effect: object]>([
  [`POST ${F}/order/create`, f, { ...mexc, side: 'buy', size: '3', price: '9.5' }],
  [
    `POST ${F}/order/submit`,
    { ...f, side: '4', type: '5', leverage: '20', marketCeiling: false, bboTypeNum: 0 },
    {
      ...mexc,
      side: 'sell',
      size: '3',
      price: undefined,
      leverage: 20,
      reduces: true,
      rests: false,
    },
  ],
  [
    `POST ${F}/order/create`,
    { ...f, side: 2, type: 4 },
    { side: 'buy', reduces: true, rests: false },
  ],
  [`POST ${F}/order/create`, { ...f, side: 3, reduceOnly: true }, { side: 'sell', reduces: true }],
  [
    `POST ${F}/order/create`,
    { ...f, side: 3, reduceOnly: 'true' },
    { side: 'sell', reduces: false },
  ],
  [
    `POST ${F}/order/change_limit_order`,
    { orderId: '101716841474621953', price: 9.5, vol: '3' },
    {
      ...limit,
      ...NOTHING_OF_ITS_OWN,
      market: 'futures',
      symbol: undefined,
      size: '3',
      price: '9.5',
      changes: { orderId: '101716841474621953' },
    },
  ],
  [
    `POST ${F}/planorder/place`,
    p,
    { ...mexc, side: 'buy', size: '3', price: '9.5', trigger: '10' },
  ],
  [
    `POST ${F}/planorder/place/v2`,
    { ...p, orderType: 5, side: 4 },
    { ...mexc, side: 'sell', size: '3', price: undefined, trigger: '10', reduces: true },
  ],
  [
    `POST ${F}/planorder/change_price`,
    {
      symbol: 'BTC_USDT',
      orderId: 7,
      triggerPrice: 11,
      price: 12,
      orderType: 1,
      triggerType: 1,
      trend: 1,
    },
    {
      ...mexc,
      ...NOTHING_OF_ITS_OWN,
      price: '12',
      trigger: '11',
      changes: { orderId: '7', plan: 'planorder' },
    },
  ],
  [
    `POST ${F}/planorder/change_stop_order`,
    { symbol: 'BTC_USDT', orderId: 7, stopLossPrice: 8, takeProfitPrice: 0 },
    { ...mexc, ...NOTHING_OF_ITS_OWN, trigger: '8', changes: { orderId: '7', plan: 'planorder' } },
  ],
  [
    `POST ${F}/stoporder/place`,
    {
      positionId: 5,
      vol: 3,
      volType: 1,
      stopLossPrice: 8,
      takeProfitPrice: 12,
      stopLossReverse: 2,
      takeProfitType: 0,
    },
    { ...limit, ...NOTHING_OF_ITS_OWN, symbol: undefined, size: '3', trigger: '12', reduces: true },
  ],
  [
    `POST ${F}/stoporder/place`,
    { positionId: 5, vol: 3, volType: 2, stopLossPrice: 8 },
    { size: undefined, reduces: true },
  ],
  [
    `POST ${F}/stoporder/change_plan_price`,
    { stopPlanOrderId: 7, stopLossPrice: 8 },
    { ...NOTHING_OF_ITS_OWN, trigger: '8', changes: { orderId: '7', plan: 'stoporder' } },
  ],
  [
    `POST ${F}/stoporder/change_price`,
    { orderId: 7, stopLossPrice: 0 },
    { ...NOTHING_OF_ITS_OWN, changes: { orderId: '7' } },
  ],
  [
    `POST ${F}/trackorder/place`,
    {
      symbol: 'BTC_USDT',
      leverage: 5,
      side: 3,
      vol: 1,
      openType: 1,
      trend: 1,
      activePrice: 70,
      backType: 1,
      backValue: 0.01,
    },
    { ...mexc, ...NOTHING_OF_ITS_OWN, side: 'sell', size: '1', trigger: '70', leverage: 5 },
  ],
  [
    `POST ${F}/trackorder/change_order`,
    { symbol: 'BTC_USDT', trackOrderId: 7, trend: 1, backType: 1, backValue: 0.01, vol: 4 },
    { ...mexc, ...NOTHING_OF_ITS_OWN, size: '4', changes: { orderId: '7', plan: 'trackorder' } },
  ],
  [
    `POST ${F}/position/close_all`,
    {},
    { ...limit, ...NOTHING_OF_ITS_OWN, reduces: true, rests: false },
  ],
  [
    `POST ${F}/position/change_leverage`,
    { symbol: 'BTC_USDT', leverage: '20', openType: 1, positionType: 1 },
    { kind: 'leverage', market: 'futures', symbol: 'BTC_USDT', leverage: 20 },
  ],
  [
    `POST ${F}/position/change_leverage`,
    { symbol: 'BTC_USDT', positionId: 7, leverage: 20 },
    { kind: 'leverage', symbol: undefined, leverage: 20 },
  ],
  // As ccxt writes it.
  [
    `POST ${F}/planorder/place`,
    { ...p, type: 1, executeCycle: 1 },
    { ...mexc, side: 'buy', size: '3', price: '9.5', trigger: '10' },
  ],
])('%s %j', expectEffect)
