import type { OwnCancel, OwnOrder } from 'schema'
import { beforeEach, expect, test } from 'vitest'
import { testApp } from './app.ts'
import { type Bot, botOf } from './support/bot-of.ts'
import { eventually } from './support/eventually.ts'
import { sharedApp } from './support/shared-app.ts'

// A client lists its own orders without asking an exchange, and cancels all of them by their ids:
// also where the exchange key is that of several clients.

const app = { stops: { cancelPausesMs: [0, 20, 50] } }
const shared = sharedApp({ app })
let bot: Bot
let other: Bot
beforeEach(async () => {
  shared().paper.faults.clear()
  bot = await botOf(shared())
  other = await botOf(shared())
})

const SPOT = '/bg/api/v2/spot/trade'
const MIX = '/bg/api/v2/mix/order'
const FUTURES = '/mx/api/v1/private'
const scope = { productType: 'USDT-FUTURES', marginCoin: 'USDT', marginMode: 'crossed' }
const limit = { side: 'buy', orderType: 'limit', force: 'gtc', size: '0.010' }
const bitget = { ...limit, symbol: 'BTCUSDT', price: '50000.10' }
const contract = { symbol: 'BTC_USDT', vol: 10, side: 1, type: 1, openType: 2, leverage: 1 }
const mexcSpot = (more: string) =>
  `/mx/api/v3/order?symbol=BTCUSDT&side=BUY&quantity=0.01&price=50000&type=LIMIT${more}`

/** An order that rests in each market, of BTC, and one of ETH. */
async function placeAll(of: Bot, name = 'b-spot') {
  for (const [url, body] of [
    [mexcSpot(''), ''],
    [`${FUTURES}/order/create`, { ...contract, price: 50_000 }],
    [`${SPOT}/place-order`, { ...bitget, clientOid: name }],
    [`${MIX}/place-order`, { ...bitget, ...scope }],
    [`${SPOT}/place-order`, { ...limit, symbol: 'ETHUSDT', size: '0.1', price: '2000' }],
  ] as const) {
    const response = await of.post(url, body)
    expect(response.statusCode, response.body).toBe(200)
  }
}

/** Stores the keys of one bot for another one too. */
async function share(from: Bot, to: Bot) {
  const [mexcKey, mexcSecret, bitgetKey, bitgetSecret, passphrase] = from.keys
  for (const keys of [
    { exchange: 'mx', apiKey: mexcKey, apiSecret: mexcSecret },
    { exchange: 'bg', apiKey: bitgetKey, apiSecret: bitgetSecret, passphrase },
  ])
    await from.admin('POST', '/client-api-keys', { clientId: to.clientId, ...keys })
}

async function list(of: Bot, query = ''): Promise<OwnOrder[]> {
  const response = await of.get(`/api/orders${query}`)
  expect(response.statusCode, response.body).toBe(200)
  return response.json().orders
}

const remove = (of: Bot, url: string, headers = {}) =>
  of.app.inject({ method: 'DELETE', url, headers: { ...of.headers, ...headers } })

/** Cancels all, and waits for the end. */
async function cancelAll(of: Bot, query = ''): Promise<OwnCancel> {
  const begun = await remove(of, `/api/orders${query}`)
  expect(begun.statusCode, begun.body).toBe(202)
  expect(begun.headers.location).toBe(begun.json().location)
  return eventually(async () => {
    const status = (await of.get(begun.json().location)).json()
    expect(status.state).toBe('done')
    return status
  })
}

/** What is open in an account, whoever placed it. */
const openIn = (of: Bot) =>
  [...of.orders('mx'), ...of.orders('bg')]
    .filter(({ status }) => status === 'open')
    .map(({ orderId }) => orderId)

/** The ids of a client's orders that may be open, in one account or another. */
const workingOf = async (of: Bot) =>
  (await list(of, '?state=working')).map(({ orderId }) => orderId?.replace(/^C02__/, ''))

test('a client lists its own orders digit for digit, and no slot of an exchange is taken', async () => {
  await share(bot, other)
  await placeAll(bot)
  await placeAll(other, 'other')
  bot.paper.clearReceived()
  const orders = await list(bot)
  expect(bot.paper.received()).toEqual([])
  expect(orders).toHaveLength(5)
  expect(orders[0]).toMatchObject({ exchange: 'bg', market: 'spot', symbol: 'ETHUSDT' })
  expect(orders[2]).toEqual({
    ...{ requestId: expect.any(String), exchange: 'bg', market: 'spot', symbol: 'BTCUSDT' },
    ...{ side: 'buy', type: 'limit', price: '50000.1', quantity: '0.01', triggerPrice: null },
    ...{ clientOrderId: 'b-spot', orderId: expect.stringMatching(/^\d+$/), working: true },
    ...{ state: 'answered', statusCode: 200, endpoint: `${SPOT}/place-order` },
    createdAt: expect.any(String),
    ...{ sentAt: expect.any(String), settledAt: expect.any(String) },
  })
  expect(orders[3]).toMatchObject({ exchange: 'mx', market: 'futures', side: '1', quantity: '10' })
  const id = orders[2]?.requestId
  expect((await bot.get(`/api/requests/${id}`)).json()).toMatchObject({ id })
  const theirs = new Set((await list(other)).map(({ requestId }) => requestId))
  expect(orders.filter(({ requestId }) => theirs.has(requestId))).toEqual([])
  for (const text of [JSON.stringify(orders)])
    for (const secret of [...bot.keys, other.clientId]) expect(text).not.toContain(secret)
})

test('the list is narrowed by symbol, exchange, time and state, and read page by page', async () => {
  await placeAll(bot)
  const all = await list(bot)
  const ids = async (query: string) => (await list(bot, query)).map(({ requestId }) => requestId)
  const [eth, ...btc] = all.map(({ requestId }) => requestId)
  for (const symbol of ['BTCUSDT', 'BTC_USDT', 'btcusdt'])
    expect(await ids(`?symbol=${symbol}`)).toEqual(btc)
  expect(await ids('?symbol=ETH_USDT&exchange=bg')).toEqual([eth])
  expect(await ids('?exchange=mx')).toEqual(btc.slice(2))
  const at = Date.parse(all[0]?.createdAt ?? '')
  expect(await ids(`?from=${at + 1}`)).toEqual([])
  expect(await ids(`?to=${Date.parse(all[4]?.createdAt ?? '')}`)).toEqual([])

  const cancel = { symbol: 'BTCUSDT', clientOid: 'b-spot' }
  expect((await bot.post(`${SPOT}/cancel-order`, cancel)).statusCode).toBe(200)
  bot.paper.faults.add({ kind: 'reset-before', match: { path: '/api/v2/spot/trade/place-order' } })
  const lost = await bot.post(`${SPOT}/place-order`, { ...bitget, size: '0.02' })
  expect(lost.json().code).toBe('OUTCOME_UNKNOWN')
  // Cancels are left out.
  expect(await ids('?state=answered')).toEqual([eth, ...btc])
  expect(await list(bot, '?state=unknown')).toMatchObject([{ quantity: '0.02', working: false }])
  const working = [eth, ...btc].filter((id) => id !== btc[1])
  expect(await ids('?state=working')).toEqual(working)
  for (const state of ['', '&state=working', '&state=answered']) {
    const whole = await ids(`?symbol=BTCUSDT${state}`)
    const read: (string | null)[] = []
    for (let cursor = ''; ; ) {
      const url = `/api/orders?symbol=BTCUSDT&limit=1${state}${cursor}`
      const page = (await bot.get(url)).json()
      expect(page.orders.length).toBeLessThanOrEqual(1)
      read.push(...page.orders.map(({ requestId }: OwnOrder) => requestId))
      if (page.cursor === null) break
      cursor = `&cursor=${encodeURIComponent(page.cursor)}`
    }
    expect(read).toEqual(whole)
  }
  for (const query of ['?cursor=x', '?symbol=', '?limit=0', '?state=open', '?other=1'])
    expect((await bot.get(`/api/orders${query}`)).json().code).toBe('VALIDATION_FAILED')
})

test('a request about several orders has a row for each, and says which of them still work', async () => {
  const orderList = ['p1', 'p2'].map((clientOid) => ({ ...bitget, clientOid }))
  await bot.post(`${SPOT}/batch-orders`, { symbol: 'BTCUSDT', orderList })
  await bot.post(`${SPOT}/cancel-order`, { symbol: 'BTCUSDT', clientOid: 'p1' })
  expect(await list(bot)).toMatchObject([
    { clientOrderId: 'p1', working: false, orderId: null },
    { clientOrderId: 'p2', working: true, orderId: expect.stringMatching(/^\d+$/) },
  ])
})

test('a client cancels all its own orders by their ids, and none of another with its key', async () => {
  await share(bot, other)
  await placeAll(bot)
  await placeAll(other, 'other')
  const theirs = await workingOf(other)
  expect(openIn(bot)).toHaveLength(10)
  bot.paper.clearReceived()
  const ofBitcoin = await cancelAll(bot, '?symbol=BTC_USDT')
  expect(ofBitcoin).toMatchObject({ symbol: 'BTC_USDT', orders: 4, cancelled: 4, failed: [] })
  expect(openIn(bot)).toHaveLength(6)
  expect(await list(bot, '?state=working')).toMatchObject([{ symbol: 'ETHUSDT' }])
  const paths = bot.paper.received().filter(({ method }) => method !== 'GET')
  expect(paths.map(({ path }) => path).toSorted()).toEqual([
    '/api/v1/private/order/cancel',
    '/api/v2/mix/order/batch-cancel-orders',
    '/api/v2/spot/trade/batch-cancel-order',
    '/api/v3/order',
  ])
  expect(await cancelAll(bot, '?exchange=mx')).toMatchObject({ orders: 0, cancelled: 0 })
  expect(await cancelAll(bot)).toMatchObject({ symbol: null, orders: 1, cancelled: 1 })
  expect(openIn(bot).toSorted()).toEqual(theirs.toSorted())
  expect(await workingOf(other)).toEqual(theirs)
  expect(await workingOf(bot)).toEqual([])
  // It is no stop: new orders are taken.
  expect((await bot.post(mexcSpot(''), '')).statusCode).toBe(200)
})

test('nobody else reads the status, and it needs the permission to trade', async () => {
  await placeAll(bot)
  const { location } = await cancelAll(bot)
  expect((await other.get(location)).json().code).toBe('CANCEL_NOT_FOUND')
  expect((await bot.get('/api/orders/cancels/none')).json().code).toBe('CANCEL_NOT_FOUND')
  const reader = await botOf(shared(), { permissions: ['market', 'account'] })
  expect((await remove(reader, '/api/orders')).statusCode).toBe(403)
  expect((await remove(bot, '/api/orders?symbol=')).json().code).toBe('VALIDATION_FAILED')
  expect((await bot.app.inject({ url: '/api/orders' })).statusCode).toBe(401)
})
