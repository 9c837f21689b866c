import { expect, test } from 'vitest'
import { type TestApp, testApp } from '../app.ts'
import { type Bot, botOf, expectInvalid, expectUnfit } from '../support/bot-of.ts'
import { eventually } from '../support/eventually.ts'
import { createSetTime, UPSTREAM_LIMIT_MS } from '../support/set-time.ts'
import { sharedApp } from '../support/shared-app.ts'

const SUBMIT = '/api/mx/v1/submitOrder'
const BITGET = '/api/bg/v1'
const PLACE_SPOT = `${BITGET}/spot/trade/place-order`
const PLACE_FUTURES = `${BITGET}/futures/trade/place-order`
const contract = {
  ...{ symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' },
}
const mexcSpot = { ...contract, symbol: 'BTCUSDT' }
const limit = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price: '50000', force: 'gtc' }
const spot = { ...limit, size: '0.001' }
const constant = { productType: 'USDT-FUTURES', marginCoin: 'USDT' }
const futures = { ...limit, ...constant, marginMode: 'crossed', size: '0.01' }
const ORDERS = {
  mexc: { url: SUBMIT, order: contract },
  spot: { url: PLACE_SPOT, order: spot },
  futures: { url: PLACE_FUTURES, order: futures },
} as const

const shared = sharedApp()
const sharedBot = () => botOf(shared())
/** An app that knows nothing yet, and one bot's calls to it. */
const appWithBot = async () => botOf(await testApp())

/** What arrived at an address of an exchange. */
const arrived = ({ paper }: Pick<TestApp, 'paper'>, path: string) => paper.received({ path })
const bodyOf = (bot: Bot, path: string, nth = 0) => JSON.parse(arrived(bot, path)[nth]?.body ?? '')
const CREATE = '/api/v1/private/order/create'

/** It succeeds, and names its order digit for digit, beyond what a double can hold. */
async function place(bot: Bot, url: string, order: object) {
  const placed = await bot.post(url, order)
  expect(placed.statusCode, placed.body).toBe(200)
  return placed.json()
}
const OWN_ID = expect.stringMatching(/^sl-[\w-]{24}$/)

test('a futures order on MEXC gets the documented response and is sent as whole contracts in one-way mode', async () => {
  const bot = await sharedBot()
  const { orderId, clientOrderId, ...placed } = await place(bot, SUBMIT, contract)
  expect({ clientOrderId, ...placed }).toEqual({
    ...{ success: true, message: 'Order submitted', clientOrderId: OWN_ID },
  })
  expect(BigInt(orderId)).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER))
  expect(bodyOf(bot, CREATE)).toEqual({
    ...{ symbol: 'BTC_USDT', price: '50000', vol: '100', side: 1, type: 1, openType: 2 },
    ...{ positionMode: 2, externalOid: clientOrderId },
  })
  expect(bot.orders('mx')).toMatchObject([
    { orderId, side: 'buy', size: '0.01', price: '50000', status: 'open' },
  ])
})

test.each([20, '20'])(
  'a futures order on MEXC carries leverage (%j), margin mode, reduce-only and clientOrderId when they are given',
  async (leverage) => {
    const bot = await sharedBot()
    await place(bot, SUBMIT, { ...contract, type: 'MARKET', price: undefined })
    const placed = await place(bot, SUBMIT, {
      ...{ symbol: 'BTC_USDT', side: 'SELL', type: 'MARKET', quantity: '0.004', leverage },
      ...{ openType: 'cross', reduceOnly: true, clientOrderId: 'close-1' },
    })
    expect(placed).toMatchObject({ success: true, clientOrderId: 'close-1' })
    expect(bodyOf(bot, CREATE, 1)).toEqual({
      ...{ symbol: 'BTC_USDT', vol: '40', leverage: 20, side: 3, type: 5, openType: 2 },
      ...{ positionMode: 2, reduceOnly: true, externalOid: 'close-1' },
    })
    const account = bot.paper.accounts.list().find(({ name }) => name === `${bot.clientId}-mx`)
    expect(account?.positions).toMatchObject([{ symbol: 'BTCUSDT', side: 'long', size: '0.006' }])
  },
)

test('a symbol without an underscore is a spot order of MEXC', async () => {
  const bot = await sharedBot()
  const { orderId, clientOrderId, message } = await place(bot, SUBMIT, mexcSpot)
  expect(message).toBe('Order submitted')
  const [order] = bot.orders('mx')
  expect(order).toMatchObject({ market: 'spot', size: '0.01', price: '50000' })
  expect(orderId).toContain(order?.orderId)
  const [sent] = arrived(bot, '/api/v3/order')
  const query = Object.fromEntries(new URLSearchParams(sent?.query))
  expect(query).toMatchObject({ ...mexcSpot, newClientOrderId: clientOrderId })
})

test('an order on Bitget gets the documented response and arrives as intended; constant fields may be left out', async () => {
  const bot = await sharedBot()
  const { data, success } = await place(bot, PLACE_SPOT, spot)
  expect([success, data.clientOid]).toEqual([true, OWN_ID])
  expect(BigInt(data.orderId)).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER))
  const { productType: _product, marginCoin: _coin, force: _force, ...short } = futures
  const placed = await place(bot, PLACE_FUTURES, { ...short, clientOid: 'grid-1' })
  expect(placed).toEqual({ success, data: { ...placed.data, clientOid: 'grid-1' } })
  expect(bodyOf(bot, '/api/v2/spot/trade/place-order')).toEqual({
    ...{ ...spot, clientOid: data.clientOid },
  })
  expect(bodyOf(bot, '/api/v2/mix/order/place-order')).toEqual({ ...futures, clientOid: 'grid-1' })
  expect(bot.orders('bg')).toMatchObject([
    { orderId: data.orderId, market: 'spot', side: 'buy', size: '0.001', status: 'open' },
    { orderId: placed.data.orderId, market: 'futures', size: '0.01', status: 'open' },
  ])
})

test('a market buy on spot is an amount of the quote coin', async () => {
  const bot = await sharedBot()
  await place(bot, PLACE_SPOT, {
    ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'market', size: '600' },
  })
  expect(bot.orders('bg')).toMatchObject([{ status: 'filled', price: null }])
  expect(Number(bot.orders('bg')[0]?.filledSize)).toBeCloseTo(0.01, 3)
})

const NEEDS_STOP = 'Requires stopLossTriggerPrice'
const stopLoss = { stopLossTriggerPrice: '40000' }
const ofSpot = (fields: object) => ({ symbol: 'BTCUSDT', ...fields })

test.each([
  ['mexc', { quantity: '0.00015' }, 'quantity', 'the nearest valid amounts are 0.0001 and 0.0002'],
  ['mexc', { quantity: '0.00001' }, 'quantity', 'the nearest valid amount is 0.0001'],
  ['mexc', { quantity: '0' }, 'quantity', 'the nearest valid amount is 0.0001'],
  ['mexc', { price: '50000.05' }, 'price', 'the nearest valid amounts are 50000 and 50000.1'],
  ['mexc', { price: undefined }, 'price', 'Price is required for limit orders'],
  ['mexc', { leverage: 200 }, 'leverage', 'allows a leverage from 1 to 125'],
  ['mexc', { leverage: '200' }, 'leverage', 'allows a leverage from 1 to 125'],
  ['mexc', { symbol: 'NOPE_USDT' }, 'symbol', 'MEXC has no futures contract "NOPE_USDT"'],
  ['mexc', { symbol: 'HALT_USDT', price: '1' }, 'symbol', 'HALT_USDT'],
  ['mexc', { openType: 'isolated' }, 'leverage', 'Isolated margin requires a leverage'],
  ['mexc', ofSpot({ quantity: '0.0000001' }), 'quantity', 'the nearest valid amount is 0.000001'],
  ['mexc', ofSpot({ quantity: '0.00001' }), 'quantity', 'worth at least 1 USDT'],
  ['mexc', ofSpot({ leverage: 5 }), 'leverage', 'Only for futures'],
  ['mexc', { symbol: 'ETHUSDC', type: 'MARKET' }, 'type', 'send a limit order'],
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
  ['futures', { stopLossTriggerType: 'mark_price' }, 'stopLossTriggerType', NEEDS_STOP],
  ['futures', { tradeSide: 'open', reduceOnly: true }, 'reduceOnly', 'one-way mode'],
] as const)(
  'an order (%s) with %j is rejected with the valid bound, and not sent',
  async (kind, change, field, words) => {
    const { url, order } = ORDERS[kind]
    await expectInvalid(await sharedBot(), url, { ...order, ...change }, { field, words })
  },
)

test.each([
  ['mexc', { symbol: undefined }, 'symbol'],
  ['mexc', { side: 'buy' }, 'side'],
  ['mexc', { type: 'STOP' }, 'type'],
  ['mexc', { quantity: '-1' }, 'quantity'],
  ['mexc', { quantity: 'NaN' }, 'quantity'],
  ['mexc', { quantity: '1'.repeat(41) }, 'quantity'],
  ['mexc', { price: {} }, 'price'],
  ['mexc', { leverage: '501' }, 'leverage'],
  ['mexc', { leverage: '1.5' }, 'leverage'],
  ['mexc', { clientOrderId: 'with space' }, 'clientOrderId'],
  ['mexc', { clientOrderId: 'a'.repeat(33) }, 'clientOrderId'],
  ['mexc', { symbol: 'BTC_USDT&side=SELL' }, 'symbol'],
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
  'an order (%s) with %j is rejected by field before any call to the exchange',
  async (kind, change, field) => {
    const { url, order } = ORDERS[kind]
    await expectUnfit(await sharedBot(), url, { ...order, ...change }, field)
  },
)

// It said "must be number", of a field that takes text too.
test.each([
  ['mexc', 'quantity', '.001'],
  ['mexc', 'price', -1],
  ['spot', 'size', '.001'],
  ['spot', 'size', 'x'],
  ['futures', 'size', null],
] as const)(
  'an order (%s) whose %s is %j: the error says how an amount is written',
  async (...row) => {
    const [kind, field, value] = row
    const { url, order } = ORDERS[kind]
    const message = 'must be digits, with a point and digits after it if needed, such as "0.01"'
    const refused = await (await sharedBot()).post(url, { ...order, [field]: value })
    expect(refused.json().fields).toEqual([{ field, message }])
  },
)

test('a JSON number keeps its digits, in errors and in the call', async () => {
  const bot = await sharedBot()
  const send = (symbol: string, numbers: string) =>
    bot.post(SUBMIT, `{"symbol":"${symbol}","side":"BUY","type":"LIMIT",${numbers}}`)
  const rejected = await send('BTC_USDT', '"quantity":0.1234567890123456789,"price":50000')
  expect(rejected.json().fields).toMatchObject([
    { field: 'quantity', message: expect.stringContaining('0.1234567890123456789') },
  ])
  const placed = await send('BTCUSDT', '"quantity":1e-3,"price":50000.10')
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
    bot.post(SUBMIT, { ...contract, quantity }),
  )
  for (const placed of await time.during(Promise.all(orders), { stepMs: 5 }))
    expect(placed.statusCode).toBe(200)
  expect(arrived(bot, '/api/v1/contract/detail')).toHaveLength(1)
  const times = bot.paper.received().map(({ arrivedAtMonotonicMs }) => arrivedAtMonotonicMs)
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThan(190)
})

test('an order is not sent when its symbol rules cannot be read', async () => {
  const bot = await appWithBot()
  bot.paper.faults.add({ kind: '5xx', match: { path: '/api/v2/spot/public/symbols' } })
  const rejected = await bot.post(PLACE_SPOT, spot)
  expect(rejected.statusCode).toBeOneOf([502, 503])
  expect(rejected.json()).not.toHaveProperty('success')
  expect(bot.orders('bg')).toEqual([])
  await place(bot, PLACE_SPOT, spot)
})

// That they are found and cancelled: calls.test.ts.
test.each([
  ['futures', contract, 'orderId'],
  ['futures', contract, 'clientOrderId'],
  ['spot', mexcSpot, 'orderId'],
  ['spot', mexcSpot, 'clientOrderId'],
] as const)(
  'the cancel of a %s order of MEXC has the documented response: %j by its %s',
  async (market, order, name) => {
    const bot = await sharedBot()
    const placed = await place(bot, SUBMIT, { ...order, clientOrderId: 'mine-1' })
    const query = { symbol: order.symbol, [name]: placed[name] }
    const status = await bot.get(`/api/mx/v1/orderStatus?${new URLSearchParams(query)}`)
    expect(status.json()).toMatchObject({
      ...{ success: true, data: { orderId: placed.orderId, symbol: order.symbol } },
    })
    const cancelled = await bot.post('/api/mx/v1/cancelOrder', query)
    expect(cancelled.json()).toEqual({
      success: true,
      // Futures name no order when it is cancelled by the own id.
      orderId: market === 'futures' && name === 'clientOrderId' ? '' : placed.orderId,
      message: 'Order cancelled',
      ...(name === 'clientOrderId' ? { clientOrderId: 'mine-1' } : {}),
    })
    const again = await bot.post('/api/mx/v1/cancelOrder', query)
    expect(again.statusCode).toBeOneOf([404, 409])
    expect(again.json()).toMatchObject({ exchangeCode: expect.any(String) })
  },
)

const MEXC_IDS = 'orderId or clientOrderId'
const BITGET_IDS = 'orderId or clientOid'

test.each([
  ['BTC_USDT', '/api/mx/v1/orderStatus', '/api/mx/v1/cancelOrder', MEXC_IDS],
  ['BTCUSDT', '/api/mx/v1/orderStatus', '/api/mx/v1/cancelOrder', MEXC_IDS],
  ['', `${BITGET}/spot/trade/orderInfo`, `${BITGET}/spot/trade/cancel-order`, BITGET_IDS],
  ['BTCUSDT', `${BITGET}/futures/trade/detail`, `${BITGET}/futures/trade/cancel-order`, BITGET_IDS],
])(
  'without an id the details of an order (%s, %s) and its cancel name the possible ids',
  async (symbol, details, cancel, ids) => {
    const bot = await sharedBot()
    for (const rejected of [
      await bot.get(symbol === '' ? details : `${details}?symbol=${symbol}`),
      await bot.post(cancel, { symbol: symbol || 'BTCUSDT' }),
    ]) {
      expect(rejected.statusCode).toBe(400)
      expect(rejected.json()).toMatchObject({
        ...{ code: 'ORDER_ID_MISSING', message: expect.stringContaining(ids) },
      })
    }
  },
)

test.each(['spot/trade/orderInfo?orderId=1', 'futures/trade/detail?symbol=BTCUSDT&orderId=1'])(
  'an order that does not exist is 404 with the code of the exchange: %s',
  async (url) => {
    const missing = await (await sharedBot()).get(`${BITGET}/${url}`)
    expect(missing.statusCode).toBe(404)
    expect(missing.json()).toMatchObject({ code: 'EXCHANGE_ORDER_NOT_FOUND' })
  },
)

test('balances of MEXC are listed for spot, and for futures on request', async () => {
  const bot = await sharedBot()
  const read = async (query: string) => (await bot.get(`/api/mx/v1/getAccountInfo${query}`)).json()
  const full = (accountType: string, coin: string, available: string, equity: string | null) => ({
    ...{ accountType, coin, available, frozen: '0', equity },
  })
  expect(await read('')).toEqual({
    success: true,
    data: expect.arrayContaining([
      full('spot', 'USDT', '1000000', null),
      full('spot', 'BTC', '10', null),
    ]),
  })
  const data = [full('futures', 'USDT', '1000000', '1000000')]
  expect(await read('?market=futures')).toEqual({ success: true, data })
})

test('the accounts of Bitget are one list with the seven documented fields; one alone makes one call', async () => {
  const bot = await sharedBot()
  await place(bot, PLACE_SPOT, spot)
  const read = async (query: string) => (await bot.get(`${BITGET}/getAccountInfo${query}`)).json()
  const row = (accountType: string, available: string, frozen: string) => ({
    ...{ accountType, coin: 'USDT', available, frozen, locked: '0' },
    accountId: expect.stringMatching(/^\d+$/),
    uTime: expect.stringMatching(/^\d{13}$/),
  })
  expect(await read('')).toEqual({
    success: true,
    data: expect.arrayContaining([row('spot', '999950', '50'), row('futures', '1000000', '0')]),
  })
  for (const [type, other] of [
    ['spot', '/api/v2/mix/*'],
    ['futures', '/api/v2/spot/account/assets'],
  ]) {
    bot.paper.clearReceived()
    const { data } = await read(`?accountType=${type}`)
    const types = data.map(({ accountType }: { accountType: string }) => accountType)
    expect(new Set(types)).toEqual(new Set([type]))
    expect(bot.paper.received({ path: `${other}` })).toEqual([])
  }
})

test.each(['?symbol=BTCUSDT', '', '?symbol=NOPE', '?symbol=BTCUSDT&symbol=ETHUSDT'])(
  "the ticker%s returns MEXC's own status and bytes",
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

test('prices of all pairs are returned at once, and the book has its requested levels, the best first', async () => {
  const bot = await sharedBot()
  const all = await bot.get(`${BITGET}/spot/market/tickers`)
  expect(all.json().data.length).toBeGreaterThan(3)
  const book = await bot.get(`${BITGET}/spot/market/orderbook?symbol=BTCUSDT&limit=5`)
  const { asks, bids, ts } = book.json().data
  expect([book.json().success, asks.length, bids.length]).toEqual([true, 5, 5])
  expect(Number(asks[0][0])).toBeGreaterThan(Number(bids[0][0]))
  expect(asks[0]).toEqual([expect.stringMatching(/^[\d.]+$/), expect.stringMatching(/^[\d.]+$/)])
  expect(ts).toMatch(/^\d{13}$/)
})

test('a symbol with non-Latin letters is signed and accepted', async () => {
  const bot = await sharedBot()
  const symbol = '龙虾USDT'
  const url = `${BITGET}/spot/market/tickers?${new URLSearchParams({ symbol })}`
  expect((await bot.get(url)).json()).toMatchObject({ success: true, data: [{ symbol }] })
  await place(bot, PLACE_SPOT, { ...spot, symbol, size: '100', price: '0.02' })
})

const expensive = { ...contract, quantity: '100', leverage: 1, openType: 'isolated' }
test.each([
  ['MEXC', SUBMIT, { ...expensive, price: '60000' }, /^\d+$/, /.+/],
  ['Bitget', PLACE_SPOT, { ...spot, size: '30', price: '60000' }, /^43012$/, /^Insufficient bal/],
])(
  'a rejection by %s is returned with its code and words, and with what to do',
  async (name, url, order, code, words) => {
    const rejected = await (await sharedBot()).post(url, order)
    expect(rejected.statusCode).toBe(422)
    const { exchangeCode, exchangeMessage, ...error } = rejected.json()
    expect([exchangeCode, exchangeMessage]).toEqual([
      expect.stringMatching(code),
      expect.stringMatching(words),
    ])
    expect(error).toEqual({
      ...{ statusCode: 422, error: 'Unprocessable Entity', code: 'EXCHANGE_BALANCE_REFUSED' },
      message: `${name} rejected the request: ${exchangeMessage} (${exchangeCode}). Order less, or add funds`,
      requestId: rejected.headers['x-request-id'],
    })
  },
)

const BALANCES = '/api/mx/v1/getAccountInfo'
const SPOT_ACCOUNT = '/api/v3/account'
const POSITIONS = '/api/v2/mix/position/all-position'
const all = `${BITGET}/futures/position/all-position`

test.each([
  ...(['5xx', 'html', 'truncated', 'garbage'] as const).flatMap((kind) => [
    [kind, BALANCES, SPOT_ACCOUNT, 502, 'EXCHANGE_ANSWER_INVALID'] as const,
    [kind, all, POSITIONS, 502, 'EXCHANGE_ANSWER_INVALID'] as const,
  ]),
  ...(['reset-before', 'reset-after'] as const).map(
    (kind) => [kind, BALANCES, SPOT_ACCOUNT, 504, 'EXCHANGE_CONNECTION_LOST'] as const,
  ),
  ['reset-before', all, POSITIONS, 504, 'EXCHANGE_CONNECTION_LOST'],
] as const)(
  'a read to which the exchange responds with %s (%s, %s) is %i %s',
  async (kind, url, path, status, code) => {
    const bot = await appWithBot()
    // A read is sent again once when its kept connection is closed as it is written.
    const times = kind.startsWith('reset') ? 2 : 1
    bot.paper.faults.add({ kind, times, match: { path } })
    const failed = await bot.get(url)
    expect(failed.statusCode).toBe(status)
    expect(failed.json()).toMatchObject({ statusCode: status, code })
    expect(failed.body).not.toMatch(/<html|127\.0\.0\.1|node_modules/)
    expect((await bot.get(url)).statusCode).toBe(200)
  },
)

test('a read to which the exchange does not respond is 504 EXCHANGE_TIMEOUT', async () => {
  const time = createSetTime()
  const bot = await botOf(await testApp({ time }))
  bot.paper.faults.add({ kind: 'timeout-before', match: { path: SPOT_ACCOUNT } })
  const failing = bot.get(BALANCES)
  await eventually(() => expect(arrived(bot, SPOT_ACCOUNT)).toHaveLength(1))
  await time.advance(UPSTREAM_LIMIT_MS)
  const failed = await failing
  expect(failed.statusCode).toBe(504)
  expect(failed.json()).toMatchObject({ code: 'EXCHANGE_TIMEOUT' })
})

test('a read that hits the rate limit with 429, 418 or 510 is sent again and succeeds', async () => {
  const rows = [
    ['429', BALANCES, SPOT_ACCOUNT],
    ['418', BALANCES, SPOT_ACCOUNT],
    ['510', `${BALANCES}?market=futures`, '/api/v1/private/account/assets'],
  ] as const
  await Promise.all(
    rows.map(async ([kind, url, path]) => {
      const bot = await appWithBot()
      bot.paper.faults.add({ kind, match: { path } })
      expect((await bot.get(url)).statusCode, kind).toBe(200)
      expect(arrived(bot, path).map(({ fault }) => fault)).toEqual([kind, undefined])
    }),
  )
})

test('requests are signed with the clock of the exchange, which is measured again after a jump', async () => {
  const bot = await appWithBot()
  const wrongBy = (offsetMs: number) =>
    bot.paper.faults.add({ kind: 'wrong-clock', offsetMs, match: { exchange: 'mx' } })
  wrongBy(-3_600_000)
  expect((await bot.get(BALANCES)).statusCode).toBe(200)
  await place(bot, SUBMIT, contract)
  bot.paper.faults.clear()
  wrongBy(3_600_000)
  await place(bot, SUBMIT, contract)
  expect(bot.orders('mx')).toHaveLength(2)
})

test('rejected exchange keys are 403: a bot must not mistake them for an invalid token', async () => {
  const bot = await appWithBot()
  const { clientId } = bot
  const key = { clientId, exchange: 'mx', apiKey: 'nobody', apiSecret: 'knows' }
  await bot.admin('POST', '/client-api-keys', key)
  for (const url of [BALANCES, `${BALANCES}?market=futures`]) {
    const rejected = await bot.get(url)
    expect(rejected.statusCode).toBe(403)
    expect(rejected.json()).toMatchObject({
      ...{ code: 'EXCHANGE_KEY_REFUSED', exchangeCode: expect.any(String) },
    })
  }
})
