import {
  type ClientLimitChanges,
  getOperations,
  type LimitCode,
  listClients,
  listLogs,
} from 'schema'
import { expect, test } from 'vitest'
import { type TestApp, type TestClientOptions, testApp } from './app.ts'
import { botOf } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { onDisk } from './support/on-disk.ts'
import { createSetTime } from './support/set-time.ts'
import { sharedApp } from './support/shared-app.ts'

const SPOT_BUY = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
const shared = sharedApp()

/** A client with limits, and the ways by which it orders. */
async function limited(
  limits: ClientLimitChanges,
  world: TestApp = shared(),
  options?: TestClientOptions,
) {
  const bot = await botOf(world, options)
  await bot.limit(limits)
  return {
    ...bot,
    /** A spot order on MEXC by the documented route. */
    order: (changes: object = {}, more: Record<string, string> = {}) =>
      bot.post('/api/mx/v1/submitOrder', { ...SPOT_BUY, ...changes }, more),
    orders: () => bot.orders('mx').length + bot.orders('bg').length,
  }
}

test('an order above the limit is refused with what was allowed and asked, and nothing arrives', async () => {
  const { order, orders, usage } = await limited({ maxOrderValue: '500' })
  const refused = await order({ quantity: '0.0101' })
  expect(refused.json()).toMatchObject({
    ...{ statusCode: 422, code: 'LIMIT_ORDER_VALUE', outcome: 'not-sent', retryable: false },
    ...{ limit: '500', value: '505' },
  })
  expect(orders()).toBe(0)
  expect(await usage()).toMatchObject({ dayValue: '0', ordersLastMinute: 0 })
  expect((await order()).statusCode).toBe(200)
  expect(await usage()).toMatchObject({ dayValue: '500', ordersLastMinute: 1 })
})

test('what the exchange refuses gives its day value back; what it takes does not', async () => {
  const { order, post, usage } = await limited({ maxDayValue: '1000' })
  const poor = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' }
  const refused = await post('/bg/api/v2/spot/trade/place-order', {
    ...{ ...poor, size: '0.001', price: '500000000', clientOid: 'dear' },
  })
  expect(ownErrorOf(refused.json())).toMatchObject({ code: 'LIMIT_DAY_VALUE' })
  const tick = await post('/bg/api/v2/spot/trade/place-order', {
    ...{ ...poor, size: '0.00000001', price: '50000', clientOid: 'small' },
  })
  expect(tick.json().code).not.toBe('00000')
  expect(await usage()).toMatchObject({ dayValue: '0' })
  expect((await order()).statusCode).toBe(200)
  expect((await order()).statusCode).toBe(200)
  expect((await order()).json()).toMatchObject({ code: 'LIMIT_DAY_VALUE', value: '1500' })
  expect(await usage()).toMatchObject({ dayValue: '1000' })
})

test('two orders at once do not find the same room', async () => {
  const { order, orders } = await limited({ maxDayValue: '2000' })
  const answers = await Promise.all(Array.from({ length: 20 }, () => order()))
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(4)
  expect(orders()).toBe(4)
})

test('a market order costs at most the current price and some more', async () => {
  const world = await testApp()
  const { order, usage, paper } = await limited({ maxDayValue: '100000' }, world)
  paper.setPrice('BTCUSDT', '50000')
  const sold = await order({ side: 'SELL', type: 'MARKET', price: undefined, quantity: '0.01' })
  expect(sold.json()).toMatchObject({ success: true })
  const { dayValue } = await usage()
  expect(Number(dayValue)).toBeGreaterThanOrEqual(525)
  expect(Number(dayValue)).toBeLessThan(530)
})

test('drop-in calls are under the same limits, batches entry by entry', async () => {
  const { post, orders } = await limited({ maxOrderValue: '500', symbols: ['BTC*'] })
  const entry = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' }
  const good = { ...entry, size: '0.01', price: '50000' }
  const batch = (...orderList: object[]) =>
    post('/bg/api/v2/spot/trade/batch-orders', { symbol: 'BTCUSDT', orderList })
  expect(ownErrorOf((await batch(good, { ...good, size: '0.02' })).json()).code).toBe(
    'LIMIT_ORDER_VALUE',
  )
  expect(ownErrorOf((await batch(good, { ...good, symbol: 'ETHUSDT' })).json()).code).toMatch(
    /LIMIT_SYMBOL|LIMIT_UNVALUED/,
  )
  expect(orders()).toBe(0)
  expect((await batch(good, good)).statusCode).toBe(200)
  expect(orders()).toBe(2)
})

test('what cannot be bounded is closed for a client with limits', async () => {
  const { post } = await limited({ maxOpenOrders: 5 })
  const answer = await post('/mx/api/v1/private/order/chase_limit_order', { orderId: 1 })
  expect(ownErrorOf(answer.json())).toMatchObject({ code: 'LIMIT_UNVALUED', outcome: 'not-sent' })
})

const margin = { symbol: 'BTCUSDT', amount: '5' }
const MARGINS: readonly (readonly [url: string, fields: object])[] = [
  ['/bg/api/v2/mix/account/set-margin', { ...margin, productType: 'USDT-FUTURES' }],
  ['/bg/api/v2/mix/account/set-auto-margin', { symbol: 'BTCUSDT', autoMargin: 'on' }],
  ['/bg/api/v3/account/set-margin', { ...margin, category: 'USDT-FUTURES', operation: 'add' }],
  ['/mx/api/v1/private/position/change_margin', { positionId: 7, amount: 5, type: 'SUB' }],
  ['/mx/api/v1/private/position/change_auto_add_im', { positionId: 7, isEnabled: true }],
]

test.each(MARGINS)('%s needs the market and the symbol that it names', async (url, fields) => {
  const permissions = ['trade', 'settings'] as const
  const { paper, post, limit } = await limited({ markets: ['spot'] }, shared(), { permissions })
  const arrived = () => paper.received({ path: url.replace(/^\/(mx|bg)/, '') }).length
  expect(ownErrorOf((await post(url, fields)).json())).toMatchObject({
    ...{ code: 'LIMIT_MARKET', outcome: 'not-sent' },
  })
  await limit({ markets: ['futures'], symbols: ['ETH*'] })
  const other = ownErrorOf((await post(url, fields)).json())
  if ('symbol' in fields) expect(other).toMatchObject({ code: 'LIMIT_SYMBOL' })
  expect(arrived()).toBe('symbol' in fields ? 0 : 1)
  paper.clearReceived()
  await limit({ markets: ['futures'], symbols: ['BTC*'] })
  await post(url, fields)
  expect(arrived()).toBe(1)
})

test('a halted client may cancel, and a reducing one may sell', async () => {
  const { order, limit, post } = await limited({})
  const placed = (await order()).json()
  await limit({ state: 'reducing' })
  expect((await order()).json().code).toBe('LIMIT_REDUCING')
  expect((await order({ side: 'SELL', price: '90000' })).statusCode).toBe(200)
  await limit({ state: 'halted' })
  expect((await order({ side: 'SELL', price: '90000' })).json().code).toBe('LIMIT_HALTED')
  const cancelled = await post('/api/mx/v1/cancelOrder', {
    ...{ symbol: 'BTCUSDT', orderId: placed.orderId },
  })
  expect(cancelled.json()).toMatchObject({ success: true })
})

test('a shadow limit refuses nothing and counts what it would have refused', async () => {
  const { order, call, clientId } = await limited({ maxOrderValue: '10', mode: 'shadow' })
  expect((await order()).statusCode).toBe(200)
  const [row] = (await call(listLogs)).body
  expect(row).toMatchObject({ code: null, note: 'LIMIT_ORDER_VALUE would have refused this' })
  const [client] = (await call(listClients)).body
  const { clients } = (await call(getOperations)).body
  for (const shown of [client, clients.find((each) => each.clientId === clientId)])
    expect(shown).toMatchObject({ clientId, wouldHaveRefused: 1, nearestLimit: null })
})

test('a retry with the same key gets its first response, whatever the limits are by then', async () => {
  const { order, limit, orders } = await limited({})
  const key = { 'idempotency-key': 'once' }
  const first = await order({}, key)
  await limit({ state: 'halted' })
  const second = await order({}, key)
  expect(second.json()).toEqual(first.json())
  expect((await order({}, { 'idempotency-key': 'twice' })).json().code).toBe('LIMIT_HALTED')
  expect(orders()).toBe(1)
})

/** A bot without limits, whose orders wait for a slot until the test lets time pass. */
async function slowBot() {
  const time = createSetTime()
  const world = await testApp({ time, env: { RATE_LIMIT_PER_SECOND: '2' } })
  return { ...(await limited({}, world)), time }
}

test('limits that are set while an order waits are checked before it is signed', async () => {
  const { order, limit, orders, time } = await slowBot()
  const futures = { symbol: 'BTC_USDT', leverage: 5 }
  const cases: [LimitCode, ClientLimitChanges, object?][] = [
    ['LIMIT_ORDER_VALUE', { maxOrderValue: '1' }],
    ['LIMIT_SYMBOL', { symbols: ['ETH*'] }],
    ['LIMIT_MARKET', { markets: ['futures'] }],
    ['LIMIT_LEVERAGE', { maxLeverage: 4 }, futures],
    ['LIMIT_REDUCING', { state: 'reducing' }],
    ['LIMIT_HALTED', { state: 'halted' }],
  ]
  for (const [code, limits, changes] of cases) {
    await limit({})
    const before = orders()
    const waiting = Promise.all(Array.from({ length: 4 }, () => order(changes)))
    await time.passUntil(() => expect(orders()).toBeGreaterThan(before))
    await limit(limits)
    const answers = await time.during(waiting)
    const refused = answers.filter(({ statusCode }) => statusCode === 422)
    expect(refused.map((answer) => answer.json().code)).toContain(code)
    expect(orders() - before).toBe(4 - refused.length)
  }
})

test('a change is valued as what the order becomes, and is one of an own order', async () => {
  const own = await limited({ maxOrderValue: '600', maxDayValue: '5000' })
  const { post, usage } = own
  const other = await limited({})
  const futures = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
  const place = (bot: typeof other, clientOid: string) =>
    bot.post('/bg/api/v2/mix/order/place-order', {
      ...{ ...futures, marginMode: 'crossed', side: 'buy', tradeSide: 'open', clientOid },
      ...{ orderType: 'limit', force: 'gtc', size: '0.01', price: '50000' },
    })
  const change = (ids: object, newSize: string) =>
    post('/bg/api/v2/mix/order/modify-order', {
      ...{ ...futures, ...ids, newClientOid: `c${newSize}`, newSize, newPrice: '50000' },
    })
  const placed = await place(own, 'mine')
  expect(placed.json()).toMatchObject({ code: '00000' })
  expect(await usage()).toMatchObject({ dayValue: '500', openOrders: 1 })
  const { orderId } = placed.json().data
  expect(ownErrorOf((await change({ orderId }, '0.02')).json())).toMatchObject({
    code: 'LIMIT_ORDER_VALUE',
  })
  const theirs = (await place(other, 'theirs')).json().data.orderId
  expect(ownErrorOf((await change({ orderId: theirs }, '0.01')).json())).toMatchObject({
    code: 'LIMIT_UNVALUED',
  })
  expect((await change({ orderId }, '0.011')).json()).toMatchObject({ code: '00000' })
  expect(await usage()).toMatchObject({ dayValue: '1050', openOrders: 1 })
})

test('orders that wait when their client gets limits share the room of a day', async () => {
  const { order, limit, orders, usage, time } = await slowBot()
  const waiting = Promise.all(Array.from({ length: 8 }, () => order()))
  await time.passUntil(() => expect(orders()).toBeGreaterThan(0))
  await limit({ maxDayValue: '1000' })
  const before = orders()
  const answers = await time.during(waiting)
  const refused = answers.filter(({ statusCode }) => statusCode === 422)
  expect(refused.map((answer) => answer.json().code)).toContain('LIMIT_DAY_VALUE')
  expect(orders() - before).toBeLessThanOrEqual(2)
  expect(await usage()).toMatchObject({ dayValue: '1000' })
})

test('an entry passes with its protection, which adds no value; with limited exits neither does', async () => {
  const { post, orders, usage, limit } = await limited({ maxDayValue: '1000', exits: 'limited' })
  const place = (more: object) =>
    post('/api/bg/v1/futures/trade/place-order', {
      ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', marginMode: 'crossed' },
      ...{ size: '0.01', price: '59000', ...more },
    })
  for (const name of ['presetStopLossPrice', 'presetStopSurplusPrice', 'stopLossTriggerPrice'])
    expect((await place({ [name]: '50000' })).json()).toMatchObject({
      ...{ code: 'LIMIT_UNVALUED', outcome: 'not-sent', retryable: false, limit: 'none' },
      message: expect.stringMatching(/whole position|all that there is/),
    })
  expect(orders()).toBe(0)
  await limit({ maxDayValue: '1000' })
  expect((await place({ presetStopLossPrice: '50000' })).statusCode).toBe(200)
  expect(await usage()).toMatchObject({ dayValue: '590' })
})

test('an order that the journal cannot take gives back what it reserved', async () => {
  const { env, exec } = onDisk()
  const world = await testApp({ env })
  const { order, usage, orders } = await limited({ maxDayValue: '1000', maxOpenOrders: 1 }, world)
  exec(`create trigger failing before insert on order_journal
    begin select raise(abort, 'no room'); end`)
  expect((await order()).json()).toMatchObject({ outcome: 'not-sent' })
  exec('drop trigger failing')
  // Its preparation may continue for a moment after its response.
  await expect.poll(async () => (await order()).statusCode).toBe(200)
  expect(await usage()).toMatchObject({ dayValue: '500', openOrders: 1 })
  expect(orders()).toBe(1)
})

const RULES = '/api/v2/spot/public/symbols'
const PRICE = '/api/v2/spot/market/tickers'
/** Sends a sell at the market's price by a client whose orders have to be valued. */
async function sell(world: TestApp, symbol: string) {
  const { post, limit, paper } = await botOf(world)
  await limit({ maxOrderValue: '1000' })
  paper.clearReceived()
  const order = { side: 'sell', orderType: 'market', force: 'gtc', size: '0.001', symbol }
  const response = await post('/bg/api/v2/spot/trade/place-order', order)
  const asked = (path: string) => paper.received({ path }).length
  return { ...ownErrorOf(response.json()), rules: asked(RULES), prices: asked(PRICE) }
}

test('an order of a symbol that does not exist costs no slot for a price, and is refused for that', async () => {
  expect(await sell(shared(), 'NOSUCHUSDT')).toMatchObject({
    ...{ code: 'LIMIT_UNVALUED', outcome: 'not-sent', rules: 1, prices: 0 },
    message: expect.stringContaining('Bitget has no spot symbol NOSUCHUSDT'),
  })
})

test("an order whose symbol's rules cannot be read is refused for that, not for a price", async () => {
  const world = await testApp()
  world.paper.faults.add({ kind: '5xx', times: 0, match: { path: RULES } })
  const refused = await sell(world, 'BTCUSDT')
  expect(refused).toMatchObject({ code: 'LIMIT_UNVALUED', retryable: true, prices: 0 })
  expect(refused.message).toContain('the rules of BTCUSDT could not be read: ')
  expect(refused.message).not.toContain('no current price')
})

test('an order of a symbol without a current price is refused for that', async () => {
  const world = await testApp()
  world.paper.faults.add({ kind: '5xx', times: 0, match: { path: PRICE } })
  expect(await sell(world, 'BTCUSDT')).toMatchObject({
    code: 'LIMIT_UNVALUED',
    message: expect.stringContaining('no current price of BTCUSDT is known'),
  })
})
