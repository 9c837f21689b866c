import { expect, test } from 'vitest'
import { type Fields, mexcKeys, mexcSpot, paperExchange, send, sharedPaper } from './paper.ts'

const paper = sharedPaper()
const call = async (method: 'GET' | 'POST' | 'DELETE', path: string, fields: Fields = {}) =>
  (await mexcSpot(paper, method, path, fields)).json
const place = (change: Fields = {}) => call('POST', '/order', { ...limit, ...change })
const find = (by: Fields) => call('GET', '/order', { symbol: 'BTCUSDT', ...by })
const cancel = (by: Fields) => call('DELETE', '/order', { symbol: 'BTCUSDT', ...by })

const limit = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '59000' }

const rejections: readonly [what: string, change: Record<string, string>, code: number][] = [
  ['an unknown symbol', { symbol: 'NOPEUSDT' }, 10007],
  ['a halted symbol', { symbol: 'HALTUSDT', price: '1' }, 30016],
  ['a lower-case side', { side: 'buy' }, 33333],
  ['an unknown type', { type: 'STOP' }, 30041],
  ['a type that the symbol does not have', { symbol: 'ETHUSDC', type: 'MARKET' }, 30041],
  ['no price', { price: '' }, 700004],
  ['no quantity', { quantity: '' }, 700004],
  ['a negative quantity', { quantity: '-1' }, 33333],
  ['a quantity that is no number', { quantity: 'NaN' }, 33333],
  ['too many decimals in the price', { price: '59000.001' }, 33333],
  ['too many decimals in the quantity', { quantity: '0.0100001' }, 33333],
  ['less than the minimum value', { quantity: '0.00001' }, 30002],
  ['more than the maximum value', { quantity: '100' }, 30003],
  ['a buying price far above the market', { price: '80000' }, 30087],
  ['more money than there is', { quantity: '5' }, 10101],
  ['more coins than there are', { side: 'SELL', quantity: '3', price: '61000' }, 30004],
  ['a window above 60 s', { recvWindow: '60001' }, 700005],
]

test.each(rejections)('MEXC spot rejects an order with %s', async (_what, change, code) => {
  const response = await mexcSpot(paper, 'POST', '/order', { ...limit, ...change })
  expect(response).toMatchObject({ status: 400, json: { code } })
  const tested = await mexcSpot(paper, 'POST', '/order/test', { ...limit, ...change })
  expect(tested.json.code).toBe(code)
  expect(paper.orders()).toEqual([])
})

test('a resting MEXC spot order locks its money, is found by both ids, and releases everything when cancelled', async () => {
  const usdt = async () =>
    (await call('GET', '/account')).balances.find(({ asset }: Fields) => asset === 'USDT')
  const placed = await place({ newClientOrderId: 'bot-1' })
  expect(placed).toMatchObject({ symbol: 'BTCUSDT', orderListId: -1, side: 'BUY' })
  const { orderId } = placed
  const byId = await find({ orderId })
  const isNew = { orderId, clientOrderId: 'bot-1', status: 'NEW', executedQty: '0' }
  expect(byId).toMatchObject(isNew)
  expect(await find({ origClientOrderId: 'bot-1' })).toEqual(byId)
  const all = { asset: 'USDT', free: '100000', locked: '0', available: '100000' }
  expect(await usdt()).toEqual({ ...all, free: '99410', locked: '590', available: '99410' })
  const cancelled = await cancel({ orderId })
  expect(cancelled).toMatchObject({ status: 'CANCELED', origClientOrderId: 'bot-1' })
  expect(await usdt()).toEqual(all)
})

test('a resting MEXC spot order fills when the price reaches it at the next tick', async () => {
  const { orderId } = await place()
  paper.setPrice('BTCUSDT', '58000')
  expect(await find({ orderId })).toMatchObject({ status: 'NEW' })
  paper.tick()
  const filled = { status: 'FILLED', executedQty: '0.01', cummulativeQuoteQty: '590' }
  expect(await find({ orderId })).toMatchObject(filled)
  expect(await call('GET', '/myTrades', { symbol: 'BTCUSDT' })).toMatchObject([
    { qty: '0.01', price: '59000', isMaker: true, isBuyer: true },
  ])
})

test('MEXC spot fills a market buy for an amount of USDT at the best ask and takes its fee from the coins', async () => {
  const buy = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quoteOrderQty: '6000' }
  const { orderId } = await call('POST', '/order', buy)
  expect(await find({ orderId })).toMatchObject({
    ...{ status: 'FILLED', executedQty: '0.099999', origQuoteOrderQty: '6000' },
    cummulativeQuoteQty: '5999.94099999',
  })
  const { balances } = await call('GET', '/account')
  for (const [asset, free] of [
    ['USDT', '94000.05900001'],
    ['BTC', '2.0999490005'],
  ])
    expect(balances).toContainEqual(expect.objectContaining({ asset, free }))
})

test('MEXC spot honours post-only, immediate and all-or-nothing orders', async () => {
  paper.setPrice('BTCUSDT', '60000', '0.5')
  const statusOf = async (change: Fields) => {
    const { orderId } = await place({ price: '60100', ...change })
    const { status, executedQty } = await find({ orderId })
    return `${status} ${executedQty}`
  }
  expect(await statusOf({ type: 'LIMIT_MAKER' })).toBe('CANCELED 0')
  expect(await statusOf({ type: 'FILL_OR_KILL', quantity: '1' })).toBe('CANCELED 0')
  const partly = 'PARTIALLY_CANCELED 0.5'
  expect(await statusOf({ type: 'IMMEDIATE_OR_CANCEL', quantity: '1' })).toBe(partly)
  paper.setPrice('BTCUSDT', '60000', '0.2')
  expect(await statusOf({ quantity: '0.3' })).toBe('PARTIALLY_FILLED 0.2')
})

test('MEXC spot accepts a client order id twice, and a lookup finds the newer order', async () => {
  const named = { ...limit, newClientOrderId: 'same' }
  const [first, second] = [await place(named), await place(named)]
  expect(second.orderId).not.toBe(first.orderId)
  expect((await find({ origClientOrderId: 'same' })).orderId).toBe(second.orderId)
  const strict = await paperExchange({ habits: { mexcSpotDuplicates: 'reject' } })
  await mexcSpot(strict, 'POST', '/order', named)
  expect((await mexcSpot(strict, 'POST', '/order', named)).json.code).toBe(-2010)
  expect(strict.orders()).toHaveLength(1)
})

test('MEXC spot distinguishes an unknown order from one that can no longer be cancelled', async () => {
  expect(await find({ orderId: 'C02__1' })).toMatchObject({ code: -2013 })
  expect(await cancel({ orderId: 'C02__1' })).toMatchObject({ code: -2011 })
  const { orderId } = await place({ price: '60500' })
  expect(await cancel({ orderId })).toMatchObject({ code: -2011 })
  expect(await find({ orderId })).toMatchObject({ status: 'FILLED' })
})

test('MEXC spot responds 429 with Retry-After when an endpoint is called too often', async () => {
  const paper = await paperExchange({ monotonicMs: () => 0 })
  await mexcSpot(paper, 'GET', '/account')
  await mexcSpot(paper, 'GET', '/account')
  const third = await mexcSpot(paper, 'GET', '/account')
  expect(third).toMatchObject({ status: 429, json: { code: 429 } })
  expect(third.headers.get('retry-after')).toBe('10')
})

test('a MEXC key that may only read cannot trade, and an expired or address-bound one is rejected', async () => {
  const paper = await paperExchange({ accounts: [] })
  const add = (apiKey: string, rest: object) => {
    const keys = { ...mexcKeys, apiKey }
    paper.accounts.add({ exchange: 'mx', ...keys, balances: { USDT: '1000' }, ...rest })
    return { keys }
  }
  const as = async (keys: object, method = 'GET', path = '/account', fields = {}) =>
    (await mexcSpot(paper, method, path, fields, keys)).json
  const reader = add('reader', { permissions: ['read'] })
  expect((await as(reader, 'POST', '/order', limit)).code).toBe(700007)
  expect(await as(reader)).toMatchObject({ canTrade: false })
  expect((await as(add('expired', { expired: true }))).code).toBe(10072)
  expect((await as(add('bound', { ipWhitelist: ['203.0.113.9'] }))).code).toBe(700006)
})

test('MEXC spot accepts a symbol in Chinese characters', async () => {
  const symbol = '币安人生USDT'
  const clientOrderId = 'A-b_9'
  const order = { symbol, quantity: '100', price: '0.14', newClientOrderId: clientOrderId }
  expect(await place(order)).toMatchObject({ symbol })
  expect(await call('GET', '/openOrders', { symbol })).toMatchObject([{ clientOrderId }])
})

test.each(['x'.repeat(33), 'a b', 'a+b', 'a/b', 'ä'])(
  'MEXC spot rejects the client order id "%s" and names the expression',
  async (newClientOrderId) => {
    const response = await mexcSpot(paper, 'POST', '/order', { ...limit, newClientOrderId })
    expect(response).toMatchObject({ status: 400, json: { code: 700008 } })
    expect(response.json.msg).toContain('^[0-9a-zA-Z_-]{1,32}$')
    expect(paper.orders()).toEqual([])
  },
)

test('DELETE order/all of MEXC spot cancels every open order of the account, and no other', async () => {
  const other = { apiKey: 'other', apiSecret: 'other-secret' }
  paper.accounts.add({ exchange: 'mx', name: 'other', ...other, balances: { USDT: '1000' } })
  await place()
  await place({ symbol: 'ETHUSDT', price: '2000' })
  await mexcSpot(paper, 'POST', '/order', limit, { keys: other })
  const nowMs = Date.now()
  const cancelled = await mexcSpot(paper, 'DELETE', '/order/all')
  expect(cancelled).toMatchObject({ status: 200, json: { code: 200, msg: 'success' } })
  expect(cancelled.json.timestamp).toBeGreaterThanOrEqual(nowMs)
  expect(paper.orders().map(({ account, status }) => [account, status])).toEqual([
    ['mexc', 'cancelled'],
    ['mexc', 'cancelled'],
    ['other', 'open'],
  ])
  expect((await mexcSpot(paper, 'DELETE', '/order/all')).json.code).toBe(200)
})

test('MEXC spot counts orders and cancels of an account together: 12 in a second', async () => {
  const paper = await paperExchange({ monotonicMs: () => 0 })
  for (let pair = 0; pair < 6; pair++) {
    const { json } = await mexcSpot(paper, 'POST', '/order', limit)
    await mexcSpot(paper, 'DELETE', '/order', { symbol: 'BTCUSDT', orderId: json.orderId })
  }
  expect((await mexcSpot(paper, 'POST', '/order', limit)).status).toBe(429)
  expect((await mexcSpot(paper, 'DELETE', '/order/all')).status).toBe(429)
  expect((await mexcSpot(paper, 'GET', '/openOrders')).status).toBe(200)
})

test('MEXC spot counts all calls from an address together: 300 by weight in 10 s', async () => {
  let monotonicMs = 0
  const paper = await paperExchange({ monotonicMs: () => monotonicMs })
  const info = () => send(`${paper.url}/api/v3/exchangeInfo?symbol=BTCUSDT`)
  for (let call = 0; call < 11; call++) expect((await info()).status).toBe(200)
  expect((await send(`${paper.url}/api/v3/ticker/24hr?symbol=BTCUSDT`)).status).toBe(200)
  // Other endpoints have nothing left either, public and signed ones.
  expect((await send(`${paper.url}/api/v3/time`)).status).toBe(429)
  expect((await mexcSpot(paper, 'GET', '/openOrders')).status).toBe(429)
  monotonicMs += 10_000
  expect((await info()).status).toBe(200)
})
