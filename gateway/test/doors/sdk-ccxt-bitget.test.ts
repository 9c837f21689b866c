import type { Exchange } from 'ccxt'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestClient } from '../app.ts'
import { eventually } from '../support/eventually.ts'
import { ccxtBitget } from './ccxt-clients.ts'
import { PLACEHOLDER, sharedSluice } from './sluice.ts'

// ccxt calls Bitget by v2 with the option `uta: false`, by v3 with `uta: true`. Without it, ccxt
// asks once which of the two the account has.

const spot = 'BTC/USDT'
const perpetual = 'BTC/USDT:USDT'
const kinds = ['classic', 'unified'] as const
type Kind = (typeof kinds)[number]

const sluice = sharedSluice()

const botOf = (name: string, kind: Kind) =>
  sluice().client(name, {
    unified: kind === 'unified',
    permissions: ['market', 'account', 'trade', 'settings'],
  })

function ccxtOf(bot: TestClient, uta?: boolean): Exchange {
  return ccxtBitget({
    ...{ apiKey: PLACEHOLDER, secret: PLACEHOLDER, password: PLACEHOLDER },
    headers: { Authorization: bot.headers.authorization },
    url: `${sluice().url}/bg`,
    ...(uta === undefined ? {} : { uta }),
  })
}

/** The paths of what arrived at the exchange with the keys of a bot. */
const arrivedFor = ({ clientId }: TestClient): string[] =>
  sluice()
    .paper.received({ exchange: 'bg' })
    .filter(({ account }) => account === `${clientId}-bg`)
    .map(({ path }) => path)

test.each(kinds)('ccxt detects a %s account by itself, with one call', async (kind) => {
  const bot = await botOf(`detects-${kind}`, kind)
  const bitget = ccxtOf(bot)
  const markets = await bitget.loadMarkets()
  expect(markets[spot]).toMatchObject({ base: 'BTC', type: 'spot', active: true })
  expect(markets[perpetual]).toMatchObject({ settle: 'USDT', type: 'swap', active: true })
  await bitget.createOrder(spot, 'limit', 'buy', 0.01, 59_000)
  expect(bitget.options.uta).toBe(kind === 'unified')
  expect(
    arrivedFor(bot).filter((path) => path.includes('/trade/') || path.includes('settings')),
  ).toEqual([
    '/api/v3/account/settings',
    kind === 'unified' ? '/api/v3/trade/place-order' : '/api/v2/spot/trade/place-order',
  ])
})

describe.each(kinds)('ccxt with its option for a %s account', (kind) => {
  let bot: TestClient
  let bitget: Exchange
  beforeAll(async () => {
    bot = await botOf(`ccxt-${kind}`, kind)
    bitget = ccxtOf(bot, kind === 'unified')
    await bitget.loadMarkets()
  })

  test.each([spot, perpetual])('reads the market of %s', async (symbol) => {
    expect(await bitget.fetchTicker(symbol)).toMatchObject({ symbol, last: 60_000 })
    expect((await bitget.fetchOrderBook(symbol, 5)).asks).toHaveLength(5)
    expect((await bitget.fetchOHLCV(symbol, '1h', undefined, 3)).at(-1)).toMatchObject({
      4: 60_000,
    })
  })

  test.each([spot, perpetual])(
    'places, finds, changes, cancels and lists orders of %s',
    async (symbol) => {
      const clientOrderId = `ccxt-${kind}`
      const first = await bitget.createOrder(symbol, 'limit', 'buy', 0.01, 59_000, {
        clientOrderId,
      })
      expect(await bitget.fetchOrder(`${first.id}`, symbol)).toMatchObject({
        ...{ clientOrderId, status: 'open', price: 59_000, amount: 0.01 },
      })
      await bitget.editOrder(`${first.id}`, symbol, 'limit', 'buy', 0.02, 58_000)
      // Futures of v2 respond before they change the order.
      const [changed] = await eventually(async () => {
        const open = await bitget.fetchOpenOrders(symbol)
        expect(open).toMatchObject([{ price: 58_000, amount: 0.02 }])
        return open
      })
      // v3 changes an order in place; v2 cancels it and places another.
      expect(changed?.id === first.id).toBe(kind === 'unified')
      await bitget.cancelOrder(`${changed?.id}`, symbol)
      const second = await bitget.createOrder(symbol, 'limit', 'buy', 0.01, 59_000)
      await bitget.cancelAllOrders(symbol)
      expect(await bitget.fetchOpenOrders(symbol)).toEqual([])
      const canceled = await bitget.fetchCanceledOrders(symbol)
      expect(canceled.map(({ id }) => id)).toEqual(
        expect.arrayContaining([first.id, changed?.id, second.id]),
      )
    },
  )

  test('places and cancels several orders in one call', async () => {
    const orders = [1, 2].map((nth) => ({
      ...{ symbol: spot, type: 'limit', side: 'buy', amount: 0.01, price: 59_000 },
      params: { clientOrderId: `several-${kind}-${nth}` },
    }))
    const placed = await bitget.createOrders(orders)
    const ids = placed.map(({ id }) => `${id}`)
    expect((await bitget.fetchOpenOrders(spot)).map(({ id }) => id).toSorted()).toEqual(
      ids.toSorted(),
    )
    await bitget.cancelOrders(ids, spot)
    expect(await bitget.fetchOpenOrders(spot)).toEqual([])
  })

  test('buys and sells on the spot market, and reads the balance', async () => {
    // By its cost, which means the same on both: ccxt passes the amount of a market buy to v3 as it
    // is, and v3 takes it in the quote coin.
    await bitget.createMarketBuyOrderWithCost(spot, 600)
    await bitget.createOrder(spot, 'market', 'sell', 0.005)
    expect(await bitget.fetchMyTrades(spot)).toMatchObject([{ side: 'buy' }, { side: 'sell' }])
    const { BTC, USDT } = await bitget.fetchBalance()
    expect(BTC?.total).toBeGreaterThan(10)
    expect(USDT?.total).toBeLessThan(1_000_000)
    expect(await bitget.fetchTradingFee(spot)).toMatchObject({ symbol: spot, taker: 0.001 })
  })

  test('holds, reduces and closes a position', async () => {
    await bitget.setLeverage(10, perpetual)
    await bitget.createOrder(perpetual, 'market', 'buy', 0.02)
    await bitget.createOrder(perpetual, 'market', 'sell', 0.01, undefined, { reduceOnly: true })
    expect(await bitget.fetchPositions([perpetual])).toMatchObject([
      { side: 'long', contracts: 0.01, leverage: 10, hedged: false },
    ])
    await bitget.closePosition(perpetual)
    expect(await bitget.fetchPositions([perpetual])).toEqual([])
    // On v3, ccxt names neither symbol nor category, and takes every trade of BTCUSDT for one of
    // the market that it was asked for.
    const named = kind === 'unified' ? { category: 'USDT-FUTURES' } : {}
    const trades = await bitget.fetchMyTrades(perpetual, undefined, undefined, named)
    expect(trades).toMatchObject([{ side: 'buy' }, { side: 'sell' }, { side: 'sell' }])
    expect(await bitget.fetchClosedOrders(perpetual)).toHaveLength(3)
  })

  test('holds both directions in hedge mode, and closes each by its own order', async () => {
    const market = (side: 'buy' | 'sell', amount: number, reduceOnly: boolean) =>
      bitget.createOrder(perpetual, 'market', side, amount, undefined, {
        hedged: true,
        reduceOnly,
      })
    await bitget.setPositionMode(true, perpetual)
    await market('buy', 0.02, false)
    await market('sell', 0.01, false)
    const held = await bitget.fetchPositions([perpetual])
    expect(Object.fromEntries(held.map(({ side, contracts }) => [side, contracts]))).toEqual({
      long: 0.02,
      short: 0.01,
    })
    expect(held.map(({ hedged }) => hedged)).toEqual([true, true])
    await market('sell', 0.02, true)
    expect(await bitget.fetchPositions([perpetual])).toMatchObject([
      { side: 'short', contracts: 0.01 },
    ])
    await market('buy', 0.01, true)
    expect(await bitget.fetchPositions([perpetual])).toEqual([])
    await bitget.setPositionMode(false, perpetual)
  })
})
