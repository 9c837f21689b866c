import { beforeEach, expect, test } from 'vitest'
import { type Bot, botOf, expectUnfit } from '../support/bot-of.ts'
import { ownErrorOf } from '../support/call.ts'
import { sharedApp } from '../support/shared-app.ts'

// The exchanges ignore a field that a call does not know: a stop order traded at once. What ccxt
// sends is in ccxt-orders.test.ts, every field of every call in src/exchanges/stop-fields.test.ts.

const shared = sharedApp()
const CREATE = '/mx/api/v1/private/order/create'
const BITGET_SPOT = '/bg/api/v2/spot/trade'
const MIX = '/bg/api/v2/mix/order'
const sale = { symbol: 'BTCUSDT', side: 'sell', orderType: 'market', size: '0.01', force: 'gtc' }
const contract = { symbol: 'BTC_USDT', side: 1, type: 1, price: 50_000, vol: 100, openType: 2 }
const futures = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const futuresSale = { ...sale, ...futures, marginMode: 'crossed' }
const unifiedSale = {
  ...{ symbol: 'BTCUSDT', category: 'SPOT', side: 'sell', orderType: 'market', qty: '0.01' },
}
const SPOT_SALE = 'symbol=BTCUSDT&side=SELL&type=MARKET&quantity=0.01'
const batchOf = (orders: object[]) => `batchOrders=${encodeURIComponent(JSON.stringify(orders))}`
const mexcSale = { symbol: 'BTCUSDT', side: 'SELL', type: 'MARKET', quantity: '0.01' }

let bot: Bot
beforeEach(async () => {
  bot = await botOf(shared())
})
const arrived = () => bot.paper.received().filter(({ method }) => method === 'POST')

const SEVERAL = `/mx/api/v3/batchOrders?${batchOf([mexcSale, { ...mexcSale, stopPrice: '5' }])}`
const trigger = { triggerPrice: '50000' }
const closing = { ...contract, side: 4, stopLossPrice: 40_000 }
const severalSales = {
  symbol: 'BTCUSDT',
  orderList: [sale, { ...sale, tpslType: 'tpsl', ...trigger }],
}
const SPOT_PLAN = 'POST /api/v2/spot/trade/place-plan-order'
const UNIFIED = '/bg/api/v3/trade'
const STRATEGY = 'POST /api/v3/trade/place-strategy-order'

test.each<[what: string, url: string, body: object, field: string, instead: string]>([
  [
    'MEXC spot',
    `/mx/api/v3/order?${SPOT_SALE}&stopPrice=5`,
    {},
    'stopPrice',
    'MEXC spot has no call',
  ],
  [
    'MEXC spot at the root',
    `/api/v3/order?${SPOT_SALE}&triggerPrice=5`,
    {},
    'triggerPrice',
    'no call',
  ],
  ['one of several on MEXC spot', SEVERAL, {}, 'stopPrice', 'no call'],
  [
    'MEXC futures',
    CREATE,
    { ...contract, trailingPercent: 2 },
    'trailingPercent',
    'trackorder/place',
  ],
  ['an order that closes', CREATE, closing, 'stopLossPrice', 'stoporder/place'],
  ['Bitget spot', `${BITGET_SPOT}/place-order`, { ...sale, ...trigger }, 'triggerPrice', SPOT_PLAN],
  [
    'one of several',
    `${BITGET_SPOT}/batch-orders`,
    severalSales,
    'triggerPrice',
    'place-plan-order',
  ],
  [
    ...([
      'Bitget futures',
      `${MIX}/place-order`,
      { ...futuresSale, stopLossPrice: '50000' },
    ] as const),
    ...(['stopLossPrice', 'POST /api/v2/mix/order/place-tpsl-order'] as const),
  ],
  [
    ...(['beside a list', `${MIX}/batch-place-order`] as const),
    ...([
      { ...futures, ...trigger, orderList: [sale] },
      'triggerPrice',
      'place-plan-order',
    ] as const),
  ],
  [
    'a close',
    `${MIX}/close-positions`,
    { ...futures, ...trigger },
    'triggerPrice',
    'place-plan-order',
  ],
  ['unified', `${UNIFIED}/place-order`, { ...unifiedSale, ...trigger }, 'triggerPrice', STRATEGY],
  [
    ...(['several on a unified account', `${UNIFIED}/place-batch`] as const),
    ...([
      [unifiedSale, { ...unifiedSale, callbackRatio: '2' }],
      'callbackRatio',
      'no call',
    ] as const),
  ],
])(
  'a stop that the call does not know never trades: %s',
  async (_what, url, body, field, instead) => {
    const key = { 'idempotency-key': `stop-${field}` }
    const refused = await bot.post(url, body, key)
    expect(refused.statusCode).toBe(422)
    expect(ownErrorOf(refused.json())).toMatchObject({
      ...{ code: 'ORDER_FIELD_UNKNOWN', outcome: 'not-sent', retryable: false },
      message: expect.stringContaining(`does not know the field "${field}"`),
    })
    expect(ownErrorOf(refused.json()).message).toContain(instead)
    expect(arrived()).toEqual([])
    // Nothing was written down: the key is free.
    expect((await bot.post(CREATE, contract, key)).json()).toMatchObject({ success: true })
  },
)

test('a stop that the call knows passes as it was written', async () => {
  const protectedEntry = { ...contract, stopLossPrice: 40_000, takeProfitPrice: '70000' }
  expect((await bot.post(CREATE, protectedEntry)).json()).toMatchObject({ success: true })
  expect(bot.orders('mx')).toMatchObject([{ status: 'open' }])
  const standAlone = { ...sale, tpslType: 'tpsl', triggerPrice: '50000' }
  // Passed on; the paper exchange has no such orders.
  const passed = await bot.post(`${BITGET_SPOT}/place-order`, standAlone)
  expect(passed.json()).toMatchObject({ code: '40034' })
  expect(arrived().at(-1)?.body).toContain(JSON.stringify(standAlone).slice(1))
})

test('fields that say nothing pass, also in an order that closes', async () => {
  const empty = { ...contract, side: 2, stopLossPrice: 0, takeProfitPrice: '', triggerPrice: null }
  const response = await bot.post(CREATE, empty)
  expect(response.json()).not.toHaveProperty('sluice')
  expect(arrived()).toHaveLength(1)
})

test.each([
  ['/api/mx/v1/submitOrder', { symbol: 'BTCUSDT', side: 'SELL', type: 'MARKET', quantity: '0.01' }],
  ['/api/bg/v1/spot/trade/place-order', sale],
  ['/api/bg/v1/futures/trade/place-order', { ...sale, symbol: 'BTCUSDT', marginMode: 'crossed' }],
  [
    '/api/bg/v1/futures/trade/modify-order',
    { symbol: 'BTCUSDT', orderId: '1', newSize: '1', newPrice: '1' },
  ],
])('%s takes no field that it does not document', async (url, order) => {
  for (const field of ['triggerPrice', 'stopPrice', 'stopLossPrice', 'trailingPercent'])
    await expectUnfit(bot, url, { ...order, [field]: '50000' }, field)
})
