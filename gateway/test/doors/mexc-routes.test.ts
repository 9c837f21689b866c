import { expect, test } from 'vitest'
import { type TestApp, testApp } from '../app.ts'
import { botOf, expectInvalid, expectUnfit } from '../support/bot-of.ts'
import { eventually } from '../support/eventually.ts'
import { createSetTime, UPSTREAM_LIMIT_MS } from '../support/set-time.ts'
import { sharedApp } from '../support/shared-app.ts'

const SUBMIT = '/api/mx/v1/submitOrder'
const FUTURES_ORDER = {
  symbol: 'BTC_USDT',
  side: 'BUY',
  type: 'LIMIT',
  quantity: '0.01',
  price: '50000',
}
const SPOT_ORDER = { ...FUTURES_ORDER, symbol: 'BTCUSDT' }

const shared = sharedApp()

const sharedBot = () => botOf(shared())
/** An app that knows nothing yet, and one bot's calls to it. */
const appWithBot = async () => botOf(await testApp())

/** What arrived at an address of the exchange. */
const arrived = ({ paper }: Pick<TestApp, 'paper'>, path: string) =>
  paper.received({ exchange: 'mx', path })

test('a futures order gets the documented response and is sent as whole contracts in one-way mode', async () => {
  const bot = await sharedBot()
  const placed = await bot.post(SUBMIT, FUTURES_ORDER)
  expect(placed.statusCode).toBe(200)
  const [order] = bot.orders('mx')
  expect(placed.json()).toEqual({
    success: true,
    orderId: order?.orderId,
    message: 'Order submitted',
    clientOrderId: expect.stringMatching(/^sl-[\w-]{24}$/),
  })
  expect(BigInt(placed.json().orderId)).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER))
  const [sent] = arrived(bot, '/api/v1/private/order/create')
  expect(JSON.parse(sent?.body ?? '')).toEqual({
    symbol: 'BTC_USDT',
    price: '50000',
    vol: '100',
    side: 1,
    type: 1,
    openType: 2,
    positionMode: 2,
    externalOid: placed.json().clientOrderId,
  })
  expect(order).toMatchObject({ side: 'buy', size: '0.01', price: '50000', status: 'open' })
})

test.each([20, '20'])(
  'a futures order carries leverage (%j), margin mode, reduce-only and clientOrderId when they are given',
  async (leverage) => {
    const bot = await sharedBot()
    await bot.post(SUBMIT, { ...FUTURES_ORDER, type: 'MARKET', price: undefined })
    const placed = await bot.post(SUBMIT, {
      symbol: 'BTC_USDT',
      side: 'SELL',
      type: 'MARKET',
      quantity: '0.004',
      leverage,
      openType: 'cross',
      reduceOnly: true,
      clientOrderId: 'close-1',
    })
    expect(placed.json()).toMatchObject({ success: true, clientOrderId: 'close-1' })
    expect(JSON.parse(arrived(bot, '/api/v1/private/order/create')[1]?.body ?? '')).toEqual({
      symbol: 'BTC_USDT',
      vol: '40',
      leverage: 20,
      side: 3,
      type: 5,
      openType: 2,
      positionMode: 2,
      reduceOnly: true,
      externalOid: 'close-1',
    })
    const account = bot.paper.accounts.list().find(({ name }) => name === `${bot.clientId}-mx`)
    expect(account?.positions).toMatchObject([{ symbol: 'BTCUSDT', side: 'long', size: '0.006' }])
  },
)

test('a symbol without an underscore is a spot order', async () => {
  const bot = await sharedBot()
  const placed = await bot.post(SUBMIT, SPOT_ORDER)
  expect(placed.json()).toMatchObject({ success: true, message: 'Order submitted' })
  const [order] = bot.orders('mx')
  expect(order).toMatchObject({ market: 'spot', size: '0.01', price: '50000' })
  expect(placed.json().orderId).toContain(order?.orderId)
  const [sent] = arrived(bot, '/api/v3/order')
  const query = Object.fromEntries(new URLSearchParams(sent?.query))
  expect(query).toMatchObject({
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    quantity: '0.01',
    price: '50000',
    newClientOrderId: placed.json().clientOrderId,
  })
})

test.each([
  [{ quantity: '0.00015' }, 'quantity', 'the nearest valid amounts are 0.0001 and 0.0002'],
  [{ quantity: '0.00001' }, 'quantity', 'the nearest valid amount is 0.0001'],
  [{ quantity: '0' }, 'quantity', 'the nearest valid amount is 0.0001'],
  [{ price: '50000.05' }, 'price', 'the nearest valid amounts are 50000 and 50000.1'],
  [{ price: undefined }, 'price', 'Price is required for limit orders'],
  [{ leverage: 200 }, 'leverage', 'allows a leverage from 1 to 125'],
  [{ leverage: '200' }, 'leverage', 'allows a leverage from 1 to 125'],
  [{ symbol: 'NOPE_USDT' }, 'symbol', 'MEXC has no futures contract "NOPE_USDT"'],
  [{ symbol: 'HALT_USDT', price: '1' }, 'symbol', 'HALT_USDT'],
  [{ openType: 'isolated' }, 'leverage', 'Isolated margin requires a leverage'],
  [
    { symbol: 'BTCUSDT', quantity: '0.0000001' },
    'quantity',
    'the nearest valid amount is 0.000001',
  ],
  [{ symbol: 'BTCUSDT', quantity: '0.00001' }, 'quantity', 'worth at least 1 USDT'],
  [{ symbol: 'BTCUSDT', leverage: 5 }, 'leverage', 'Only for futures'],
  [{ symbol: 'ETHUSDC', type: 'MARKET' }, 'type', 'send a limit order'],
])(
  'an order with %j is rejected with the valid bound, and not sent',
  async (change, field, words) => {
    await expectInvalid(
      await sharedBot(),
      SUBMIT,
      { ...FUTURES_ORDER, ...change },
      { field, words },
    )
  },
)

test.each([
  [{ symbol: undefined }, 'symbol'],
  [{ side: 'buy' }, 'side'],
  [{ type: 'STOP' }, 'type'],
  [{ quantity: '-1' }, 'quantity'],
  [{ quantity: 'NaN' }, 'quantity'],
  [{ quantity: '1'.repeat(41) }, 'quantity'],
  [{ price: {} }, 'price'],
  [{ leverage: '501' }, 'leverage'],
  [{ leverage: '1.5' }, 'leverage'],
  [{ clientOrderId: 'with space' }, 'clientOrderId'],
  [{ clientOrderId: 'a'.repeat(33) }, 'clientOrderId'],
  [{ symbol: 'BTC_USDT&side=SELL' }, 'symbol'],
  [{ stopPrice: '1' }, 'stopPrice'],
])(
  'an order with %j is rejected by field before any call to the exchange',
  async (change, field) => {
    await expectUnfit(await sharedBot(), SUBMIT, { ...FUTURES_ORDER, ...change }, field)
  },
)

test('a JSON number keeps its digits, in errors and in the call', async () => {
  const bot = await sharedBot()
  const rejected = await bot.post(
    SUBMIT,
    '{"symbol":"BTC_USDT","side":"BUY","type":"LIMIT","quantity":0.1234567890123456789,"price":50000}',
  )
  expect(rejected.json().fields).toMatchObject([
    { field: 'quantity', message: expect.stringContaining('0.1234567890123456789') },
  ])
  const placed = await bot.post(
    SUBMIT,
    '{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","quantity":1e-3,"price":50000.10}',
  )
  expect(placed.statusCode).toBe(200)
  const [sent] = arrived(bot, '/api/v3/order')
  expect(sent?.query).toContain('quantity=0.001&price=50000.10&')
})

test("a symbol's rules are read once, however many orders need them, through the exchange's lane", async () => {
  // No time passes while a call is in flight.
  const time = createSetTime({ passesByItselfMs: 0 })
  const env = { RATE_LIMIT_PER_SECOND: '5' }
  const bot = await botOf(await testApp({ env, time, paper: { monotonicMs: time.monotonic } }))
  const orders = ['0.01', '0.02', '0.03'].map((quantity) =>
    bot.post(SUBMIT, { ...FUTURES_ORDER, quantity }),
  )
  for (const placed of await time.during(Promise.all(orders), { stepMs: 5 }))
    expect(placed.statusCode).toBe(200)
  expect(arrived(bot, '/api/v1/contract/detail')).toHaveLength(1)
  const times = bot.paper.received().map(({ arrivedAtMonotonicMs }) => arrivedAtMonotonicMs)
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThan(190)
})

test.each([
  ['futures', FUTURES_ORDER, 'orderId'],
  ['futures', FUTURES_ORDER, 'clientOrderId'],
  ['spot', SPOT_ORDER, 'orderId'],
  ['spot', SPOT_ORDER, 'clientOrderId'],
] as const)('a %s order is found and cancelled: %j by its %s', async (market, order, name) => {
  const bot = await sharedBot()
  const placed = (await bot.post(SUBMIT, { ...order, clientOrderId: 'mine-1' })).json()
  const query = { symbol: order.symbol, [name]: placed[name] }

  const status = await bot.get(`/api/mx/v1/orderStatus?${new URLSearchParams(query)}`)
  expect(status.statusCode).toBe(200)
  expect(status.json()).toMatchObject({
    success: true,
    data: { orderId: placed.orderId, symbol: order.symbol },
  })
  const cancelled = await bot.post('/api/mx/v1/cancelOrder', query)
  expect(cancelled.statusCode).toBe(200)
  expect(cancelled.json()).toEqual({
    success: true,
    // Futures name no order when it is cancelled by the own id.
    orderId: market === 'futures' && name === 'clientOrderId' ? '' : placed.orderId,
    message: 'Order cancelled',
    ...(name === 'clientOrderId' ? { clientOrderId: 'mine-1' } : {}),
  })
  expect(bot.orders('mx')).toMatchObject([{ market, status: 'cancelled' }])
  const again = await bot.post('/api/mx/v1/cancelOrder', query)
  expect(again.statusCode).toBeOneOf([404, 409])
  expect(again.json()).toMatchObject({ exchangeCode: expect.any(String) })
})

test.each(['/api/mx/v1/cancelOrder', '/api/mx/v1/orderStatus'])(
  'without an id %s names the possible ids',
  async (path) => {
    const bot = await sharedBot()
    for (const symbol of ['BTC_USDT', 'BTCUSDT']) {
      const rejected = path.includes('cancel')
        ? await bot.post(path, { symbol })
        : await bot.get(`${path}?symbol=${symbol}`)
      expect(rejected.statusCode).toBe(400)
      expect(rejected.json()).toMatchObject({
        code: 'ORDER_ID_MISSING',
        message: expect.stringContaining('orderId or clientOrderId'),
      })
    }
  },
)

test('balances are listed for spot, and for futures on request', async () => {
  const bot = await sharedBot()
  const spot = await bot.get('/api/mx/v1/getAccountInfo')
  expect(spot.json()).toEqual({
    success: true,
    data: expect.arrayContaining([
      { accountType: 'spot', coin: 'USDT', available: '1000000', frozen: '0', equity: null },
      { accountType: 'spot', coin: 'BTC', available: '10', frozen: '0', equity: null },
    ]),
  })
  const futures = await bot.get('/api/mx/v1/getAccountInfo?market=futures')
  expect(futures.json()).toEqual({
    success: true,
    data: [
      {
        accountType: 'futures',
        coin: 'USDT',
        available: '1000000',
        frozen: '0',
        equity: '1000000',
      },
    ],
  })
})

test.each(['?symbol=BTCUSDT', '', '?symbol=NOPE', '?symbol=BTCUSDT&symbol=ETHUSDT'])(
  "the ticker%s returns the exchange's own status and bytes",
  async (query) => {
    const bot = await sharedBot()
    const url = `/api/v3/ticker/price${query}`
    const direct = await fetch(bot.paper.url + url)
    const through = await bot.get(url)
    expect(through.statusCode).toBe(direct.status)
    expect(through.body).toBe(await direct.text())
    expect(through.headers['content-type']).toBe(direct.headers.get('content-type'))
  },
)

test('a rejection by the exchange is returned with its code and words, and with what to do', async () => {
  const bot = await sharedBot()
  const rejected = await bot.post(SUBMIT, {
    ...FUTURES_ORDER,
    quantity: '100',
    price: '60000',
    leverage: 1,
    openType: 'isolated',
  })
  expect(rejected.statusCode).toBe(422)
  expect(rejected.json()).toEqual({
    statusCode: 422,
    error: 'Unprocessable Entity',
    code: 'EXCHANGE_BALANCE_REFUSED',
    message: expect.stringMatching(
      /^MEXC rejected the request: .+ \(\d+\)\. Order less, or add funds$/,
    ),
    requestId: rejected.headers['x-request-id'],
    exchangeCode: expect.stringMatching(/^\d+$/),
    exchangeMessage: expect.stringMatching(/.+/),
  })
})

const BALANCES = '/api/mx/v1/getAccountInfo'

test.each([
  ['5xx', 502, 'EXCHANGE_ANSWER_INVALID'],
  ['html', 502, 'EXCHANGE_ANSWER_INVALID'],
  ['truncated', 502, 'EXCHANGE_ANSWER_INVALID'],
  ['garbage', 502, 'EXCHANGE_ANSWER_INVALID'],
  ['reset-before', 504, 'EXCHANGE_CONNECTION_LOST'],
  ['reset-after', 504, 'EXCHANGE_CONNECTION_LOST'],
] as const)(
  'a read to which the exchange responds with %s is %i %s',
  async (kind, status, code) => {
    const bot = await appWithBot()
    bot.paper.faults.add({ kind, match: { path: '/api/v3/account' } })
    const failed = await bot.get(BALANCES)
    expect(failed.statusCode).toBe(status)
    expect(failed.json()).toMatchObject({ statusCode: status, code })
    expect(failed.body).not.toMatch(/<html|127\.0\.0\.1|node_modules/)
    expect((await bot.get(BALANCES)).statusCode).toBe(200)
  },
)

test('a read to which the exchange does not respond is 504 EXCHANGE_TIMEOUT', async () => {
  const time = createSetTime()
  const bot = await botOf(await testApp({ time }))
  const path = '/api/v3/account'
  bot.paper.faults.add({ kind: 'timeout-before', match: { path } })
  const failing = bot.get(BALANCES)
  await eventually(() => expect(arrived(bot, path)).toHaveLength(1))
  await time.advance(UPSTREAM_LIMIT_MS)
  const failed = await failing
  expect(failed.statusCode).toBe(504)
  expect(failed.json()).toMatchObject({ code: 'EXCHANGE_TIMEOUT' })
})

test('a response of more than 8 MiB is not read to its end', async () => {
  const bot = await appWithBot()
  const path = '/api/v3/account'
  bot.paper.faults.add({ kind: 'oversized', bytes: 9 * 1024 * 1024, match: { path } })
  const failed = await bot.get(BALANCES)
  expect(failed.statusCode).toBe(502)
  expect(failed.json()).toMatchObject({ code: 'EXCHANGE_ANSWER_TOO_LARGE' })
})

test.each([
  ['429', BALANCES, '/api/v3/account'],
  ['418', BALANCES, '/api/v3/account'],
  ['510', `${BALANCES}?market=futures`, '/api/v1/private/account/assets'],
] as const)(
  'a read that hits the rate limit with %s is sent again and succeeds',
  async (kind, url, path) => {
    const bot = await appWithBot()
    bot.paper.faults.add({ kind, match: { path } })
    const read = await bot.get(url)
    expect(read.statusCode).toBe(200)
    expect(arrived(bot, path).map(({ fault }) => fault)).toEqual([kind, undefined])
  },
)

test('requests are signed with the clock of the exchange, however wrong ours is', async () => {
  const bot = await appWithBot()
  bot.paper.faults.add({ kind: 'wrong-clock', offsetMs: -3_600_000, match: { exchange: 'mx' } })
  expect((await bot.get(BALANCES)).statusCode).toBe(200)
  expect((await bot.post(SUBMIT, FUTURES_ORDER)).statusCode).toBe(200)
})

test("after a jump of the exchange's clock it is measured again, and the call sent once more", async () => {
  const bot = await appWithBot()
  await bot.get(BALANCES)
  bot.paper.faults.add({ kind: 'wrong-clock', offsetMs: 3_600_000, match: { exchange: 'mx' } })
  const placed = await bot.post(SUBMIT, FUTURES_ORDER)
  expect(placed.statusCode).toBe(200)
  expect(bot.orders('mx')).toHaveLength(1)
})

test('rejected exchange keys are 403: a bot must not mistake them for an invalid token', async () => {
  const t = await testApp()
  const { headers, clientId } = await t.client()
  await t.app.inject({
    method: 'POST',
    url: '/api/admin/client-api-keys',
    headers: t.asAdmin,
    payload: { clientId, exchange: 'mx', apiKey: 'nobody', apiSecret: 'knows' },
  })
  for (const url of [BALANCES, `${BALANCES}?market=futures`]) {
    const rejected = await t.app.inject({ url, headers })
    expect(rejected.statusCode).toBe(403)
    expect(rejected.json()).toMatchObject({
      code: 'EXCHANGE_KEY_REFUSED',
      exchangeCode: expect.any(String),
    })
  }
})
