import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bitget, DuplicateOrderId, type Exchange, mexc } from 'ccxt'
import { ACCOUNT_KINDS } from 'schema'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { TestClient } from '../app.ts'
import { keysOf, storeKeys } from '../support/share-keys.ts'
import { type Calls, type Door, testCalls } from './calls.ts'
import { ACCOUNTS, type Account, ccxtOf, newCcxt, perpetual, spot } from './ccxt-clients.ts'
import { botsFolder, hasModules, importProgram, runProgram } from './run-program.ts'
import { PLACEHOLDER, sharedSluice, tokenOf } from './sluice.ts'

// ccxt has 28 MB: what needs it is here and in ccxt-orders.test.ts. It calls Bitget by v2 with the
// option `uta: false`, by v3 with `uta: true`; without it, ccxt asks once which of the two the
// account has.

const sluice = sharedSluice()

const via = (bot: TestClient, account: Account) => ccxtOf(sluice().url, bot, account)
const detecting = (bot: TestClient) => ccxtOf(sluice().url, bot, 'classic', true)

/** ccxt counts MEXC's futures in contracts, and names their margin in each order. */
const contracts = { size: 0.0001, params: { marginMode: 'cross', leverage: 10 } }
const coins = { size: 1, params: {} }

const callsOf = (exchange: Exchange, symbol: string, unit: typeof coins = coins): Calls => {
  const amount = 0.01 / unit.size
  interface Listed {
    readonly amount?: number | undefined
    readonly clientOrderId?: string | undefined
    readonly info?: { readonly externalOid?: string } | undefined
  }
  // ccxt leaves the bot's own id of a futures order of MEXC where MEXC has it.
  const inCoins = ({ amount, clientOrderId, info, ...order }: Listed) => ({
    ...order,
    amount: Number(amount) * unit.size,
    clientOrderId: clientOrderId ?? info?.externalOid,
  })
  const idOf = (ref: object) => ('id' in ref ? `${ref.id}` : '')
  const type = symbol === spot ? 'spot' : 'swap'
  const name = `${exchange.id} ${type}`
  return {
    place: (clientOrderId) => {
      const params = { ...unit.params, clientOrderId }
      return exchange.createOrder(symbol, 'limit', 'buy', amount, 50_000, params)
    },
    find: async (ref) => inCoins(await exchange.fetchOrder(idOf(ref), symbol)),
    cancel: (ref) => exchange.cancelOrder(idOf(ref), symbol),
    // MEXC's spot market has a list of all orders alone.
    history: async () => {
      const list = name === 'mexc spot' ? 'fetchOrders' : 'fetchCanceledOrders'
      return (await exchange[list](symbol)).map(inCoins)
    },
    balance: () => exchange.fetchBalance({ type }),
    open: async () => (await exchange.fetchOpenOrders(symbol)).map(inCoins),
    price: () => exchange.fetchTicker(symbol),
    book: () => exchange.fetchOrderBook(symbol, 5),
    ...(unit === contracts
      ? {}
      : {
          change: (id: string) =>
            exchange.editOrder(id, symbol, 'limit', 'buy', 2 * amount, 49_000),
        }),
    ...(type === 'spot'
      ? {}
      : {
          trade: (side: 'buy' | 'sell') => {
            const params = { ...unit.params, reduceOnly: side === 'sell' }
            return exchange.createOrder(symbol, 'market', side, amount, undefined, params)
          },
          positions: async () =>
            (await exchange.fetchPositions([symbol])).map(({ side, contracts }) => ({
              side,
              contracts: Number(contracts) * unit.size,
            })),
        }),
  }
}

const SPOT_V2 = '/api/v2/spot/trade/place-order'
const V3 = '/api/v3/trade/place-order'
const doors: readonly Door[] = (
  [
    ['ccxt, MEXC spot', 'MEXC', spot, '/api/v3/order'],
    ['ccxt, MEXC futures', 'MEXC', perpetual, '/api/v1/private/order/create'],
    ['ccxt, Bitget spot', 'classic', spot, SPOT_V2],
    ['ccxt, Bitget futures', 'classic', perpetual, '/api/v2/mix/order/place-order'],
    ['ccxt, unified spot', 'unified', spot, V3],
    ['ccxt, unified futures', 'unified', perpetual, V3],
  ] as const
).map(([name, account, symbol, path]) => {
  const isInContracts = account === 'MEXC' && symbol === perpetual
  return {
    ...{ name, path, exchange: account === 'MEXC' ? 'mx' : 'bg', unified: account === 'unified' },
    market: symbol === spot ? 'spot' : 'futures',
    lacks: isInContracts ? ['own', 'change'] : ['own'],
    as: async (bot) => callsOf(await via(bot, account), symbol, isInContracts ? contracts : coins),
  }
})
testCalls(sluice, doors)

/** The paths of what arrived at the exchange with the keys of a bot. */
const arrivedFor = ({ clientId }: TestClient): string[] =>
  sluice()
    .paper.received({ exchange: 'bg' })
    .filter(({ account }) => account === `${clientId}-bg`)
    .map(({ path }) => path)

test.each(ACCOUNT_KINDS)('ccxt detects a %s account by itself, with one call', async (kind) => {
  const bot = await sluice().botOf(kind)
  const exchange = await detecting(bot)
  await exchange.loadMarkets()
  await exchange.createOrder(spot, 'limit', 'buy', 0.01, 59_000)
  expect(exchange.options.uta).toBe(kind === 'unified')
  expect(arrivedFor(bot).filter((path) => /\/trade\/|settings/.test(path))).toEqual([
    '/api/v3/account/settings',
    kind === 'unified' ? V3 : SPOT_V2,
  ])
})

// Each bot asked for all of it, in slots of its own.
test.each(ACCOUNTS)(
  'three bots of one account that load the markets of ccxt (%s) one after another cost one set of calls',
  async (account) => {
    const { paper, url, call } = sluice()
    const bots = await Promise.all(
      [1, 2, 3].map(() => sluice().botOf(account === 'unified' ? 'unified' : 'classic')),
    )
    const [one, ...others] = bots as [TestClient, ...TestClient[]]
    for (const { clientId } of others)
      for (const exchange of ['mx', 'bg'] as const)
        await storeKeys({ call, clientId }, exchange, keysOf(one, exchange))
    paper.clearReceived()
    // Others of this file have loaded them already.
    const first = newCcxt(url, one, account)
    first.headers = { ...first.headers, 'Cache-Control': 'no-cache' }
    const markets = Object.keys(await first.loadMarkets())
    const cost = paper.received().length
    expect(cost).toBeGreaterThanOrEqual(3)
    for (const bot of others)
      expect(Object.keys(await newCcxt(url, bot, account).loadMarkets())).toEqual(markets)
    expect(paper.received()).toHaveLength(cost)
  },
)

const clients = {
  MEXC: () => via(sluice().bot, 'MEXC'),
  'a classic account of Bitget': () => via(sluice().bot, 'classic'),
  'a unified account of Bitget': async () => via(await sluice().botOf('unified'), 'unified'),
} as const

describe.each(Object.entries(clients))('ccxt on %s', (name, client) => {
  let exchange: Exchange
  const isUnified = name.includes('unified')
  beforeAll(async () => {
    exchange = await client()
  })

  test('loads markets and coins with keys set, and reads the clock, candles and rates', async () => {
    const markets = await exchange.loadMarkets(true)
    expect(markets[spot]).toMatchObject({ base: 'BTC', type: 'spot', active: true })
    expect(markets[perpetual]).toMatchObject({ settle: 'USDT', type: 'swap', active: true })
    expect(await exchange.fetchCurrencies()).toHaveProperty('USDT')
    expect(await exchange.fetchTime()).toBeGreaterThan(1_700_000_000_000)
    for (const symbol of [spot, perpetual]) {
      const candles = await exchange.fetchOHLCV(symbol, '1h', undefined, 3)
      expect(candles.at(-1)).toMatchObject({ 4: 60_000 })
    }
    // For v3, ccxt sends no category, and then Bitget does not take the call.
    if (isUnified) return
    const rate = await exchange.fetchFundingRate(perpetual)
    expect(rate).toMatchObject({ fundingRate: 0.0001 })
  })

  test('cancels all orders of a symbol at once', async () => {
    await exchange.createOrder(spot, 'limit', 'buy', 0.01, 50_000)
    await exchange.cancelAllOrders(spot)
    expect(await exchange.fetchOpenOrders(spot)).toEqual([])
  })

  test('buys and sells on the spot market, and reads trades, balance and fee', async () => {
    // By its cost: ccxt passes the amount of a market buy to v3 of Bitget as it is, and v3 takes it
    // in the quote coin.
    await exchange.createMarketBuyOrderWithCost(spot, 600)
    await exchange.createOrder(spot, 'market', 'sell', 0.005)
    expect(await exchange.fetchMyTrades(spot)).toMatchObject([{ side: 'buy' }, { side: 'sell' }])
    expect((await exchange.fetchTrades(spot)).length).toBeGreaterThan(1)
    const { BTC } = await exchange.fetchBalance({ type: 'spot' })
    expect(BTC?.total).toBeGreaterThan(10)
    expect(await exchange.fetchTradingFee(spot)).toMatchObject({ symbol: spot })
  })

  test('sets the leverage, reduces and closes a position, and lists its trades and orders', async () => {
    const isMexc = name === 'MEXC'
    const { params } = isMexc ? contracts : coins
    const size = isMexc ? 100 : 0.01
    await exchange.setLeverage(10, perpetual, isMexc ? { openType: 2, positionType: 1 } : {})
    const market = (side: 'buy' | 'sell', amount: number, reduceOnly: boolean) =>
      exchange.createOrder(perpetual, 'market', side, amount, undefined, { ...params, reduceOnly })
    const filled = await market('buy', 2 * size, false)
    expect(await exchange.fetchOrder(`${filled.id}`, perpetual)).toMatchObject({
      ...{ status: 'closed', filled: 2 * size },
    })
    await market('sell', size, true)
    expect(await exchange.fetchPositions([perpetual])).toMatchObject([
      { side: 'long', contracts: size, leverage: 10 },
    ])
    if (isMexc) await market('sell', size, true)
    else await exchange.closePosition(perpetual)
    expect(await exchange.fetchPositions([perpetual])).toEqual([])
    // On v3, ccxt names neither symbol nor category, and takes every trade of BTCUSDT for one of
    // the market that it was asked for.
    const named = isUnified ? { category: 'USDT-FUTURES' } : {}
    expect(await exchange.fetchMyTrades(perpetual, undefined, undefined, named)).toHaveLength(3)
    expect(await exchange.fetchClosedOrders(perpetual)).toHaveLength(3)
  })
})

// What it is closed for: drop-in.test.ts. That a lost order is looked up: drop-in-orders.test.ts.
test("calls of ccxt are sent without ccxt's keys, tokens and names", () => {
  const { bot, arrivedText } = sluice()
  for (const own of [PLACEHOLDER, tokenOf(bot), 'Bearer', 'CCXT'])
    expect(arrivedText()).not.toContain(own)
})

test('ccxt reads the modes of futures on MEXC and on a classic account of Bitget', async () => {
  const [mexc, bitget] = [await clients.MEXC(), await clients['a classic account of Bitget']()]
  expect(await mexc.fetchLeverage(perpetual)).toMatchObject({ longLeverage: 10 })
  expect(await mexc.fetchPositionMode(perpetual)).toMatchObject({ hedged: true })
  await bitget.setMarginMode('cross', perpetual)
  expect(await bitget.fetchLeverage(perpetual)).toMatchObject({ longLeverage: 10 })
})

test('when its account is migrated, ccxt gets the code of Bitget until it may detect again', async () => {
  const { paper, app } = sluice()
  const bot = await sluice().botOf('classic')
  const exchange = await detecting(bot)
  const place = () => exchange.createOrder(spot, 'limit', 'buy', 0.01, 59_000)
  const first = await place()
  expect(exchange.options.uta).toBe(false)

  paper.accounts.migrate(`${bot.clientId}-bg`, 'unified')

  await expect(place()).rejects.toThrow('"code":"40085"')
  await expect(place()).rejects.toThrow('"code":"40085"')
  expect(sluice().ordersOf(bot)).toHaveLength(1)
  const documented = await app.inject({
    ...{ method: 'POST', url: '/api/bg/v1/spot/trade/place-order', headers: bot.headers },
    payload: { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price: '59000', size: '0.01' },
  })
  expect(documented.statusCode).toBe(200)

  exchange.options.uta = undefined
  expect(await exchange.fetchOrder(`${first.id}`, spot)).toMatchObject({ status: 'open' })
  await place()
  expect(sluice().ordersOf(bot)).toHaveLength(3)
})

// The programs of docs/bots took ccxt's client order id as the key, so that an id that was used
// again placed nothing, and every error of the gateway was a plain ExchangeError, even the one that
// says that an order may exist.

const classes = { mx: mexc, bg: bitget } as const
type Code = keyof typeof classes
const both = ['mx', 'bg'] as const
const limitBuy = [spot, 'limit', 'buy', 0.001, 48_000] as const

/** ccxt as the program of the page makes it, for another bot when one is given. */
async function viaProgram(code: Code, bot: TestClient = sluice().bot) {
  const program = await importProgram({ ...sluice(), bot }, 'sluice-ccxt.mjs')
  const { viaSluice } = program as typeof import('../../../docs/bots/sluice-ccxt.mjs')
  return viaSluice<Exchange>(classes[code], code)
}
const nameOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'went well',
    (error) => Object.getPrototypeOf(error).constructor.name,
  )
const post = { method: 'POST' } as const

describe.each(both)('the program for ccxt on %s', (code) => {
  test('places another order with a reused client order id', async () => {
    const exchange = await viaProgram(code)
    const params = { clientOrderId: `again-${code}` }
    const first = await exchange.createOrder(...limitBuy, params)
    await exchange.cancelOrder(`${first.id}`, spot)
    const second = await exchange.createOrder(...limitBuy, params)
    expect(second.id).not.toBe(first.id)
    expect(await exchange.fetchOrder(`${second.id}`, spot)).toMatchObject({ status: 'open' })
  })

  test('makes two attempts with an idempotency key one order', async () => {
    const { paper } = sluice()
    const exchange = await viaProgram(code)
    const before = paper.orders(code).length
    const params = { idempotencyKey: `own-${code}` }
    const first = await exchange.createOrder(...limitBuy, params)
    expect((await exchange.createOrder(...limitBuy, params)).id).toBe(first.id)
    expect(paper.orders(code)).toHaveLength(before + 1)
    const other = [spot, 'limit', 'buy', 0.002, 48_000] as const
    await expect(exchange.createOrder(...other, params)).rejects.toMatchObject({
      ...{ name: 'ExchangeError', outcome: 'not-sent', retryable: false },
      sluice: { code: 'IDEMPOTENCY_KEY_REUSED', statusCode: 422 },
    })
  })

  test('has the error of Sluice on its own, and the class that ccxt has no code for', async () => {
    const exchange = await viaProgram(code)
    const error = {
      statusCode: 409,
      code: 'OUTCOME_PENDING',
      outcome: 'not-sent',
      retryable: false,
    }
    const response = {
      code: code === 'mx' ? 504 : '50008',
      msg: 'OUTCOME_PENDING',
      sluice: error,
    }
    const body = JSON.stringify(response)
    const raise = () => exchange.handleErrors(409, '', '', 'POST', {}, body, response, {}, '')
    expect(raise).toThrow(DuplicateOrderId)
    expect(raise).toThrow(expect.objectContaining({ sluice: error, retryable: false }))
  })

  test('throws RequestTimeout for an order that may exist, refuses the same again, and PermissionDenied for a closed call', async () => {
    const exchange = await viaProgram(code)
    await exchange.loadMarkets()
    sluice().paper.faults.add({ kind: 'reset-before', match: { ...post, exchange: code } })
    const unknown = [spot, 'limit', 'buy', 0.001, code === 'mx' ? 47_100 : 47_200] as const
    await expect(exchange.createOrder(...unknown)).rejects.toMatchObject({
      ...{ name: 'RequestTimeout', outcome: 'unknown', retryable: true },
    })
    // A bot that only tries again must not place it twice.
    expect(await nameOf(exchange.createOrder(...unknown))).toBe('DuplicateOrderId')
    const address = `0x${'1'.repeat(40)}`
    const withdrawal = exchange.withdraw('USDT', 10, address, undefined, { network: 'ERC20' })
    expect(await nameOf(withdrawal)).toBe('PermissionDenied')
  })

  test('gets a new token when its own was revoked', async () => {
    const { app, asAdmin } = sluice()
    const bot = await sluice().botOf('classic')
    const exchange = await viaProgram(code, bot)
    await exchange.fetchBalance()
    const url = `/api/admin/client-credentials/${bot.id}/toggle`
    for (let turn = 0; turn < 2; turn += 1)
      await app.inject({ method: 'PATCH', url, headers: asAdmin })
    expect(await exchange.fetchBalance()).toHaveProperty('USDT')
  })

  test('places an order once when it gives up waiting and tries again by itself', async () => {
    const { paper } = sluice()
    const exchange = await viaProgram(code)
    await exchange.loadMarkets()
    paper.faults.add({ kind: 'slow', delayMs: 900, match: { ...post, exchange: code } })
    exchange.timeout = 300
    exchange.options.maxRetriesOnFailure = 10_000
    const { id } = await exchange.createOrder(spot, 'limit', 'buy', 0.001, 48_500)
    expect(id).toMatch(/^(C02__)?\d{18,}$/)
    expect(paper.orders(code).filter(({ price }) => price === '48500')).toHaveLength(1)
  })
})

test('a wrong secret is an AuthenticationError', async () => {
  const exchange = await viaProgram('bg', { ...sluice().bot, clientSecret: 'sls_wrong' })
  expect(await nameOf(exchange.fetchBalance())).toBe('AuthenticationError')
})

test('a request to a stopped exchange is OnMaintenance, which ccxt sends again', async () => {
  const { app, asAdmin, paper } = sluice()
  const exchange = await viaProgram('bg')
  await exchange.loadMarkets()
  const turn = (how: 'stop' | 'resume') =>
    app.inject({
      method: 'POST',
      url: `/api/admin/exchanges/bg/${how}`,
      headers: asAdmin,
      ...(how === 'stop' ? { payload: { reason: 'a test' } } : {}),
    })
  onTestFinished(() => void turn('resume'))
  expect((await turn('stop')).statusCode).toBeLessThan(300)
  expect(await nameOf(exchange.createOrder(...limitBuy))).toBe('OnMaintenance')
  const before = paper.orders('bg').length
  exchange.options.maxRetriesOnFailure = 10_000
  exchange.options.maxRetriesOnFailureDelay = 50
  const patient = exchange.createOrder(...limitBuy)
  await turn('resume')
  await patient
  expect(paper.orders('bg')).toHaveLength(before + 1)
})

test("ccxt's demo trading stays demo trading", async () => {
  const { paper } = sluice()
  const exchange = await viaProgram('bg')
  await exchange.loadMarkets()
  exchange.setSandboxMode(true)
  await exchange.createOrder(...limitBuy)
  const [order] = paper.received({ path: '/api/v2/spot/trade/place-order' }).slice(-1)
  expect(order?.headers).toMatchObject({ paptrading: '1' })
})

test.each([
  ['classic', 'unified'],
  ['unified', 'classic'],
] as const)(
  'when a %s account becomes %s, one call of ccxt fails and the next one is made for it',
  async (from, to) => {
    const bot = await sluice().botOf(from)
    const exchange = await viaProgram('bg', bot)
    const { id } = await exchange.createOrder(...limitBuy)
    sluice().paper.accounts.migrate(`${bot.clientId}-bg`, to)
    // Nothing was done, so that the key is free for the order in its other form.
    const params = { idempotencyKey: `becomes-${to}` }
    expect(await nameOf(exchange.createOrder(...limitBuy, params))).toBe('ExchangeError')
    expect(sluice().ordersOf(bot)).toHaveLength(1)
    await exchange.createOrder(...limitBuy, params)
    expect(sluice().ordersOf(bot)).toHaveLength(2)
    expect(await exchange.fetchOrder(`${id}`, spot)).toMatchObject({ status: 'open' })
  },
)

test('a unified account that ccxt could not detect is known after one call', async () => {
  const { paper } = sluice()
  const exchange = await viaProgram('bg', await sluice().botOf('unified'))
  paper.faults.add({ kind: '5xx', match: { path: '/api/v3/account/settings' } })
  await exchange.loadMarkets()
  expect(exchange.options.uta).toBe(false)
  expect(await nameOf(exchange.createOrder(...limitBuy))).toBe('ExchangeError')
  expect((await exchange.createOrder(...limitBuy)).id).toMatch(/^\d+$/)
})

test('a client for market data alone loads the markets of both', async () => {
  const bot = await sluice().client(undefined, { permissions: ['market'] })
  for (const code of both) {
    const exchange = await viaProgram(code, bot)
    expect(await exchange.loadMarkets()).toHaveProperty(spot)
    expect(await nameOf(exchange.fetchBalance())).toBe('PermissionDenied')
  }
})

// freqtrade hands `ccxt_config` to ccxt's constructor, beside key, secret and password.
test.each(both)("freqtrade's configuration alone connects ccxt: %s", async (code) => {
  const { app, asAdmin, url, paper } = sluice()
  const bot = await sluice().botOf('classic')
  const limits = `/api/admin/client-credentials/${bot.id}/limits`
  const payload = { secretAsBearer: true }
  await app.inject({ method: 'PATCH', url: limits, headers: asAdmin, payload })
  const Class = classes[code]
  const file = readFileSync(join(botsFolder, `freqtrade-${new Class().id}.json`), 'utf8')
  const text = file
    .replaceAll('https://sluice.example', url)
    .replace('CLIENT_ID:CLIENT_SECRET', `${bot.clientId}:${bot.clientSecret}`)
  const { name, key, secret, password, enable_ws, ccxt_config } = JSON.parse(text).exchange
  const exchange = new Class({ apiKey: key, secret, password, ...ccxt_config })
  expect([name, enable_ws]).toEqual([exchange.id, false])
  for (const [origin] of JSON.stringify(exchange.urls.api).matchAll(/https?:\/\/[^/"]+/g))
    expect(origin).toBe(url)
  const { id } = await exchange.createOrder(...limitBuy)
  await exchange.cancelOrder(`${id}`, spot)
  expect(await exchange.fetchOrder(`${id}`, spot)).toMatchObject({ status: 'canceled' })
  expect(paper.orders(code).at(-1)).toMatchObject({ account: `${bot.clientId}-${code}` })
})

const hasPython = hasModules([])

test.runIf(hasPython)(
  'ccxt in Python does the same, also where its calls are awaited',
  async () => {
    const { paper, url, asAdmin } = sluice()
    const bot = await sluice().botOf('classic')
    const toggle = `curl -sS -o /dev/null -X PATCH -H 'authorization: ${asAdmin.authorization}' ${url}/api/admin/client-credentials/${bot.id}/toggle`
    const toggled = `${toggle} && ${toggle}`
    const fault = JSON.stringify({ kind: 'reset-before', match: { ...post, exchange: 'mx' } })
    const printed = await runProgram(
      { ...sluice(), bot },
      'mexc_ccxt.py',
      `
import subprocess
place = lambda **params: exchange.create_order("BTC/USDT", "limit", "buy", 0.001, 47000, params)
print("one order", place(idempotencyKey="own-py")["orderId"] == place(idempotencyKey="own-py")["orderId"])
subprocess.check_call(["curl", "-sSf", "-o", "/dev/null", "-H", "content-type: application/json", "-d", ${JSON.stringify(fault)}, "${paper.url}/paper/faults"])
for what in (place, place, lambda: exchange.request("capital/withdraw", "private", "POST", {}), lambda: place(idempotencyKey="a, b")):
    try:
        what()
    except ccxt.BaseError as error:
        print("raised", type(error).__name__, error.outcome, error.retryable)

import asyncio


class Later(ccxt.mexc):
    """As the classes of ccxt.async_support are."""

    async def fetch(self, *args):
        return super().fetch(*args)

    async def fetch2(self, path, api="public", method="GET", params={}, headers=None, body=None, config={}):
        request = self.sign(path, api, method, params, headers, body)
        return await self.fetch(request["url"], request["method"], request["headers"], request["body"])


async def two():
    later = via_sluice(Later, "mx")
    subprocess.check_call(${JSON.stringify(toggled)}, shell=True)
    orders = [later.create_order("BTC/USDT", "limit", "buy", 0.001, 46900, {"idempotencyKey": "later"}) for _ in range(2)]
    print("one order later", len({order["orderId"] for order in await asyncio.gather(*orders)}))


asyncio.run(two())
`,
    )
    expect(printed).toContain('one order True')
    expect(printed.match(/raised .+/g)).toEqual([
      'raised RequestTimeout unknown True',
      'raised DuplicateOrderId not-sent False',
      'raised PermissionDenied not-sent False',
      'raised BadRequest not-sent False',
    ])
    expect(printed).toContain('one order later 1')
    expect(paper.orders('mx').filter(({ price }) => price === '47000')).toHaveLength(1)
  },
)

test.runIf(hasPython)('ccxt in Python follows an account that becomes unified', async () => {
  const { paper } = sluice()
  const bot = await sluice().botOf('classic')
  const printed = await runProgram(
    { ...sluice(), bot },
    'bitget_ccxt.py',
    `
import subprocess
subprocess.check_call(["curl", "-sSf", "-o", "/dev/null", "-H", "content-type: application/json", "-d", '{"to":"unified"}', "${paper.url}/paper/accounts/${bot.clientId}-bg/migrate"])
try:
    exchange.create_order("BTC/USDT", "limit", "buy", 0.001, 46000)
except ccxt.ExchangeError as error:
    print("raised", "40085" in str(error))
print("placed", exchange.create_order("BTC/USDT", "limit", "buy", 0.001, 46000))
`,
  )
  expect(printed).toContain('raised True')
  expect(printed).toMatch(/placed .*\d{18}/)
  expect(paper.orders('bg').filter(({ price }) => price === '46000')).toHaveLength(1)
})
