import { WebsocketAPIClient, WebsocketClientV2, WebsocketClientV3, WS_KEY_MAP } from 'bitget-api'
import { type Exchange, pro } from 'ccxt'
import { expect, onTestFinished, test } from 'vitest'
import type { TestClient } from '../app.ts'
import { ACCOUNTS, type Account } from './ccxt-clients.ts'
import { runProgram, watchProgram } from './run-program.ts'
import { PLACEHOLDER, sharedSluice, tokenOf } from './sluice.ts'

const sluice = sharedSluice({ env: { ACCOUNT_STREAMS: 'on' } })
const bots = new Map<Account, Promise<TestClient>>()
const botOf = (account: Account): Promise<TestClient> => {
  const bot = bots.get(account) ?? sluice().botOf(account === 'unified' ? 'unified' : 'classic')
  bots.set(account, bot)
  return bot
}

/** ccxt.pro as it comes, but for its addresses, its keys, a header and options. */
async function ccxtOf(account: Account, defaultType: string, authorization: string) {
  const exchange: Exchange = new (account === 'MEXC' ? pro.mexc : pro.bitget)({
    ...{ apiKey: PLACEHOLDER, secret: PLACEHOLDER, password: PLACEHOLDER },
    ...{ enableRateLimit: false, timeout: 100_000, headers: { authorization } },
    options: {
      ...{ defaultType, ws: { options: { headers: { authorization } } } },
      ...(account === 'MEXC' ? {} : { uta: account === 'unified' }),
    },
  })
  const own = `${sluice().url}/${account === 'MEXC' ? 'mx' : 'bg'}`
  const addresses = JSON.stringify(exchange.urls.api)
    .replaceAll(/https:\/\/[^/"]+/g, own)
    .replaceAll(/wss:\/\/[^/"]+/g, own.replace('http', 'ws'))
  exchange.urls.api = JSON.parse(addresses)
  // Without it ccxt takes no address that begins with `ws:`.
  await exchange.loadHttpProxyAgent()
  onTestFinished(() => exchange.close())
  return exchange
}

/** Watches until what comes is as wanted. */
async function until<Seen>(watch: () => Promise<Seen>, isWanted: (seen: Seen) => boolean) {
  for (;;) {
    const seen = await watch()
    if (isWanted(seen)) return seen
  }
}

test.each(
  ACCOUNTS.flatMap((account) => [
    [account, 'spot', 'BTC/USDT', 0.01] as const,
    [account, 'swap', 'BTC/USDT:USDT', account === 'MEXC' ? 100 : 0.01] as const,
  ]),
)(
  'ccxt watches its account and the market through Sluice: %s, %s',
  async (account, type, symbol, amount) => {
    const { headers } = await botOf(account)
    const exchange = await ccxtOf(account, type, headers.authorization)
    await exchange.loadMarkets()
    const isDone = ({ status, filled }: { status?: unknown; filled?: unknown }) =>
      status === 'closed' && filled === amount
    const watched = {
      orders: until(
        () => exchange.watchOrders(symbol),
        (orders) => orders.some(isDone),
      ),
      myTrades: exchange.watchMyTrades(symbol),
      balance: until(
        () => exchange.watchBalance({ type }),
        (balance) => Number(balance.USDT?.free) < 1_000_000,
      ),
      ticker: exchange.watchTicker(symbol),
      book: exchange.watchOrderBook(symbol),
      trades: exchange.watchTrades(symbol),
      // ccxt has none for MEXC.
      ...(account === 'MEXC' || type === 'spot'
        ? {}
        : {
            positions: until(
              () => exchange.watchPositions([symbol]),
              (positions) => positions.some(({ contracts }) => Number(contracts) >= amount),
            ),
          }),
    }
    const waiting = new Set(Object.keys(watched))
    for (const [name, seen] of Object.entries(watched)) seen.then(() => waiting.delete(name))
    const { paper } = sluice()
    const params = type === 'spot' || account === 'unified' ? {} : { marginMode: 'cross' }
    const leverage = account === 'MEXC' && type === 'swap' ? { leverage: 10 } : {}
    // Another one, until the subscriptions are there; MEXC's book is loaded after 25 pushes.
    while (waiting.size > 0) {
      await exchange.createOrder(symbol, 'limit', 'buy', amount, 61_000, { ...params, ...leverage })
      for (let ticks = 0; ticks < 30 && waiting.size > 0; ticks += 1) {
        paper.tick()
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
    const [myTrades, ticker, book, trades] = await Promise.all([
      watched.myTrades,
      watched.ticker,
      watched.book,
      watched.trades,
    ])
    expect(myTrades[0]).toMatchObject({ side: 'buy', fee: { currency: expect.anything() } })
    expect(trades[0]).toMatchObject({ symbol, side: 'buy' })
    expect(ticker.ask).toBeGreaterThan(Number(ticker.bid))
    expect(book.asks[0]?.[0]).toBeGreaterThan(Number(book.bids[0]?.[0]))
  },
)

test('a ccxt bot with a wrong token gets an authentication error, and dials less than twice a second', async () => {
  const wrong = tokenOf(await botOf('classic')).replace(/.{4}$/, 'AAAA')
  const exchange = await ccxtOf('classic', 'spot', `Bearer ${wrong}`)
  const loaded = await ccxtOf('classic', 'spot', (await botOf('classic')).headers.authorization)
  exchange.setMarkets(Object.values(await loaded.loadMarkets()))
  const startedAt = performance.now()
  let tries = 0
  const problems: string[] = []
  while (tries < 3) {
    tries += 1
    await exchange
      .watchOrders('BTC/USDT')
      .catch((error: Error) => problems.push(error.constructor.name))
  }
  expect(problems).toContain('AuthenticationError')
  expect(performance.now() - startedAt).toBeGreaterThan((tries - 1) * 500)
})

const quiet = { trace() {}, info() {}, error() {} }

test('bitget-api receives orders of both families through Sluice, by a header and by id and secret, and again after each end of its sockets', async () => {
  const [classic, unified] = await Promise.all([botOf('classic'), botOf('unified')])
  const ws = sluice().url.replace('http', 'ws')
  const v2 = new WebsocketClientV2(
    {
      ...{ apiKey: classic.clientId, apiSecret: 'unused', apiPass: classic.clientSecret },
      wsUrl: `${ws}/bg/v2/ws/private`,
    },
    quiet,
  )
  const v3 = new WebsocketClientV3(
    {
      ...{ apiKey: PLACEHOLDER, apiSecret: PLACEHOLDER, apiPass: PLACEHOLDER },
      ...{ wsUrl: `${ws}/bg/v3/ws/private`, wsOptions: { headers: unified.headers } },
    },
    quiet,
  )
  const problems: unknown[] = []
  const received = [v2, v3].map((client) => {
    const prices = new Set<unknown>()
    client.on('update', ({ data }) => {
      for (const row of data) prices.add(row.price)
    })
    client.on('exception', (problem) => problems.push(problem))
    onTestFinished(() => client.closeAll(true))
    return prices
  })
  const topic = { topic: 'orders', payload: { instType: 'SPOT', instId: 'default' } } as const
  await v2.subscribe([topic], WS_KEY_MAP.v2Private)
  await v3.subscribe([{ topic: 'order', payload: { instType: 'UTA' } }], WS_KEY_MAP.v3Private)
  const { paper } = sluice()
  const traders = await Promise.all(
    (['classic', 'unified'] as const).map(async (account) => {
      const { headers } = await botOf(account)
      const exchange = await ccxtOf(account, 'spot', headers.authorization)
      await exchange.loadMarkets()
      return exchange
    }),
  )
  for (const price of ['50000', '51000']) {
    // Until the subscriptions are there.
    await expect
      .poll(
        async () => {
          for (const trader of traders)
            await trader.createOrder('BTC/USDT', 'limit', 'buy', 0.001, Number(price))
          return received.map((prices) => prices.has(price))
        },
        { interval: 200, timeout: 60_000 },
      )
      .toEqual([true, true])
    paper.streams.addFault({ kind: 'cut' })
  }
  expect(problems).toEqual([])
})

test('a watch call of sluice-ccxt has a token, also as the first call of a bot', async () => {
  const bot = await botOf('classic')
  const first = `
const exchange = viaSluice(ccxt.pro.bitget, 'bg')
console.log((await exchange.watchBalance()).USDT.total > 0)
process.exit()`
  expect(await runProgram({ ...sluice(), bot }, 'sluice-ccxt.mjs', first)).toBe('true\n')
})

test('an order over the socket of bitget-api is rejected at once', async () => {
  const { headers } = await botOf('unified')
  const client = new WebsocketAPIClient(
    {
      ...{ apiKey: PLACEHOLDER, apiSecret: PLACEHOLDER, apiPass: PLACEHOLDER },
      wsUrl: `${sluice().url.replace('http', 'ws')}/bg/v3/ws/private`,
      wsOptions: { headers },
      attachEventListeners: false,
    },
    quiet,
  )
  onTestFinished(() => client.getWSClient().closeAll(true))
  const order = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', qty: '0.01', price: '50000' }
  const placed = client.submitNewOrder('spot', { ...order, category: 'spot' } as never)
  await expect(placed).rejects.toMatchObject({ code: '25002', msg: 'use REST through Sluice' })
})

test.each([
  ['streams-ccxt.mjs', 'classic'],
  ['streams-bitget-api.mjs', 'classic'],
] as const)('the program %s of docs/bots prints an order of its account', async (file, account) => {
  const bot = await botOf(account)
  const printed: string[] = []
  const program = watchProgram({ ...sluice(), bot }, file, (text) => printed.push(text))
  onTestFinished(program.end)
  const trader = await ccxtOf(account, 'spot', bot.headers.authorization)
  await trader.loadMarkets()
  await expect
    .poll(
      async () => {
        await trader.createOrder('BTC/USDT', 'limit', 'buy', 0.001, 50_000)
        return printed.join('')
      },
      { interval: 300, timeout: 60_000 },
    )
    .toMatch(/\d{10,} (?:open|live)/)
})
