import { type ClientLimitChanges, changeClientLimits, getClientLimits } from 'schema'
import { expect, test } from 'vitest'
import { type TestApp, type TestAppOptions, testApp } from './app.ts'
import { botOf } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { onDisk } from './support/on-disk.ts'
import { createSetTime } from './support/set-time.ts'

// What limits count is what is so: at each exchange, for clients without limits too.

const BG_PLACE = '/bg/api/v2/spot/trade/place-order'
const bitget = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc', size: '0.01' }
const MEXC_BUY = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01' }
const contract = { symbol: 'BTC_USDT', side: 1, openType: 2, leverage: 1, type: 1 }

/** The limits and the usage of a client, as an administrator has them. */
const limitsOf = ({ call }: Pick<TestApp, 'call'>, id: number) => ({
  read: async () => (await call(getClientLimits, { params: { id } })).body.usage,
  async set(body: ClientLimitChanges) {
    const changed = await call(changeClientLimits, { params: { id }, body })
    expect(changed.status).toBe(200)
    return changed.body.usage
  },
})

async function worldOf(options: TestAppOptions = {}) {
  const world = await testApp(options)
  const bot = await botOf(world)
  // Of an exchange's clock, nobody knows when it is measured.
  const isRead = ({ method, path }: { readonly method: string; readonly path: string }) =>
    method === 'GET' && !path.endsWith('/time')
  const reads = () => world.paper.received().filter(isRead).length
  return {
    ...{ ...bot, limits: limitsOf(world, bot.id), reads, own: bot.usage },
    /** An order on Bitget spot by its own path: nothing reads a rule or a price for it. */
    buy: (price: string, more: object = {}) => bot.post(BG_PLACE, { ...bitget, price, ...more }),
    submit: (price: string, more: object = {}) =>
      bot.post('/api/mx/v1/submitOrder', { ...MEXC_BUY, price, ...more }),
  }
}

/** Two orders rest at Bitget and one at MEXC; then those at Bitget are filled. */
async function filledAtBitget() {
  const time = createSetTime()
  const world = await worldOf({ time })
  const { buy, submit, paper } = world
  for (const response of [await buy('50000'), await buy('49000'), await submit('40000')])
    expect(response.statusCode).toBe(200)
  paper.setPrice('BTCUSDT', '45000')
  paper.tick()
  return { ...world, time }
}

test('an order is refused for open orders only after the lists of both exchanges were read', async () => {
  const { submit, limits, own, time } = await filledAtBitget()
  await limits.set({ maxOpenOrders: 3 })
  expect(await own()).toMatchObject({ openOrders: 3, openOrdersReadAt: null })
  const early = await submit('40100')
  expect(early.json()).toMatchObject({
    ...{ code: 'LIMIT_OPEN_ORDERS', outcome: 'not-sent' },
    message: expect.stringContaining('The lists of open orders have not all been read yet'),
  })
  await time.advance(61_000)
  expect((await submit('40100')).statusCode).toBe(200)
  expect((await submit('40200')).statusCode).toBe(200)
  const readAt = (await own()).openOrdersReadAt ?? ''
  expect(Date.parse(readAt)).toBeLessThanOrEqual(time.now())
  await time.advance(20_000)
  const full = await submit('40300')
  expect(full.json()).toMatchObject({
    ...{ code: 'LIMIT_OPEN_ORDERS', limit: '3', value: '4', retryable: true },
    message: expect.stringMatching(/^This would be working order 4; .* were read 2\d s ago\./),
  })
  expect(await own()).toMatchObject({ openOrders: 3, openOrdersReadAt: readAt })
})

test('an exchange that does not show its list leaves the order refused, not broken', async () => {
  const { submit, limits, paper, time } = await filledAtBitget()
  await limits.set({ maxOpenOrders: 3 })
  await time.advance(61_000)
  const path = '/api/v2/spot/trade/unfilled-orders'
  paper.faults.add({ kind: '5xx', match: { method: 'GET', path }, times: 0 })
  expect((await time.during(submit('40100'))).json()).toMatchObject({
    ...{ code: 'LIMIT_OPEN_ORDERS', outcome: 'not-sent', retryable: true },
    message: expect.stringContaining('have not all been read yet'),
  })
})

test('the count of open orders is read when an administrator looks, once a minute, and says when', async () => {
  const { limits, own, reads, time } = await filledAtBitget()
  await time.advance(61_000)
  const before = reads()
  expect(await own()).toMatchObject({ openOrders: 3, openOrdersReadAt: null })
  expect(reads()).toBe(before)
  await limits.read()
  await time.passUntil(async () => {
    const { openOrders, openOrdersReadAt } = await own()
    expect(openOrders).toBe(1)
    expect(openOrdersReadAt).not.toBeNull()
  })
  const once = reads()
  await limits.read()
  await limits.read()
  await time.advance(1_000)
  expect(reads()).toBe(once)
})

test('the value of a day is counted without a limit too, and a limit that is set at noon knows the morning', async () => {
  const { buy, submit, own, limits, reads } = await worldOf()
  expect((await submit('50000')).statusCode).toBe(200)
  // The documented route read the symbol's rules before the order.
  expect(await own()).toMatchObject({ dayValue: '500', ordersLastMinute: 1 })
  const before = reads()
  const spent = { orderType: 'market', size: '100' }
  for (const response of [await buy('40000'), await buy('1', spent)])
    expect(response.json()).toMatchObject({ code: '00000' })
  expect((await own()).dayValue).toBe('500')
  expect(reads()).toBe(before)
  await limits.read()
  await eventually(async () => expect((await own()).dayValue).toBe('1000'))
  const known = reads()
  expect(await limits.set({ maxDayValue: '1400' })).toMatchObject({ dayValue: '1000' })
  expect((await buy('40000')).json()).toMatchObject({ code: '00000' })
  expect(ownErrorOf((await buy('40000')).json())).toMatchObject({
    code: 'LIMIT_DAY_VALUE',
    value: '1800',
  })
  expect(await own()).toMatchObject({ dayValue: '1400' })
  expect(reads()).toBe(known)
})

test('each kind of order is counted, and no cancel and nothing that was refused', async () => {
  const { post, submit, own, limits } = await worldOf()
  const placed = (await submit('50000')).json()
  await post('/api/mx/v1/cancelOrder', { symbol: 'BTCUSDT', orderId: placed.orderId })
  const batch = [
    { ...bitget, size: '0.005', price: '40000' },
    { ...bitget, orderType: 'market', size: '30' },
  ]
  const calls: [string, object | string][] = [
    // 100 contracts of 0.0001 BTC: 400.
    ['/mx/api/v1/private/order/submit', { ...contract, vol: 100, price: 40_000 }],
    // 200 and 30, in one call.
    ['/bg/api/v2/spot/trade/batch-orders', { symbol: 'BTCUSDT', orderList: batch }],
    ['/mx/api/v3/order?symbol=BTCUSDT&side=BUY&type=MARKET&quoteOrderQty=70', ''],
    ['/mx/api/v3/order?symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=1000&price=50000', ''],
  ]
  for (const [url, body] of calls) await post(url, body)
  await limits.read()
  await eventually(async () => expect((await own()).dayValue).toBe('1200'))
})

test('a bot that tries through an outage has all of its orders a minute when it is over', async () => {
  const { admin, buy, submit, own, limits } = await worldOf()
  await admin('POST', '/exchanges/bg/stop', { reason: 'maintenance' })
  const refused = async () => ownErrorOf((await buy('50000')).json())
  const notSent = { code: 'EXCHANGE_STOPPED', outcome: 'not-sent' }
  expect(await refused()).toMatchObject(notSent)
  expect(await own()).toMatchObject({ ordersLastMinute: 0 })
  await limits.set({ maxOrdersPerMinute: 1 })
  for (let times = 0; times < 3; times += 1) expect(await refused()).toMatchObject(notSent)
  expect(await own()).toMatchObject({ ordersLastMinute: 0 })
  await admin('POST', '/exchanges/bg/resume')
  expect((await buy('50000')).json()).toMatchObject({ code: '00000' })
  expect((await submit('50000')).json()).toMatchObject({ code: 'LIMIT_ORDER_RATE' })
  expect(await own()).toMatchObject({ ordersLastMinute: 1 })
})

test('a restart changes nothing, and what was not valued before it is valued after it', async () => {
  const { env } = onDisk()
  const ends: (() => Promise<unknown>)[] = []
  const first = await worldOf({ env, onEnd: (end) => void ends.unshift(end) })
  await first.submit('50000')
  expect((await first.own()).dayValue).toBe('500')
  await first.buy('40000')
  for (const end of ends) await end()

  const next = await testApp({ env })
  const limits = limitsOf(next, first.id)
  expect((await limits.read()).dayValue).toBe('500')
  await eventually(async () => expect((await limits.read()).dayValue).toBe('900'))
})

test('a damaged journal row counts as a billion USDT, and the other orders are valued', async () => {
  const { env, exec } = onDisk()
  const logLines: string[] = []
  const { buy, post, limits, own, get, paper } = await worldOf({ env, logLines })
  const bad = await buy('40000')
  await buy('50000')
  const id = bad.headers['x-request-id']
  exec(`update order_journal set trace = '{"market' where id = '${id}'`)
  await limits.read()
  // It may have been worth anything. The other one is valued as ever.
  await eventually(async () => expect((await own()).dayValue).toBe('1000000500'))
  await limits.read()
  const reported = logLines.filter((line) => line.includes('could not be valued'))
  expect(reported).toHaveLength(1)
  expect(reported[0]).toContain(`row of request ${id} cannot be read`)
  expect((await get('/api/orders')).json().orders).toHaveLength(2)

  await limits.set({ maxDayValue: '5000' })
  const refused = await buy('50000')
  expect(ownErrorOf(refused.json())).toMatchObject({ code: 'LIMIT_DAY_VALUE', outcome: 'not-sent' })
  expect(paper.orders('bg')).toHaveLength(2)
  const cancel = { symbol: 'BTCUSDT', orderId: bad.json().data.orderId }
  expect((await post('/bg/api/v2/spot/trade/cancel-order', cancel)).statusCode).toBe(200)
})

test('symbols beyond ASCII can be traded, limited, and named in a path', async () => {
  const { post, get, limits, buy, paper, orders } = await worldOf()
  await limits.set({ symbols: ['龙虾USDT', '$ALTUSDT', '币安*'] })
  const small = { size: '500', price: '0.02' }
  expect((await buy('0.02', { ...small, symbol: '龙虾USDT' })).json().code).toBe('00000')
  expect((await buy('1', { size: '5', symbol: '$ALTUSDT' })).json().code).toBe('00000')
  expect(ownErrorOf((await buy('40000')).json()).code).toBe('LIMIT_SYMBOL')
  const spot = new URLSearchParams({ symbol: '币安人生USDT', side: 'BUY', type: 'LIMIT' })
  expect((await post(`/mx/api/v3/order?${spot}&quantity=100&price=0.1`, '')).statusCode).toBe(200)
  const futures = { ...contract, symbol: '币安人生_USDT', vol: 100, price: 0.14 }
  expect((await post('/mx/api/v1/private/order/submit', futures)).json().success).toBe(true)
  expect([orders('bg').length, orders('mx').length]).toEqual([2, 2])

  paper.clearReceived()
  const path = `/api/v1/contract/kline/${encodeURIComponent('币安人生_USDT')}`
  const candles = await get(`/mx${path}?interval=Min1`)
  expect(candles.statusCode, candles.body).toBe(200)
  expect(paper.received().map((request) => request.path)).toContain(path)
})
