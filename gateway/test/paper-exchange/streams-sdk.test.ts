import { WebsocketClientV2, WebsocketClientV3, WS_KEY_MAP } from 'bitget-api'
import { type Exchange, pro } from 'ccxt'
import { expect, onTestFinished, test } from 'vitest'
import { balances, bitgetKeys, mexcKeys, sharedPaper } from './paper.ts'

const unifiedKeys = { ...bitgetKeys, apiKey: 'bg_unified' }
const paper = sharedPaper({
  accounts: [
    { exchange: 'mx', name: 'mexc', ...mexcKeys, balances },
    { exchange: 'bg', name: 'classic', ...bitgetKeys, balances },
    { exchange: 'bg', name: 'unified', unified: true, ...unifiedKeys, balances },
  ],
})

const ccxtKeys = ({ apiKey, apiSecret, passphrase }: typeof bitgetKeys) => ({
  ...{ apiKey, secret: apiSecret, password: passphrase },
})
const made: Readonly<Record<string, (type: string) => Exchange>> = {
  MEXC: (defaultType) =>
    new pro.mexc({ ...ccxtKeys({ ...mexcKeys, passphrase: '' }), options: { defaultType } }),
  classic: (defaultType) =>
    new pro.bitget({ ...ccxtKeys(bitgetKeys), options: { defaultType, uta: false } }),
  unified: (defaultType) =>
    new pro.bitget({ ...ccxtKeys(unifiedKeys), options: { defaultType, uta: true } }),
}

/** As ccxt comes, but for its addresses and its keys. */
async function ccxtOf(account: string, type: string): Promise<Exchange> {
  const exchange = made[account]?.(type)
  if (exchange === undefined) throw new Error(`No account is called "${account}"`)
  exchange.enableRateLimit = false
  const { host } = new URL(paper.url)
  const addresses = JSON.stringify(exchange.urls.api)
    .replaceAll(/https:\/\/[^/"]+/g, paper.url)
    .replaceAll(/wss:\/\/[^/"]+/g, `ws://${host}`)
  exchange.urls.api = JSON.parse(addresses)
  // Without it ccxt takes no address that begins with `ws:`.
  await exchange.loadHttpProxyAgent()
  onTestFinished(() => exchange.close())
  await exchange.loadMarkets()
  return exchange
}

/** Watches until what comes is as wanted. */
async function until<Seen>(watch: () => Promise<Seen>, isWanted: (seen: Seen) => boolean) {
  for (;;) {
    const seen = await watch()
    if (isWanted(seen)) return seen
  }
}

test.each([
  ['MEXC', 'spot', 'BTC/USDT', 0.01],
  ['MEXC', 'swap', 'BTC/USDT:USDT', 100],
  ['classic', 'spot', 'BTC/USDT', 0.01],
  ['classic', 'swap', 'BTC/USDT:USDT', 0.01],
  ['unified', 'spot', 'BTC/USDT', 0.01],
  ['unified', 'swap', 'BTC/USDT:USDT', 0.01],
] as const)(
  'ccxt watches its account and the market: %s, %s',
  async (account, type, symbol, amount) => {
    const exchange = await ccxtOf(account, type)
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
        (balance) => Number(balance.USDT?.free) < 100_000,
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
              (positions) => positions.some(({ contracts }) => contracts === amount),
            ),
          }),
    }
    const waiting = new Set(Object.keys(watched))
    for (const [name, seen] of Object.entries(watched)) seen.then(() => waiting.delete(name))
    // MEXC futures pushes what is of the account without a subscription.
    const wanted = waiting.size - (account === 'MEXC' && type === 'swap' ? 3 : 0)
    const channels = () => paper.streams.list().flatMap((stream) => stream.channels)
    await expect.poll(() => channels().length).toBeGreaterThanOrEqual(wanted)
    const params = type === 'spot' || account === 'unified' ? {} : { marginMode: 'cross' }
    const leverage = account === 'MEXC' && type === 'swap' ? { leverage: 10 } : {}
    await exchange.createOrder(symbol, 'limit', 'buy', amount, 61_000, { ...params, ...leverage })
    // MEXC's order book is loaded after 25 pushes: they come with the ticks too.
    await expect
      .poll(
        () => {
          paper.tick()
          return [...waiting]
        },
        { interval: 10 },
      )
      .toEqual([])
    const [myTrades, ticker, book, trades] = await Promise.all([
      watched.myTrades,
      watched.ticker,
      watched.book,
      watched.trades,
    ])
    expect(myTrades).toMatchObject([{ side: 'buy', amount, fee: { currency: expect.anything() } }])
    expect(trades).toMatchObject([{ symbol, side: 'buy', amount }])
    expect(ticker.ask).toBeGreaterThan(Number(ticker.bid))
    expect([book.bids[0]?.[0], book.asks[0]?.[0]]).toEqual([ticker.bid, ticker.ask])
  },
)

const events = (client: WebsocketClientV2 | WebsocketClientV3) => {
  const seen: { topic: string; data: Record<string, unknown> }[] = []
  const problems: unknown[] = []
  client.on('update', ({ arg, data }) => {
    for (const row of data) seen.push({ topic: arg.channel ?? arg.topic, data: row })
  })
  client.on('exception', (problem) => problems.push(problem))
  onTestFinished(() => client.closeAll(true))
  return { seen, problems }
}
const quiet = { trace() {}, info() {}, error() {} }
const sdkKeys = ({ apiKey, apiSecret, passphrase }: typeof bitgetKeys) => ({
  ...{ apiKey, apiSecret, apiPass: passphrase },
})
const wsUrl = (path: string) => `${paper.url.replace('http', 'ws')}${path}`

test('bitget-api logs in, subscribes, reads orders of both families, and does so again after its connection was cut', async () => {
  const v2 = new WebsocketClientV2(
    { ...sdkKeys(bitgetKeys), wsUrl: wsUrl('/v2/ws/private') },
    quiet,
  )
  const v3 = new WebsocketClientV3(
    { ...sdkKeys(unifiedKeys), wsUrl: wsUrl('/v3/ws/private') },
    quiet,
  )
  const [classic, unified] = [events(v2), events(v3)]
  const topic = { topic: 'orders', payload: { instType: 'SPOT', instId: 'default' } }
  await v2.subscribe([topic], WS_KEY_MAP.v2Private)
  await v3.subscribe([{ topic: 'order', payload: { instType: 'UTA' } }], WS_KEY_MAP.v3Private)
  const bots = await Promise.all(['classic', 'unified'].map((name) => ccxtOf(name, 'spot')))
  let known = 0
  for (const price of ['50000', '51000']) {
    const dialled = () => paper.streams.list().filter(({ id }) => id > known)
    const channels = () => dialled().map((stream) => stream.channels.join())
    await expect.poll(() => channels().toSorted()).toEqual(['order', 'orders'])
    known = Math.max(...dialled().map(({ id }) => id))
    for (const bot of bots) await bot.createOrder('BTC/USDT', 'limit', 'buy', 0.01, Number(price))
    for (const { seen } of [classic, unified])
      await expect.poll(() => seen.map(({ data }) => data.price)).toContain(price)
    paper.streams.addFault({ kind: 'cut' })
  }
  expect([classic.problems, unified.problems]).toEqual([[], []])
})
