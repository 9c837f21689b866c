import { getStats } from 'schema'
import { beforeEach, expect, test } from 'vitest'
import { ADMIN, testApp } from './app.ts'
import { type Bot, botOf } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { heldExchange } from './support/held-exchange.ts'
import { FORMS, ONE_IN_EACH_MARKET, restingCall } from './support/order-forms.ts'
import { createSetTime } from './support/set-time.ts'
import { keysOf, shareKeys, storeKeys } from './support/share-keys.ts'
import { sharedApp } from './support/shared-app.ts'

const mix = { productType: 'USDT-FUTURES', marginCoin: 'USDT', marginMode: 'crossed' }
const contract = {
  ...{ symbol: 'BTC_USDT', vol: 10, side: 1, type: 1, openType: 2, price: 50000, leverage: 1 },
}

type Call = readonly [url: string, body: object | string]

const app = { stops: { cancelPausesMs: [0, 20, 50] } }
const shared = sharedApp({ app })
let bot: Bot
beforeEach(async () => {
  shared().paper.faults.clear()
  shared().paper.setPrice('BTCUSDT', '60000')
  bot = await botOf(shared())
})

const stop = (of: Bot) => of.admin('POST', `/client-credentials/${of.id}/stop`, order)

async function place(who: Bot, calls: readonly Call[] = ONE_IN_EACH_MARKET) {
  for (const [url, body] of calls) {
    const response = await who.post(url, body)
    expect(response.statusCode, response.body).toBe(200)
  }
}

/** How many orders of each market are open at the exchanges. */
function openOf(...bots: Bot[]): Record<string, number> {
  const orders = bots.flatMap((of) => [...of.orders('mx'), ...of.orders('bg')])
  const open: Record<string, number> = {}
  for (const { exchange, market } of orders.filter(({ status }) => status === 'open'))
    open[`${exchange} ${market}`] = (open[`${exchange} ${market}`] ?? 0) + 1
  return open
}

const EACH = { 'mx spot': 1, 'mx futures': 1, 'bg spot': 1, 'bg futures': 1 }
const order = { reason: 'strategy misbehaves', cancelOrders: true }

test('a stop cancels the orders of its client, and none of another with the same keys', async () => {
  const { app, paper, admin } = bot
  const other = await botOf(shared())
  await shareKeys(bot, other)
  await place(bot)
  await place(other)
  await place(bot)
  const tooLate = bot.orders('mx').find(({ market }) => market === 'spot')?.orderId
  await app.inject({
    ...{ method: 'DELETE', headers: bot.headers },
    url: `/mx/api/v3/order?symbol=BTCUSDT&orderId=C02__${tooLate}`,
  })
  paper.clearReceived()
  const path = `/client-credentials/${bot.id}`

  const stopped = await admin('POST', `${path}/stop`, order)
  expect(stopped).toMatchObject({ dropped: 0, inFlight: 0, cancelled: 7, failed: [] })
  expect(stopped.completedAt).not.toBeNull()
  expect(stopped.startedBy).toBe(ADMIN.email)
  expect(openOf(bot, other)).toEqual(EACH)
  const cancels = paper.received().filter(({ method }) => method !== 'GET')
  expect(cancels.map((each) => each.path).toSorted()).toEqual([
    '/api/v1/private/order/cancel',
    '/api/v2/mix/order/batch-cancel-orders',
    '/api/v2/spot/trade/batch-cancel-order',
    '/api/v3/order',
  ])
  expect(await admin('POST', `${path}/stop`, order)).toEqual(stopped)
  expect(await admin('GET', `${path}/stop`)).toEqual(stopped)
  expect(await admin('GET', `${path}/limits`)).toMatchObject({
    stopped: { reason: order.reason, at: stopped.startedAt },
  })
  const refused = await bot.post('/mx/api/v1/private/order/create', contract)
  expect(ownErrorOf(refused.json())).toMatchObject({ code: 'LIMIT_HALTED', outcome: 'not-sent' })
  const gone = bot.orders('mx').find(({ market }) => market === 'futures')?.orderId
  const cancel = await bot.post('/mx/api/v1/private/order/cancel', [gone])
  expect(cancel.statusCode).toBe(200)
  const resumed = await admin('POST', `${path}/resume`)
  expect(resumed).toEqual({ ...stopped, resumedAt: expect.any(String) })
  expect((await admin('GET', `${path}/limits`)).stopped).toBeNull()
  expect(openOf(bot, other)).toEqual(EACH)
})

test('orders of a unified account are cancelled as well', async () => {
  bot = await botOf(shared(), { unified: true })
  const v3 = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' }
  const entries = Array.from({ length: 15 }, () => ({ ...v3, qty: '0.01', price: '50000' }))
  await place(bot, [
    ['/bg/api/v3/trade/place-batch', entries],
    ['/bg/api/v3/trade/place-batch', entries],
  ])
  expect(openOf(bot)).toEqual({ 'bg futures': 30 })
  const stopped = await stop(bot)
  expect(stopped).toMatchObject({ cancelled: 30, failed: [] })
  expect(openOf(bot)).toEqual({})
})

test('what was filled is not cancelled, and a cancel whose response was lost is looked up', async () => {
  await place(bot)
  bot.paper.setPrice('BTCUSDT', '49000')
  bot.paper.tick()
  const open = Object.values(openOf(bot)).reduce((sum, count) => sum + count, 0)
  expect(open).toBeLessThan(4)
  await place(bot, [restingCall(FORMS.rawMexcFutures, '40000')])
  bot.paper.faults.add({ kind: 'reset-after', match: { path: '/api/v1/private/order/cancel' } })
  const stopped = await stop(bot)
  expect(stopped).toMatchObject({ cancelled: open + 1, failed: [] })
  expect(openOf(bot)).toEqual({})
})

test('an order that is on its way is waited for and cancelled; what is queued is not sent', async () => {
  const time = createSetTime()
  // No pause passes by itself.
  const stops = { cancelPausesMs: [0, 1_000, 2_000] }
  const world = await heldExchange({ app: { stops }, time, env: { RATE_LIMIT_PER_SECOND: '5' } })
  bot = await botOf(world)
  // This read brings the exchange's time, so that the next call is the first order.
  await time.during(bot.get('/mx/api/v1/private/order/list/open_orders'))
  world.hold()
  const sent: Call = ['/mx/api/v1/private/order/create', contract]
  let refused = 0
  for (let n = 0; n < 4; n += 1) void place(bot, [sent]).catch(() => (refused += 1))
  await time.passUntil(async () => {
    const { exchanges } = (await world.call(getStats)).body
    expect(exchanges[0]).toMatchObject({ exchange: 'mx', inFlight: 1, queueSize: 3 })
  })
  const stopping = stop(bot)
  await eventually(() => expect(refused).toBe(3))
  world.release()
  const stopped = await time.during(stopping)
  expect(stopped).toMatchObject({ dropped: 3, inFlight: 1, cancelled: 1, failed: [] })
  expect(openOf(bot)).toEqual({})
})

test('an exchange that is stopped lets only the cancels of the stop pass', async () => {
  const world = await testApp({ app })
  const [bot, other] = [await botOf(world), await botOf(world)]
  const { admin } = bot
  await place(bot)
  await place(other)
  const stop = await admin('POST', '/exchanges/mx/stop', order)
  expect(stop).toMatchObject({
    ...{ exchange: 'mx', state: 'stopped', reason: order.reason },
    ...{ dropped: 0, inFlight: 0, cancelled: 4, failed: [] },
  })
  expect(openOf(bot, other)).toEqual({ 'bg spot': 2, 'bg futures': 2 })
  const url = '/mx/api/v3/account'
  const refused = await bot.get(url)
  expect(ownErrorOf(refused.json())).toMatchObject({ code: 'EXCHANGE_STOPPED' })
  expect(await admin('GET', '/exchanges/mx/stop')).toMatchObject({ resumedAt: null })
  await admin('POST', '/exchanges/mx/resume')
  expect((await bot.get(url)).statusCode).toBe(200)
  expect((await admin('GET', '/exchanges/mx/stop')).resumedAt).not.toBeNull()
})

test('a stop of everything cancels the orders of all clients at both exchanges', async () => {
  const world = await testApp({ app })
  const [bot, other] = [await botOf(world), await botOf(world)]
  const { admin } = bot
  expect(await admin('GET', '/stop')).toBeNull()
  await place(bot)
  await place(other)
  const stop = await admin('POST', '/stop', order)
  expect(stop).toMatchObject({ cancelled: 8, failed: [] })
  expect(openOf(bot, other)).toEqual({})
  expect(await admin('GET', '/stop')).toEqual(stop)
  const account = '/mx/api/v3/account'
  expect((await bot.get(account)).statusCode).toBe(503)
  await admin('POST', '/exchanges/mx/stop', { reason: 'first' })
  await admin('POST', '/resume')
  expect((await bot.get(account)).statusCode).toBe(200)
  const again = await admin('POST', '/exchanges/mx/stop', { reason: 'second' })
  expect(again).toMatchObject({ state: 'stopped', reason: 'second', cancelled: 0 })
})

test('an order whose keys were replaced is reported, and not cancelled with the others', async () => {
  await place(bot)
  await storeKeys(bot, 'mx', keysOf(await shared().client(), 'mx'))
  const stopped = await stop(bot)
  expect(stopped).toMatchObject({ cancelled: 2 })
  expect(stopped.failed).toHaveLength(2)
  expect(stopped.failed[0]).toMatchObject({
    ...{ clientId: bot.clientId, exchange: 'mx' },
    message: expect.stringContaining('no longer stored'),
  })
  expect(openOf(bot)).toEqual({ 'mx spot': 1, 'mx futures': 1 })
})

const position = { ...mix, symbol: 'BTCUSDT', side: 'buy', orderType: 'market', size: '0.01' }
const scope = { productType: 'USDT-FUTURES', marginCoin: 'USDT', symbol: 'BTCUSDT' }
const MIX = '/api/v2/mix/order'

/** Three orders that would close parts of a position after the stop, each of another type. */
const ENDS: readonly Call[] = [
  [`/bg${MIX}/place-order`, position],
  [
    `/bg${MIX}/place-tpsl-order`,
    { ...scope, planType: 'loss_plan', triggerPrice: '50000', holdSide: 'buy', size: '0.004' },
  ],
  [
    `/bg${MIX}/place-pos-tpsl`,
    {
      ...{ ...scope, holdSide: 'buy', stopSurplusSize: '0.004' },
      ...{ stopSurplusTriggerPrice: '70000', stopLossTriggerPrice: '50000' },
    },
  ],
]

/** The trigger orders of the bot that are open. */
async function waiting(): Promise<string[]> {
  const query = 'planType=profit_loss&productType=USDT-FUTURES'
  const listed = await bot.get(`/bg${MIX}/orders-plan-pending?${query}`)
  const rows: { planType: string }[] = listed.json().data.entrustedList
  return rows.map(({ planType }) => planType).toSorted()
}

test.each(['no', 'reset-after'] as const)(
  'stop losses and take profits are cancelled by id and type, with %s lost response',
  async (kind) => {
    await place(bot, ENDS)
    expect(await waiting()).toEqual(['loss_plan', 'pos_loss', 'profit_plan'])
    const path = `${MIX}/cancel-plan-order`
    if (kind !== 'no') bot.paper.faults.add({ kind, match: { path } })
    const stopped = await stop(bot)
    expect(stopped).toMatchObject({ cancelled: 3, failed: [] })
    expect(await waiting()).toEqual([])
    const bodies = bot.paper.received({ path }).map(({ body }) => JSON.parse(`${body}`))
    expect(bodies).toHaveLength(3)
    for (const body of bodies) expect(body.orderIdList).toHaveLength(1)
  },
)

const strategy = {
  ...{ category: 'USDT-FUTURES', symbol: 'BTCUSDT', posSide: 'long', type: 'tpsl' },
  ...{ tpslMode: 'full', takeProfit: '70000', stopLoss: '50000' },
}
const perpetual = { category: 'USDT-FUTURES', symbol: 'BTCUSDT' }
const STRATEGY: readonly Call[] = [
  ['/bg/api/v3/trade/place-order', { ...perpetual, side: 'buy', orderType: 'market', qty: '0.01' }],
  ['/bg/api/v3/trade/place-strategy-order', strategy],
]

test.each(['no', 'reset-after'] as const)(
  'a strategy order of a unified account is cancelled, with %s lost response',
  async (kind) => {
    bot = await botOf(shared(), { unified: true })
    await place(bot, STRATEGY)
    const path = '/api/v3/trade/cancel-strategy-order'
    if (kind !== 'no') bot.paper.faults.add({ kind, match: { path } })
    const stopped = await stop(bot)
    expect(stopped).toMatchObject({ cancelled: 1, failed: [] })
    expect(bot.paper.received({ path })).toHaveLength(1)
    const url = '/bg/api/v3/trade/unfilled-strategy-orders?category=USDT-FUTURES'
    expect((await bot.get(url)).json().data).toEqual([])
  },
)

test('a trigger order whose cancel never gets a response may still be open, and is reported', async () => {
  bot = await botOf(shared(), { unified: true })
  await place(bot, STRATEGY)
  const path = '/api/v3/trade/cancel-strategy-order'
  bot.paper.faults.add({ kind: 'reset-before', times: 100, match: { path } })
  const stopped = await stop(bot)
  expect(stopped).toMatchObject({
    cancelled: 0,
    failed: [
      {
        ...{ exchange: 'bg', symbol: 'BTCUSDT', orderId: expect.any(String) },
        message: expect.stringContaining('unknown whether it was cancelled'),
      },
    ],
  })
  expect(bot.paper.received({ path }).length).toBeGreaterThan(1)
})
