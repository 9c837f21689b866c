import type { OwnCancel, OwnOrder } from 'schema'
import { beforeEach, expect, test } from 'vitest'
import { testApp } from './app.ts'
import { type Bot, botOf } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { heldExchange } from './support/held-exchange.ts'
import { createSetTime } from './support/set-time.ts'
import { shareKeys } from './support/share-keys.ts'
import { sharedAccount } from './support/shared-account.ts'
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

/** What is open in an account, of all its clients. */
const openIn = (of: Bot) =>
  [...of.orders('mx'), ...of.orders('bg')]
    .filter(({ status }) => status === 'open')
    .map(({ orderId }) => orderId)

/** The ids of a client's orders that may be open, in one account or another. */
const workingOf = async (of: Bot) =>
  (await list(of, '?state=working')).map(({ orderId }) => orderId?.replace(/^C02__/, ''))

test('a client lists its own orders digit for digit, and no slot of an exchange is taken', async () => {
  await shareKeys(bot, other)
  await placeAll(bot)
  await placeAll(other, 'other')
  bot.paper.clearReceived()
  const orders = await list(bot)
  expect(bot.paper.received()).toEqual([])
  expect(orders).toHaveLength(5)
  expect(orders[0]).toMatchObject({ exchange: 'bg', market: 'spot', symbol: 'ETHUSDT' })
  expect(orders[2]).toEqual({
    ...{ requestId: expect.any(String), exchange: 'bg', market: 'spot', symbol: 'BTCUSDT' },
    ...{ side: 'buy', type: 'limit', price: '50000.1', quantity: '0.01', amount: null },
    triggerPrice: null,
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
  expect(ownErrorOf(lost.json()).code).toBe('OUTCOME_UNKNOWN')
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

test('what a market buy spends and what a close is to close are listed; neither is working', async () => {
  const market = { symbol: 'BTCUSDT', orderType: 'market' }
  await bot.post(`${SPOT}/place-order`, { ...market, side: 'buy', size: '120.5' })
  await bot.post(`${MIX}/place-order`, { ...market, ...scope, side: 'buy', size: '0.01' })
  const close = { ...market, ...scope, side: 'sell', size: '0.010', reduceOnly: 'YES' }
  await bot.post(`${MIX}/place-order`, close)
  expect(await list(bot)).toMatchObject([
    { side: 'sell', type: 'market', price: null, quantity: '0.01', amount: null, working: false },
    { side: 'buy', quantity: '0.01', amount: null, working: false },
    { side: 'buy', type: 'market', quantity: null, amount: '120.5', working: false },
  ])
})

test('a client cancels all its own orders by their ids, and none of another with its key', async () => {
  await shareKeys(bot, other)
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

/** The calls of the exchanges that cancel what they do not name, and where its orders came in. */
const OF_EXCHANGES = [
  ['DELETE', '/mx/api/v3/openOrders?symbol=BTCUSDT', undefined, ['/mx/api/v3/order']],
  ['DELETE', '/api/v3/openOrders?symbol=ETHUSDT,BTCUSDT', undefined, ['/mx/api/v3/order']],
  ['DELETE', '/mx/api/v3/order/all', undefined, ['/mx/api/v3/order']],
  ['POST', `${FUTURES}/order/cancel_all`, {}, [`${FUTURES}/order/create`]],
  ['POST', `${FUTURES}/order/cancel_all`, { symbol: 'BTC_USDT' }, [`${FUTURES}/order/create`]],
  ['POST', `${FUTURES}/order/cancel_all`, { symbol: 'ETH_USDT' }, []],
  ['POST', `${FUTURES}/planorder/cancel_all`, {}, [`${FUTURES}/planorder/place`]],
  ['POST', `${SPOT}/cancel-symbol-order`, { symbol: 'ETHUSDT' }, [`${SPOT}/place-order`]],
  ['POST', `${SPOT}/batch-cancel-plan-order`, {}, []],
  ['POST', `${MIX}/cancel-all-orders`, { productType: 'USDT-FUTURES' }, [`${MIX}/place-order`]],
  ['POST', `${MIX}/cancel-all-orders`, { productType: 'COIN-FUTURES' }, []],
  [
    'POST',
    `${MIX}/batch-cancel-orders`,
    { symbol: 'BTCUSDT', productType: 'usdt-futures' },
    [`${MIX}/place-order`],
  ],
] as const

test.each(OF_EXCHANGES)(
  '%s %s %j on a shared key cancels own orders by their ids',
  async (method, url, body, gone) => {
    await shareKeys(bot, other)
    for (const [of, name] of [
      [bot, 'one'],
      [other, 'two'],
    ] as const) {
      await placeAll(of, name)
      const plan = { ...contract, orderType: 5, triggerPrice: 50_000, triggerType: 2 }
      const trigger = { ...plan, executeCycle: 2, trend: 1 }
      expect((await of.post(`${FUTURES}/planorder/place`, trigger)).json().success).toBe(true)
    }
    const before = await list(bot, '?state=working')
    const theirs = await list(other, '?state=working')
    expect(before).toHaveLength(6)
    bot.paper.clearReceived()
    const text = body === undefined ? '' : JSON.stringify(body)
    const response = method === 'POST' ? await bot.post(url, text) : await remove(bot, url)
    expect(response.statusCode, response.body).toBe(200)
    const path = url.replace(/^\/(mx|bg)\b/, '').replace(/\?.*/, '')
    const sent = bot.paper.received({ path }).map((call) => call.body ?? call.query)
    expect(sent.filter((each) => !/orderIdList|orderId=/.test(each))).toEqual([])
    const after = await list(bot, '?state=working')
    const left = new Set(after.map(({ orderId }) => orderId))
    const cancelled = before.filter(({ orderId }) => !left.has(orderId))
    expect(cancelled.map(({ endpoint }) => endpoint)).toEqual(gone)
    expect(await list(other, '?state=working')).toEqual(theirs)
    expect(openIn(bot)).toHaveLength(
      10 - cancelled.filter(({ triggerPrice }) => triggerPrice === null).length,
    )
    expect(response.json()).toMatchObject(formOf(path, cancelled))
  },
)

/** What an SDK reads of the response. */
function formOf(path: string, cancelled: readonly OwnOrder[]): object {
  if (path === '/api/v3/openOrders')
    return cancelled.map(({ symbol, orderId }) => ({
      ...{ symbol, orderId, side: 'BUY', type: 'LIMIT', price: '50000', origQty: '0.01' },
      status: 'CANCELED',
    }))
  if (path === '/api/v3/order/all') return { code: 200, msg: 'success' }
  if (path.startsWith('/api/v1/')) return { success: true, code: 0 }
  const success = { code: '00000', msg: 'success', requestTime: expect.any(Number) }
  if (path.endsWith('/cancel-symbol-order')) return { ...success, data: { symbol: 'ETHUSDT' } }
  const successList = cancelled.map(({ orderId }) => ({ orderId }))
  return { ...success, data: { successList, failureList: [] } }
}

test('on a unified account too, and a retry with the same key gets the same response', async () => {
  bot = await botOf(shared(), { unified: true })
  other = await botOf(shared(), { unified: true })
  await shareKeys(bot, other)
  const order = { category: 'SPOT', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' }
  const place = (of: Bot) =>
    of.post('/bg/api/v3/trade/place-order', { ...order, qty: '0.01', price: '50000' })
  const { orderId } = (await place(bot)).json().data
  await place(other)
  const cancel = () =>
    bot.post(
      '/bg/api/v3/trade/cancel-symbol-order',
      { category: 'SPOT', symbol: 'BTCUSDT' },
      { 'idempotency-key': 'all' },
    )
  const first = await cancel()
  expect(first.json().data).toEqual({
    list: [{ orderId, clientOid: expect.any(String), code: '00000', msg: 'success' }],
  })
  await place(bot)
  const again = await cancel()
  expect(again.body).toBe(first.body)
  expect(await list(bot, '?state=working')).toHaveLength(1)
  expect(await list(other, '?state=working')).toHaveLength(1)
})

test('an order on its way is cancelled once it is there; one that comes later is not', async () => {
  const time = createSetTime()
  const stops = { cancelPausesMs: [0, 1_000, 2_000] }
  const world = await heldExchange({ app: { stops }, time })
  const [one, two] = [await botOf(world), await botOf(world)]
  // This read brings the exchange's time, so that the next call is the order.
  await time.during(one.get(`${FUTURES}/order/list/open_orders`))
  world.hold()
  const placing = one.post(`${FUTURES}/order/create`, { ...contract, price: 50_000 })
  await time.passUntil(async () =>
    expect(await list(one, '?state=sent')).toMatchObject([{ symbol: 'BTC_USDT', working: false }]),
  )
  const begun = await remove(one, '/api/orders')
  expect(begun.json()).toMatchObject({ state: 'running', orders: 0, cancelled: 0 })
  // The same again joins it; another client has its own.
  expect((await remove(one, '/api/orders')).json().id).toBe(begun.json().id)
  expect((await remove(two, '/api/orders')).json()).toMatchObject({ state: 'done', orders: 0 })
  const later = one.post(`${FUTURES}/order/create`, { ...contract, price: 49_000 })
  world.release()
  expect((await time.during(placing)).statusCode).toBe(200)
  expect((await time.during(later)).statusCode).toBe(200)
  await time.passUntil(async () =>
    expect((await one.get(begun.json().location)).json()).toMatchObject({
      ...{ state: 'done', orders: 1, cancelled: 1, failed: [] },
    }),
  )
  expect(await list(one, '?state=working')).toMatchObject([{ price: '49000' }])
})

test('during an outage the status says what is open, and the call of the exchange that it is not done', async () => {
  const time = createSetTime()
  const stops = { cancelPausesMs: [0, 10, 30], answerAfterMs: 20_000 }
  const world = await testApp({ time, app: { stops } })
  const [one, two] = [await botOf(world), await botOf(world)]
  await shareKeys(one, two)
  await time.during(placeAll(one))
  const match = { exchange: 'mx', account: `${one.clientId}-mx` } as const
  world.paper.faults.add({ kind: '5xx', times: 0, match })
  const text = JSON.stringify({ symbol: 'BTC_USDT' })
  const incomplete = await time.during(one.post(`${FUTURES}/order/cancel_all`, text))
  expect(incomplete.statusCode).toBe(504)
  expect(ownErrorOf(incomplete.json())).toMatchObject({
    ...{ code: 'CANCEL_INCOMPLETE', outcome: 'unknown', retryable: true },
    message: expect.stringContaining('/api/orders/cancels/'),
  })
  expect(await one.requestOf(incomplete)).toMatchObject({
    ...{ state: 'answered', answer: { statusCode: 504 } },
  })
  const begun = (await remove(one, '/api/orders?exchange=mx')).json()
  await time.passUntil(async () =>
    expect((await one.get(begun.location)).json()).toMatchObject({
      ...{ state: 'running', orders: 2, cancelled: 0, completedAt: null },
      failed: [{ exchange: 'mx' }, { exchange: 'mx' }],
    }),
  )
  world.paper.faults.clear()
  await time.passUntil(
    async () =>
      expect((await one.get(begun.location)).json()).toMatchObject({ state: 'done', failed: [] }),
    { stepMs: 2_500 },
  )
  expect(await list(one, '?state=working&exchange=mx')).toEqual([])
  expect(await list(one, '?state=working')).toHaveLength(3)
})

test('a halted client cancels too; after a restart the status is gone, and the list is there', async () => {
  const world = await sharedAccount()
  const { one: other, two: own, call, restart } = world
  const get = (url: string) => call(own, url, undefined, 'GET')
  for (const price of ['50000', '49000'])
    await call(own, `${SPOT}/place-order`, { ...bitget, price })
  await call(other, `${SPOT}/place-order`, bitget)
  const before = await get('/api/orders')
  await restart()
  expect(await get('/api/orders')).toEqual(before)
  expect(before.orders).toHaveLength(2)
  await world.setLimits(own, { state: 'halted' })
  const { location } = await call(own, '/api/orders', undefined, 'DELETE')
  await eventually(async () =>
    expect(await get(location)).toMatchObject({ cancelled: 2, failed: [] }),
  )
  await restart()
  expect(await get(location)).toMatchObject({ code: 'CANCEL_NOT_FOUND' })
  expect(await get('/api/orders?state=working')).toMatchObject({ orders: [] })
  expect((await get('/api/orders')).orders).toHaveLength(2)
  expect(world.open('bg')).toHaveLength(1)
})
