import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { type TestApp, testApp } from '../app.ts'
import { botOf, expectInvalid, expectUnfit } from '../support/bot-of.ts'
import { eventually } from '../support/eventually.ts'
import { heldExchange } from '../support/held-exchange.ts'
import { scrape } from '../support/metrics.ts'
import { sharedApp } from '../support/shared-app.ts'

const SPOT = '/api/bg/v1/spot/trade/place-order'
const FUTURES = '/api/bg/v1/futures/trade/place-order'
const spotOrder = {
  symbol: 'BTCUSDT',
  side: 'buy',
  orderType: 'limit',
  size: '0.001',
  price: '50000',
  force: 'gtc',
}
const futuresOrder = {
  symbol: 'BTCUSDT',
  productType: 'USDT-FUTURES',
  marginMode: 'crossed',
  marginCoin: 'USDT',
  size: '0.01',
  price: '50000',
  side: 'buy',
  orderType: 'limit',
  force: 'gtc',
}

/** It trades at once. */
const futuresMarket = { ...futuresOrder, price: undefined, orderType: 'market' }

const shared = sharedApp()

const sharedBot = () => botOf(shared())
/** An app that knows nothing yet, and one bot's calls to it. */
const appWithBot = async (env: Record<string, string> = {}) => botOf(await testApp({ env }))

/** The calls that arrived at the exchange, in order: the end of the path, and the body. */
const callsOf = ({ paper }: Pick<TestApp, 'paper'>) =>
  paper
    .received({ exchange: 'bg' })
    .filter(({ method }) => method === 'POST')
    .map(({ path, body }) => [path.split('/').at(-1), JSON.parse(body)])

test('a spot order gets the documented response and arrives as intended', async () => {
  const bot = await sharedBot()
  const placed = await bot.post(SPOT, spotOrder)
  expect(placed.statusCode).toBe(200)
  const [order] = bot.orders('bg')
  const { clientOid } = placed.json().data
  expect(placed.json()).toEqual({
    success: true,
    data: { orderId: order?.orderId, clientOid: expect.stringMatching(/^sl-[\w-]{24}$/) },
  })
  expect(BigInt(placed.json().data.orderId)).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER))
  expect(callsOf(bot)).toEqual([['place-order', { ...spotOrder, clientOid }]])
  expect(order).toMatchObject({ market: 'spot', side: 'buy', size: '0.001', status: 'open' })
})

test('a futures order gets the documented response; constant fields may be left out', async () => {
  const bot = await sharedBot()
  const { productType: _product, marginCoin: _coin, force: _force, ...short } = futuresOrder
  const placed = await bot.post(FUTURES, { ...short, clientOid: 'grid-1' })
  expect(placed.statusCode).toBe(200)
  const [order] = bot.orders('bg')
  expect(placed.json()).toEqual({
    success: true,
    data: { orderId: order?.orderId, clientOid: 'grid-1' },
  })
  expect(callsOf(bot)).toEqual([['place-order', { ...futuresOrder, clientOid: 'grid-1' }]])
  expect(order).toMatchObject({ market: 'futures', size: '0.01', status: 'open' })
})

test('a market buy on spot is an amount of the quote coin', async () => {
  const bot = await sharedBot()
  const placed = await bot.post(SPOT, {
    symbol: 'BTCUSDT',
    side: 'buy',
    orderType: 'market',
    size: '600',
  })
  expect(placed.statusCode).toBe(200)
  expect(bot.orders('bg')).toMatchObject([{ status: 'filled', price: null }])
  expect(Number(bot.orders('bg')[0]?.filledSize)).toBeCloseTo(0.01, 3)
})

const STOP_PRICE_NEEDED = 'Requires stopLossTriggerPrice'
const stopLoss = { stopLossTriggerPrice: '40000' }
const ORDERS = {
  spot: { url: SPOT, order: spotOrder },
  futures: { url: FUTURES, order: futuresOrder },
} as const

test.each([
  ['spot', { size: '0.0000001' }, 'size', 'the nearest valid amount is 0.000001'],
  ['spot', { size: '0.0000015' }, 'size', 'the nearest valid amounts are 0.000001 and 0.000002'],
  ['spot', { size: '0.00001' }, 'size', 'worth at least 1 USDT'],
  ['spot', { price: '50000.005' }, 'price', 'the nearest valid amounts are 50000 and 50000.01'],
  ['spot', { price: undefined }, 'price', 'Price is required for limit orders'],
  ['spot', { symbol: 'NOPEUSDT' }, 'symbol', 'Bitget has no spot symbol "NOPEUSDT"'],
  ['spot', { symbol: 'HALTUSDT' }, 'symbol', 'HALTUSDT'],
  ['futures', { size: '0.0005' }, 'size', 'the nearest valid amount is 0.001'],
  ['futures', { size: '0.0015' }, 'size', 'the nearest valid amounts are 0.001 and 0.002'],
  ['futures', { price: undefined }, 'price', 'Price is required for limit orders'],
  ['futures', { price: '50000.05' }, 'price', 'the nearest valid amounts are 50000 and 50000.1'],
  ['futures', { symbol: 'NOPEUSDT' }, 'symbol', 'Bitget has no futures contract'],
  ['futures', { stopLossTriggerType: 'mark_price' }, 'stopLossTriggerType', STOP_PRICE_NEEDED],
  ['futures', { tradeSide: 'open', reduceOnly: true }, 'reduceOnly', 'one-way mode'],
] as const)(
  'a %s order with %j is rejected with the valid bound, and not sent',
  async (market, change, field, words) => {
    const { url, order } = ORDERS[market]
    await expectInvalid(await sharedBot(), url, { ...order, ...change }, { field, words })
  },
)

test.each([
  ['spot', { side: 'BUY' }, 'side'],
  ['spot', { force: 'GTC' }, 'force'],
  ['spot', { size: '1,5' }, 'size'],
  ['spot', { leverage: 5 }, 'leverage'],
  ['futures', { productType: 'COIN-FUTURES' }, 'productType'],
  ['futures', { marginMode: 'cross' }, 'marginMode'],
  ['futures', { leverage: '0' }, 'leverage'],
  ['futures', { leverage: '126' }, 'leverage'],
  ['futures', { leverage: '10x' }, 'leverage'],
  ['futures', { leverage: 1.5 }, 'leverage'],
  ['futures', { leverage: 126 }, 'leverage'],
  ['futures', { ...stopLoss, stopLossTriggerType: 'last' }, 'stopLossTriggerType'],
] as const)(
  'a %s order with %j is rejected by field before any call to the exchange',
  async (market, change, field) => {
    const { url, order } = ORDERS[market]
    await expectUnfit(await sharedBot(), url, { ...order, ...change }, field)
  },
)

// As text it was rejected, although Bitget itself takes and returns text.
test.each([10, '10'])(
  'the leverage %j is set before the order, only when the account has another',
  async (leverage) => {
    const bot = await sharedBot()
    const order = { ...futuresOrder, leverage }
    for (const price of ['50000', '49000']) {
      const placed = await bot.post(FUTURES, { ...order, price })
      expect(placed.statusCode).toBe(200)
    }
    expect(callsOf(bot).map(([name]) => name)).toEqual([
      'set-leverage',
      'place-order',
      'place-order',
    ])
    expect(callsOf(bot)[0]?.[1]).toEqual({
      symbol: 'BTCUSDT',
      productType: 'USDT-FUTURES',
      marginCoin: 'USDT',
      leverage: '10',
    })
  },
)

test('two orders with different leverages do not interfere with each other', async () => {
  const bot = await sharedBot()
  const orders = [5, 50].map((leverage) => bot.post(FUTURES, { ...futuresOrder, leverage }))
  for (const placed of await Promise.all(orders)) expect(placed.statusCode).toBe(200)
  expect(callsOf(bot).map(([name, { leverage }]) => [name, leverage])).toEqual([
    ['set-leverage', '5'],
    ['place-order', undefined],
    ['set-leverage', '50'],
    ['place-order', undefined],
  ])
})

test.each([
  ['5xx', 502, 'EXCHANGE_ANSWER_INVALID'],
  ['html', 502, 'EXCHANGE_ANSWER_INVALID'],
  ['reset-after', 503, 'ORDER_NOT_PREPARED'],
] as const)(
  'an order whose leverage could not be set (%s) is not sent, and the error says so',
  async (kind, status, code) => {
    const bot = await appWithBot()
    bot.paper.faults.add({ kind, match: { path: '/api/v2/mix/account/set-leverage' } })
    const rejected = await bot.post(FUTURES, { ...futuresOrder, leverage: 10 })
    expect(rejected.statusCode).toBe(status)
    expect(rejected.json()).toMatchObject({ code, outcome: 'not-sent' })
    expect(bot.orders('bg')).toEqual([])
  },
)

test('orders that wait for each other because of the leverage keep the usual time limit', async () => {
  const bot = await appWithBot({ RATE_LIMIT_PER_SECOND: '5', MAX_QUEUE_WAIT_SECONDS: '1' })
  // Each order reads the leverage first: eight need at least three seconds.
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => bot.post(FUTURES, { ...futuresOrder, leverage: 20 })),
  )
  const late = responses.filter(({ statusCode }) => statusCode !== 200)
  expect(late).not.toHaveLength(0)
  for (const response of late)
    expect(response.json()).toMatchObject({ outcome: 'not-sent', retryable: true })
  expect(bot.orders('bg')).toHaveLength(responses.length - late.length)
})

// They got a response only when the order before them had ended.
test('an order that waits for another one because of the leverage can be withdrawn, or time out, at once', async () => {
  const bot = await appWithBot({ UPSTREAM_TIMEOUT_SECONDS: '600' })
  const order = { ...futuresOrder, leverage: 20 }
  await bot.post(FUTURES, order)
  const path = '/api/v2/mix/order/place-order'
  bot.paper.clearReceived()
  bot.paper.faults.add({ kind: 'timeout-before', match: { path } })
  const first = bot.post(FUTURES, order)
  await eventually(() => expect(bot.paper.received({ path })).toHaveLength(1))

  const queued = await bot.post(FUTURES, order, { prefer: 'respond-async' })
  const { location } = queued.json()
  const withdrawn = await bot.app.inject({ method: 'DELETE', url: location, headers: bot.headers })
  expect(withdrawn.statusCode).toBe(204)
  const late = await bot.post(FUTURES, order, { prefer: 'wait=0' })
  expect(late.json()).toMatchObject({ code: 'QUEUE_DEADLINE_PASSED', outcome: 'not-sent' })
  expect(bot.paper.received({ path })).toHaveLength(1)

  // Its connection breaks, so that nothing is waited for.
  await bot.paper.close()
  expect((await first).statusCode).toBe(504)
})

test('take profit and stop loss of an order are sent with it', async () => {
  const bot = await sharedBot()
  const placed = await bot.post(FUTURES, {
    ...futuresOrder,
    presetStopSurplusPrice: '70000',
    presetStopLossPrice: '40000',
  })
  expect(placed.statusCode).toBe(200)
  expect(callsOf(bot)).toMatchObject([
    ['place-order', { presetStopSurplusPrice: '70000', presetStopLossPrice: '40000' }],
  ])
})

test('take profit and stop loss of the position are set after the order, with their trigger types', async () => {
  const bot = await sharedBot()
  const placed = await bot.post(FUTURES, {
    ...futuresMarket,
    stopSurplusTriggerPrice: '70000',
    stopSurplusTriggerType: 'fill_price',
    stopLossTriggerPrice: '40000',
  })
  expect(placed.statusCode).toBe(200)
  expect(placed.json()).not.toHaveProperty('message')
  const [, stops] = callsOf(bot)
  expect(callsOf(bot).map(([name]) => name)).toEqual(['place-order', 'place-pos-tpsl'])
  expect(callsOf(bot)[0]?.[1]).not.toHaveProperty('stopLossTriggerPrice')
  expect(stops?.[1]).toEqual({
    symbol: 'BTCUSDT',
    productType: 'USDT-FUTURES',
    marginCoin: 'USDT',
    holdSide: 'buy',
    stopSurplusTriggerPrice: '70000',
    stopSurplusTriggerType: 'fill_price',
    stopLossTriggerPrice: '40000',
    stopLossTriggerType: 'mark_price',
  })
})

// The response said both that the stop loss is not set and that it may be set.
test.each(['reset-after', 'garbage'] as const)(
  'after %s the outcome of the stop loss is unknown, and the response says how to check',
  async (kind) => {
    const bot = await appWithBot()
    bot.paper.faults.add({ kind, match: { path: '/api/v2/mix/order/place-pos-tpsl' } })
    const placed = await bot.post(FUTURES, { ...futuresMarket, ...stopLoss })
    expect(placed.statusCode).toBe(200)
    expect(placed.json().message).toMatch(/^The order was placed, but it is unknown whether /)
    expect(placed.json().message).toMatch(/\. Query the position: /)
    expect(placed.json().message).not.toContain('is not set')
  },
)

const stopped = { ...futuresMarket, ...stopLoss }

test('a bot that disconnects after its order was sent still gets the stop loss of its position', async () => {
  const t = await heldExchange()
  const bot = await botOf(t)
  await bot.app.listen({ port: 0 })
  const { port } = bot.app.server.address() as AddressInfo
  const path = '/api/v2/mix/order/place-order'
  t.holdAt(path)
  const hangUp = new AbortController()
  const asked = fetch(`http://127.0.0.1:${port}${FUTURES}`, {
    method: 'POST',
    headers: { ...bot.headers, 'content-type': 'application/json' },
    body: JSON.stringify(stopped),
    signal: hangUp.signal,
  })
  await eventually(() => expect(bot.paper.received({ path })).toHaveLength(1))
  hangUp.abort()
  await expect(asked).rejects.toThrow()
  await eventually(async () =>
    expect((await scrape(t.app)).value('sluice_connections_open')).toBe(0),
  )
  t.release()
  await eventually(() =>
    expect(callsOf(bot).map(([name]) => name)).toEqual(['place-order', 'place-pos-tpsl']),
  )
})

test("the stop loss of a placed order waits for its slot, however short the bot's own limit is", async () => {
  const bot = await appWithBot({ RATE_LIMIT_PER_SECOND: '10' })
  // The rules are known then, and the order is the only call that its bot waits for.
  await bot.post(FUTURES, futuresOrder)
  const placed = await eventually(async () => {
    const response = await bot.post(FUTURES, stopped, { prefer: 'wait=0' })
    expect(response.statusCode).toBe(200)
    return response
  })
  expect(placed.json()).not.toHaveProperty('message')
})

// It waited behind them, and was rejected when they filled the client's share of the queue.
test('the stop loss of a placed order is sent before the queued orders of its bot', async () => {
  const bot = await appWithBot({ RATE_LIMIT_PER_SECOND: '10' })
  await bot.post(SPOT, spotOrder)
  await bot.post(FUTURES, futuresOrder)
  const path = '/api/v2/mix/order/place-order'
  bot.paper.clearReceived()
  bot.paper.faults.add({ kind: 'slow', delayMs: 500, match: { path } })
  const placed = bot.post(FUTURES, stopped)
  await eventually(() => expect(bot.paper.received({ path })).toHaveLength(1))
  const waiting = [1, 2, 3].map(() => bot.post(SPOT, spotOrder))
  expect((await placed).json()).not.toHaveProperty('message')
  await Promise.all(waiting)
  expect(callsOf(bot).map(([name]) => name)).toEqual([
    ...['place-order', 'place-pos-tpsl'],
    ...['place-order', 'place-order', 'place-order'],
  ])
})

test('a resting order is placed, and the response says that its position has no stop yet', async () => {
  const bot = await sharedBot()
  const placed = await bot.post(FUTURES, { ...futuresOrder, stopLossTriggerPrice: '40000' })
  expect(placed.statusCode).toBe(200)
  expect(placed.json()).toMatchObject({
    success: true,
    data: { orderId: expect.any(String) },
    message: expect.stringMatching(
      /^The order was placed, but the take profit or stop loss .+Bitget rejected the request/,
    ),
  })
  expect(bot.orders('bg')).toHaveLength(1)
})

test.each([
  ['spot', 'orderInfo', ''],
  ['futures', 'detail', '?symbol=BTCUSDT'],
])(
  'without an id the details of a %s order (%s%s) and its cancel name the possible ids',
  async (market, details, query) => {
    const bot = await sharedBot()
    for (const rejected of [
      await bot.get(`/api/bg/v1/${market}/trade/${details}${query}`),
      await bot.post(`/api/bg/v1/${market}/trade/cancel-order`, { symbol: 'BTCUSDT' }),
    ]) {
      expect(rejected.statusCode).toBe(400)
      expect(rejected.json()).toMatchObject({
        code: 'ORDER_ID_MISSING',
        message: expect.stringContaining('orderId or clientOid'),
      })
    }
  },
)

test('an order that does not exist is 404 with the code of the exchange', async () => {
  const bot = await sharedBot()
  for (const url of [
    'spot/trade/orderInfo?orderId=1',
    'futures/trade/detail?symbol=BTCUSDT&orderId=1',
  ]) {
    const missing = await bot.get(`/api/bg/v1/${url}`)
    expect(missing.statusCode).toBe(404)
    expect(missing.json()).toMatchObject({ code: 'EXCHANGE_ORDER_NOT_FOUND' })
  }
})

test('a resting order is changed, and found by its new id', async () => {
  const bot = await sharedBot()
  const placed = (await bot.post(FUTURES, { ...futuresOrder, clientOid: 'old' })).json()
  const changed = await bot.post('/api/bg/v1/futures/trade/modify-order', {
    symbol: 'BTCUSDT',
    orderId: placed.data.orderId,
    newClientOid: 'new',
    newSize: '0.02',
    newPrice: '49900',
  })
  expect(changed.statusCode).toBe(200)
  expect(changed.json()).toMatchObject({ success: true, data: { orderId: expect.any(String) } })
  expect(callsOf(bot)[1]).toEqual([
    'modify-order',
    {
      orderId: placed.data.orderId,
      symbol: 'BTCUSDT',
      productType: 'USDT-FUTURES',
      marginCoin: 'USDT',
      newClientOid: 'new',
      newSize: '0.02',
      newPrice: '49900',
    },
  ])
  bot.paper.tick()
  expect(bot.orders('bg').filter(({ status }) => status === 'open')).toMatchObject([
    { clientOrderId: 'new', size: '0.02', price: '49900' },
  ])
})

test.each([
  [{ newSize: '0.02' }, 'newPrice'],
  [{ newPrice: '49900' }, 'newSize'],
  [{}, 'newSize'],
  [{ newSize: '0.02', newPrice: '1', newPresetStopLossPrice: '1' }, 'newPresetStopLossPrice'],
  [{ clientOid: 'x', newClientOid: 'x', newSize: '0.02', newPrice: '1' }, 'newClientOid'],
])('a change of %j is rejected because of %s', async (change, field) => {
  const bot = await sharedBot()
  const rejected = await bot.post('/api/bg/v1/futures/trade/modify-order', {
    symbol: 'BTCUSDT',
    orderId: '1',
    ...change,
  })
  expect(rejected.statusCode).toBe(400)
  expect(rejected.json()).toMatchObject({ code: 'ORDER_INVALID', fields: [{ field }] })
  expect(bot.paper.received()).toEqual([])
})

test('the accounts are one list with the seven documented fields', async () => {
  const bot = await sharedBot()
  await bot.post(SPOT, spotOrder)
  const all = await bot.get('/api/bg/v1/getAccountInfo')
  expect(all.statusCode).toBe(200)
  expect(all.json()).toEqual({
    success: true,
    data: expect.arrayContaining([
      {
        accountId: expect.stringMatching(/^\d+$/),
        accountType: 'spot',
        coin: 'USDT',
        available: '999950',
        frozen: '50',
        locked: '0',
        uTime: expect.stringMatching(/^\d{13}$/),
      },
      {
        accountId: expect.stringMatching(/^\d+$/),
        accountType: 'futures',
        coin: 'USDT',
        available: '1000000',
        frozen: '0',
        locked: '0',
        uTime: expect.stringMatching(/^\d{13}$/),
      },
    ]),
  })
})

test.each(['spot', 'futures'])(
  'a request for the %s account alone makes one call',
  async (accountType) => {
    const bot = await sharedBot()
    const rows = (await bot.get(`/api/bg/v1/getAccountInfo?accountType=${accountType}`)).json().data
    expect(new Set(rows.map((row: { accountType: string }) => row.accountType))).toEqual(
      new Set([accountType]),
    )
    const other = accountType === 'spot' ? '/api/v2/mix/*' : '/api/v2/spot/account/assets'
    expect(bot.paper.received({ path: other })).toEqual([])
  },
)

test('prices of all pairs are returned at once', async () => {
  const bot = await sharedBot()
  const all = await bot.get('/api/bg/v1/spot/market/tickers')
  expect(all.json().data.length).toBeGreaterThan(3)
})

test('the order book has the requested number of levels, the best first', async () => {
  const bot = await sharedBot()
  const book = await bot.get('/api/bg/v1/spot/market/orderbook?symbol=BTCUSDT&limit=5')
  expect(book.statusCode).toBe(200)
  const { asks, bids, ts } = book.json().data
  expect(book.json().success).toBe(true)
  expect([asks.length, bids.length]).toEqual([5, 5])
  expect(Number(asks[0][0])).toBeGreaterThan(Number(bids[0][0]))
  expect(asks[0]).toEqual([expect.stringMatching(/^[\d.]+$/), expect.stringMatching(/^[\d.]+$/)])
  expect(ts).toMatch(/^\d{13}$/)
})

test('a symbol with non-Latin letters is signed and accepted', async () => {
  const bot = await sharedBot()
  const query = new URLSearchParams({ symbol: '龙虾USDT' })
  const ticker = await bot.get(`/api/bg/v1/spot/market/tickers?${query}`)
  expect(ticker.json()).toMatchObject({ success: true, data: [{ symbol: '龙虾USDT' }] })
  const placed = await bot.post(SPOT, {
    ...spotOrder,
    symbol: '龙虾USDT',
    size: '100',
    price: '0.02',
  })
  expect(placed.statusCode).toBe(200)
})

test('a rejection by Bitget is returned with its code and words, and with what to do', async () => {
  const bot = await sharedBot()
  const rejected = await bot.post(SPOT, { ...spotOrder, size: '30', price: '60000' })
  expect(rejected.statusCode).toBe(422)
  expect(rejected.json()).toEqual({
    statusCode: 422,
    error: 'Unprocessable Entity',
    code: 'EXCHANGE_BALANCE_REFUSED',
    message: 'Bitget rejected the request: Insufficient balance (43012). Order less, or add funds',
    requestId: rejected.headers['x-request-id'],
    exchangeCode: '43012',
    exchangeMessage: 'Insufficient balance',
  })
})

test('a client order id that was used before is rejected as a duplicate, and nothing is placed twice', async () => {
  const bot = await sharedBot()
  const order = { ...spotOrder, clientOid: 'once' }
  expect((await bot.post(SPOT, order)).statusCode).toBe(200)
  const again = await bot.post(SPOT, order)
  expect(again.statusCode).toBe(409)
  expect(again.json()).toMatchObject({ code: 'EXCHANGE_ORDER_DUPLICATE' })
  expect(bot.orders('bg')).toHaveLength(1)
})

test.each([
  ['5xx', 502, 'EXCHANGE_ANSWER_INVALID'],
  ['html', 502, 'EXCHANGE_ANSWER_INVALID'],
  ['truncated', 502, 'EXCHANGE_ANSWER_INVALID'],
  ['garbage', 502, 'EXCHANGE_ANSWER_INVALID'],
  ['reset-before', 504, 'EXCHANGE_CONNECTION_LOST'],
] as const)('a read to which Bitget responds with %s is %i %s', async (kind, status, code) => {
  const bot = await appWithBot()
  bot.paper.faults.add({ kind, match: { path: '/api/v2/mix/position/all-position' } })
  const failed = await bot.get('/api/bg/v1/futures/position/all-position')
  expect(failed.statusCode).toBe(status)
  expect(failed.json()).toMatchObject({ statusCode: status, code })
})

test('an order is not sent when its symbol rules cannot be read', async () => {
  const bot = await appWithBot()
  bot.paper.faults.add({ kind: '5xx', match: { path: '/api/v2/spot/public/symbols' } })
  const rejected = await bot.post(SPOT, spotOrder)
  expect(rejected.statusCode).toBeOneOf([502, 503])
  expect(rejected.json()).not.toHaveProperty('success')
  expect(bot.orders('bg')).toEqual([])
  expect((await bot.post(SPOT, spotOrder)).statusCode).toBe(200)
})
