import type { Exchange } from 'ccxt'
import { beforeAll, expect, test } from 'vitest'
import { ccxtBitget } from './sdk/ccxt-clients.ts'
import { PLACEHOLDER, sharedSluice } from './sdk/sluice.ts'

const spot = 'BTC/USDT'
const perpetual = 'BTC/USDT:USDT'

const sluice = sharedSluice()
let bitget: Exchange

beforeAll(async () => {
  const bot = await sluice().client('ccxt-unified', {
    unified: true,
    permissions: ['market', 'account', 'trade', 'settings'],
  })
  bitget = ccxtBitget({
    ...{ apiKey: PLACEHOLDER, secret: PLACEHOLDER, password: PLACEHOLDER },
    headers: { Authorization: bot.headers.authorization },
    url: `${sluice().url}/bg`,
  })
})

test('ccxt detects a unified account of Bitget by itself, and loads its markets', async () => {
  const markets = await bitget.loadMarkets()
  expect(bitget.options.uta).toBe(true)
  expect(markets[spot]).toMatchObject({ base: 'BTC', type: 'spot', active: true })
  expect(markets[perpetual]).toMatchObject({ settle: 'USDT', type: 'swap', active: true })
})

test.each([spot, perpetual])('ccxt reads the market of %s over v3', async (symbol) => {
  expect(await bitget.fetchTicker(symbol)).toMatchObject({ symbol, last: 60_000 })
  expect((await bitget.fetchOrderBook(symbol, 5)).asks).toHaveLength(5)
  expect((await bitget.fetchOHLCV(symbol, '1h', undefined, 3)).at(-1)).toMatchObject({ 4: 60_000 })
})

test.each([spot, perpetual])(
  'ccxt places, changes, finds and cancels orders of %s over v3',
  async (symbol) => {
    const { id } = await bitget.createOrder(symbol, 'limit', 'buy', 0.01, 59_000, {
      clientOrderId: 'ccxt-v3',
    })
    await bitget.editOrder(`${id}`, symbol, 'limit', 'buy', 0.02, 58_000)
    expect(await bitget.fetchOrder(`${id}`, symbol)).toMatchObject({
      ...{ clientOrderId: 'ccxt-v3', status: 'open', price: 58_000, amount: 0.02 },
    })
    expect(await bitget.fetchOpenOrders(symbol)).toMatchObject([{ id }])
    await bitget.cancelOrder(`${id}`, symbol)
    await bitget.createOrder(symbol, 'limit', 'buy', 0.01, 59_000)
    await bitget.cancelAllOrders(symbol)
    expect(await bitget.fetchOpenOrders(symbol)).toEqual([])
    expect(await bitget.fetchCanceledAndClosedOrders(symbol)).toMatchObject([
      { status: 'canceled' },
      { status: 'canceled' },
    ])
  },
)

test('ccxt holds and closes a position over v3', async () => {
  await bitget.setLeverage(10, perpetual)
  await bitget.createOrder(perpetual, 'market', 'buy', 0.02)
  expect(await bitget.fetchPositions([perpetual])).toMatchObject([
    { side: 'long', contracts: 0.02, leverage: 10 },
  ])
  await bitget.closePosition(perpetual)
  expect(await bitget.fetchPositions([perpetual])).toEqual([])
  expect(await bitget.fetchMyTrades(perpetual)).toMatchObject([{ side: 'buy' }, { side: 'sell' }])
  expect((await bitget.fetchBalance()).USDT?.total).toBeGreaterThan(900_000)
})
