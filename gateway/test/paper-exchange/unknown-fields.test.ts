import { expect, test } from 'vitest'
import { bitget, bitgetUnified, mexcFutures, mexcSpot, paperExchange } from './paper.ts'

// The real exchanges ignore a field that an order call does not know, and trade otherwise than was
// meant. Here a program that sends one finds out.

const paper = () => paperExchange()
const sale = { symbol: 'BTCUSDT', side: 'sell', orderType: 'market', force: 'gtc', size: '0.01' }
const futures = { productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const contract = { symbol: 'BTC_USDT', side: 1, type: 5, vol: 100, openType: 2 }

test.each<[what: string, call: (more: object) => Promise<{ json: unknown }>, rejected: object]>([
  [
    'MEXC spot',
    async (more) =>
      mexcSpot(await paper(), 'POST', '/order/test', {
        ...{ symbol: 'BTCUSDT', side: 'SELL', type: 'MARKET', quantity: '0.01', ...more },
      }),
    { code: 33333 },
  ],
  [
    'MEXC futures',
    async (more) => mexcFutures(await paper(), 'POST', '/order/create', { ...contract, ...more }),
    { success: false, code: 600 },
  ],
  [
    'Bitget spot',
    async (more) => bitget(await paper(), 'POST', '/spot/trade/place-order', { ...sale, ...more }),
    { code: '40020' },
  ],
  [
    'Bitget futures',
    async (more) =>
      bitget(await paper(), 'POST', '/mix/order/place-order', {
        ...{ ...sale, ...futures, marginMode: 'crossed', ...more },
      }),
    { code: '40020' },
  ],
])('%s rejects an order with a field that it does not know', async (_what, call, rejected) => {
  for (const more of [{ stopPrice: '50000' }, { trailingPercent: '2' }, { nonsense: '1' }])
    expect((await call(more)).json).toMatchObject(rejected)
  // What says nothing passes.
  expect((await call({ stopPrice: '' })).json).not.toMatchObject(rejected)
})

test('Bitget spot takes a trigger price with its type alone', async () => {
  const exchange = await paper()
  const order = { ...sale, triggerPrice: '50000' }
  const rejected = await bitget(exchange, 'POST', '/spot/trade/place-order', order)
  expect(rejected.json).toMatchObject({ code: '40020', msg: 'Parameter triggerPrice error' })
  expect(exchange.orders()).toEqual([])
})

test('a unified account rejects one too', async () => {
  const exchange = await paper()
  exchange.accounts.migrate('bitget', 'unified')
  const order = {
    ...{ category: 'SPOT', symbol: 'BTCUSDT', side: 'sell', orderType: 'market', qty: '0.01' },
  }
  const wrong = { ...order, triggerPrice: '50000' }
  const rejected = await bitgetUnified(exchange, 'POST', '/trade/place-order', wrong)
  expect(rejected.json).toMatchObject({ code: '400172' })
  expect(exchange.orders()).toEqual([])
})
