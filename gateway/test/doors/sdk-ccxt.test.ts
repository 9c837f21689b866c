import type { Exchange } from 'ccxt'
import { beforeAll, expect, test } from 'vitest'
import { ccxtBitget, ccxtMexc } from './ccxt-clients.ts'
import { PLACEHOLDER, sharedSluice, tokenOf } from './sluice.ts'

const spot = 'BTC/USDT'
const perpetual = 'BTC/USDT:USDT'

const sluice = sharedSluice()
let bitget: Exchange
let mexc: Exchange

beforeAll(() => {
  const { url, bot } = sluice()
  const placeholders = { apiKey: PLACEHOLDER, secret: PLACEHOLDER, password: PLACEHOLDER }
  const headers = { Authorization: bot.headers.authorization }
  bitget = ccxtBitget({ ...placeholders, headers, url: `${url}/bg` })
  mexc = ccxtMexc({ ...placeholders, headers, url: `${url}/mx` })
})

const both = [
  ['Bitget', () => bitget],
  ['MEXC', () => mexc],
] as const

test.each(both)('ccxt loads the markets and coins of %s with keys set', async (_name, client) => {
  const markets = await client().loadMarkets()
  expect(markets[spot]).toMatchObject({ base: 'BTC', type: 'spot', active: true })
  expect(markets[perpetual]).toMatchObject({ settle: 'USDT', type: 'swap', active: true })
  expect(await client().fetchCurrencies()).toHaveProperty('USDT')
})

test.each(both)('ccxt reads the market of %s, spot and futures', async (_name, client) => {
  expect(await client().fetchTime()).toBeGreaterThan(1_700_000_000_000)
  for (const symbol of [spot, perpetual]) {
    expect(await client().fetchTicker(symbol)).toMatchObject({ symbol, last: 60_000 })
    expect((await client().fetchOrderBook(symbol, 5)).asks).toHaveLength(5)
    expect((await client().fetchOHLCV(symbol, '1h', undefined, 3)).at(-1)).toMatchObject({
      4: 60_000,
    })
  }
  expect(await client().fetchFundingRate(perpetual)).toMatchObject({ fundingRate: 0.0001 })
})

test.each(both)('ccxt trades spot on %s', async (_name, client) => {
  const placed = await client().createOrder(spot, 'limit', 'buy', 0.01, 59_000, {
    clientOrderId: 'ccxt-spot-1',
  })
  expect(await client().fetchOrder(`${placed.id}`, spot)).toMatchObject({
    clientOrderId: 'ccxt-spot-1',
    status: 'open',
    price: 59_000,
    amount: 0.01,
  })
  expect(await client().fetchOpenOrders(spot)).toMatchObject([{ id: placed.id }])
  await client().cancelOrder(`${placed.id}`, spot)
  expect(await client().fetchOrder(`${placed.id}`, spot)).toMatchObject({ status: 'canceled' })
  const edited = await client().createOrder(spot, 'limit', 'buy', 0.01, 58_000)
  await client().editOrder(`${edited.id}`, spot, 'limit', 'buy', 0.02, 57_000)
  expect(await client().fetchOpenOrders(spot)).toMatchObject([{ amount: 0.02, price: 57_000 }])
  await client().cancelAllOrders(spot)
  expect(await client().fetchOpenOrders(spot)).toEqual([])
  await client().createOrder(spot, 'market', 'buy', 0.01, 60_000)
  await client().createOrder(spot, 'market', 'sell', 0.005)
  expect(await client().fetchMyTrades(spot)).toMatchObject([{ side: 'buy' }, { side: 'sell' }])
  expect(await client().fetchTrades(spot)).toHaveLength(2)
  const held = await client().fetchBalance({ type: 'spot' })
  expect(held.BTC?.total).toBeGreaterThan(10)
  expect(await client().fetchTradingFee(spot)).toMatchObject({ symbol: spot })
})

test('ccxt trades futures on Bitget: leverage, orders, position, history', async () => {
  await bitget.setMarginMode('cross', perpetual)
  await bitget.setLeverage(10, perpetual)
  expect(await bitget.fetchLeverage(perpetual)).toMatchObject({ longLeverage: 10 })
  const resting = await bitget.createOrder(perpetual, 'limit', 'buy', 0.01, 59_000)
  expect(await bitget.fetchOpenOrders(perpetual)).toMatchObject([{ id: resting.id }])
  await bitget.cancelAllOrders(perpetual)
  const filled = await bitget.createOrder(perpetual, 'market', 'buy', 0.02)
  expect(await bitget.fetchOrder(`${filled.id}`, perpetual)).toMatchObject({
    status: 'closed',
    filled: 0.02,
  })
  await bitget.createOrder(perpetual, 'market', 'sell', 0.01, undefined, { reduceOnly: true })
  expect(await bitget.fetchPositions([perpetual])).toMatchObject([
    { side: 'long', contracts: 0.01, leverage: 10 },
  ])
  await bitget.closePosition(perpetual)
  expect(await bitget.fetchMyTrades(perpetual)).toHaveLength(3)
  expect(await bitget.fetchClosedOrders(perpetual)).toHaveLength(3)
  expect(await bitget.fetchCanceledOrders(perpetual)).toMatchObject([{ id: resting.id }])
})

test('ccxt trades futures on MEXC: leverage, orders, position, history', async () => {
  await mexc.setLeverage(10, perpetual, { openType: 2, positionType: 1 })
  expect(await mexc.fetchLeverage(perpetual)).toMatchObject({ longLeverage: 10 })
  expect(await mexc.fetchPositionMode(perpetual)).toMatchObject({ hedged: true })
  const cross = { marginMode: 'cross', leverage: 10 }
  const resting = await mexc.createOrder(perpetual, 'limit', 'buy', 100, 59_000, cross)
  expect(await mexc.fetchOpenOrders(perpetual)).toMatchObject([{ id: resting.id }])
  await mexc.cancelOrder(`${resting.id}`, perpetual)
  const filled = await mexc.createOrder(perpetual, 'market', 'buy', 200, undefined, cross)
  expect(await mexc.fetchOrder(`${filled.id}`, perpetual)).toMatchObject({
    status: 'closed',
    filled: 200,
  })
  await mexc.createOrder(perpetual, 'market', 'sell', 100, undefined, {
    ...cross,
    reduceOnly: true,
  })
  expect(await mexc.fetchPositions([perpetual])).toMatchObject([
    { side: 'long', contracts: 100, leverage: 10 },
  ])
  expect(await mexc.fetchMyTrades(perpetual)).toHaveLength(2)
  expect(await mexc.fetchOrderTrades(`${filled.id}`, perpetual)).toHaveLength(1)
  expect(await mexc.fetchClosedOrders(perpetual)).toHaveLength(2)
  expect(await mexc.fetchCanceledOrders(perpetual)).toMatchObject([{ id: resting.id }])
})

test.each(both)(
  'withdrawals, transfers and deposit addresses of %s are closed to ccxt',
  async (_name, client) => {
    const { paper } = sluice()
    const before = paper.received().at(-1)?.seq ?? 0
    const attempts = [
      client().withdraw('USDT', 10, `0x${'1'.repeat(40)}`, undefined, { network: 'ERC20' }),
      client().transfer('USDT', 10, 'spot', 'swap'),
      client().fetchDepositAddress('USDT', { network: 'ERC20' }),
    ]
    await Promise.all(
      attempts.map((attempt) => expect(attempt).rejects.toThrow('ENDPOINT_FORBIDDEN')),
    )
    expect(paper.received({ since: before })).toEqual([])
  },
)

test.each(both)(
  'an order of ccxt on %s whose response is lost is found, not repeated',
  async (_name, client) => {
    const { paper } = sluice()
    const clientOrderId = `lost-${client().id}`
    paper.faults.add({ kind: 'reset-after', match: { method: 'POST' } })
    const placed = await client().createOrder(spot, 'limit', 'buy', 0.01, 51_000, { clientOrderId })
    expect(await client().fetchOrder(`${placed.id}`, spot)).toMatchObject({ clientOrderId })
    expect(paper.orders().filter((order) => order.clientOrderId === clientOrderId)).toHaveLength(1)
  },
)

test.each([
  ['bg', () => bitget],
  ['mx', () => mexc],
] as const)(
  "calls of ccxt are sent to %s with the stored key, without ccxt's signature",
  async (exchange, client) => {
    const { paper, bot, arrivedText } = sluice()
    const before = paper.received().at(-1)?.seq ?? 0
    await client().fetchBalance({ type: 'spot' })
    await client().fetchBalance({ type: 'swap' })
    const arrived = paper.received({ since: before })
    expect(arrived.map(({ account, status }) => ({ account, status }))).toEqual(
      Array.from({ length: 2 }, () => ({ account: `sdk-bot-${exchange}`, status: 200 })),
    )
    for (const own of [PLACEHOLDER, tokenOf(bot), 'Bearer', 'CCXT']) {
      expect(arrivedText()).not.toContain(own)
    }
  },
)
