import { expect, test } from 'vitest'
import { type TestApp, type TestAppOptions, type TestClient, testApp } from './app.ts'
import { eventually } from './support/eventually.ts'

const bitget = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', size: '0.01', price: '50000' }
const mix = { productType: 'USDT-FUTURES', marginCoin: 'USDT', marginMode: 'crossed' }
const contract = { symbol: 'BTC_USDT', vol: 10, side: 1, type: 1, openType: 2, price: 50000 }

type Call = readonly [url: string, body: object | undefined]

/** Calls that place four orders that rest, at all APIs of both exchanges. */
const ORDERS: readonly Call[] = [
  ['/mx/api/v3/order?symbol=BTCUSDT&side=BUY&quantity=0.01&price=50000&type=LIMIT', undefined],
  ['/mx/api/v1/private/order/create', { ...contract, leverage: 1 }],
  ['/bg/api/v2/spot/trade/place-order', { ...bitget, force: 'gtc' }],
  ['/bg/api/v2/mix/order/place-order', { ...bitget, ...mix, force: 'gtc' }],
]

async function gateway(options: TestAppOptions = {}) {
  const app = { stops: { cancelPausesMs: [0, 20, 50, 200, 500] }, ...options.app }
  const world = await testApp({ ...options, app })
  const asAdmin = async (method: 'GET' | 'POST', url: string, payload?: object) => {
    const response = await world.app.inject({
      ...{ method, url: `/api/admin${url}`, headers: world.asAdmin },
      ...(payload === undefined ? {} : { payload }),
    })
    return response.json()
  }
  return { ...world, admin: asAdmin }
}

async function place(
  { app }: Pick<TestApp, 'app'>,
  bot: TestClient,
  calls: readonly Call[] = ORDERS,
) {
  for (const [url, body] of calls) {
    const response = await app.inject({
      ...{ method: 'POST', url },
      headers: { ...bot.headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })
    expect(response.statusCode, response.body).toBe(200)
  }
}

/** How many orders of each market are open at the exchanges. */
function openAt({ paper }: Pick<TestApp, 'paper'>): Record<string, number> {
  const open: Record<string, number> = {}
  for (const { status, exchange, market } of paper.orders()) {
    if (status !== 'open') continue
    const name = `${exchange} ${market}`
    open[name] = (open[name] ?? 0) + 1
  }
  return open
}

const EACH = { 'mx spot': 1, 'mx futures': 1, 'bg spot': 1, 'bg futures': 1 }
const order = { reason: 'strategy misbehaves', cancelOrders: true }

test('a stop cancels the orders of its client, and none of another with the same keys', async () => {
  const world = await gateway()
  const { app, paper, asAdmin, admin } = world
  const [bot, other] = [await world.client(), await world.client()]
  const [mexcKey, mexcSecret, bitgetKey, bitgetSecret, passphrase] = bot.keys
  for (const keys of [
    { exchange: 'mx', apiKey: mexcKey, apiSecret: mexcSecret },
    { exchange: 'bg', apiKey: bitgetKey, apiSecret: bitgetSecret, passphrase },
  ])
    await app.inject({
      ...{ method: 'POST', url: '/api/admin/client-api-keys', headers: asAdmin },
      payload: { clientId: other.clientId, ...keys },
    })
  await place(world, bot)
  await place(world, other)
  await place(world, bot)
  const tooLate = paper.orders('mx').find(({ market }) => market === 'spot')?.orderId
  await app.inject({
    ...{ method: 'DELETE', headers: bot.headers },
    url: `/mx/api/v3/order?symbol=BTCUSDT&orderId=C02__${tooLate}`,
  })
  paper.clearReceived()
  const path = `/client-credentials/${bot.id}`

  const stopped = await admin('POST', `${path}/stop`, order)
  expect(stopped).toMatchObject({ dropped: 0, inFlight: 0, cancelled: 7, failed: [] })
  expect(stopped.completedAt).not.toBeNull()
  expect(openAt(world)).toEqual(EACH)
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
  const create = '/mx/api/v1/private/order/create'
  const send = (url: string, body: object) =>
    app.inject({ ...{ method: 'POST', url, headers: bot.headers }, payload: body })
  const refused = await send(create, { ...contract, leverage: 1 })
  expect(refused.json()).toMatchObject({ code: 'LIMIT_HALTED', outcome: 'not-sent' })
  const cancel = await send('/mx/api/v1/private/order/cancel', ['1'])
  expect(cancel.statusCode).toBe(200)
  const resumed = await admin('POST', `${path}/resume`)
  expect(resumed).toEqual({ ...stopped, resumedAt: expect.any(String) })
  expect((await admin('GET', `${path}/limits`)).stopped).toBeNull()
  expect(openAt(world)).toEqual(EACH)
})

test('orders of a unified account are cancelled as well', async () => {
  const world = await gateway()
  const bot = await world.client('unified-bot', { unified: true })
  const v3 = { category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' }
  const entries = Array.from({ length: 15 }, () => ({ ...v3, qty: '0.01', price: '50000' }))
  await place(world, bot, [
    ['/bg/api/v3/trade/place-batch', entries],
    ['/bg/api/v3/trade/place-batch', entries],
  ])
  expect(openAt(world)).toEqual({ 'bg futures': 30 })
  const stopped = await world.admin('POST', `/client-credentials/${bot.id}/stop`, order)
  expect(stopped).toMatchObject({ cancelled: 30, failed: [] })
  expect(openAt(world)).toEqual({})
})

test('what was filled is not cancelled, and a cancel whose response was lost is looked up', async () => {
  const world = await gateway()
  const bot = await world.client()
  await place(world, bot)
  world.paper.setPrice('BTCUSDT', '49000')
  world.paper.tick()
  const open = Object.values(openAt(world)).reduce((sum, count) => sum + count, 0)
  expect(open).toBeLessThan(4)
  await place(world, bot, [
    ['/mx/api/v1/private/order/create', { ...contract, price: 40000, leverage: 1 }],
  ])
  world.paper.faults.add({ kind: 'reset-after', match: { path: '/api/v1/private/order/cancel' } })
  const stopped = await world.admin('POST', `/client-credentials/${bot.id}/stop`, order)
  expect(stopped).toMatchObject({ cancelled: open + 1, failed: [] })
  expect(openAt(world)).toEqual({})
})

test('an order that is on its way is waited for and cancelled; what is queued is not sent', async () => {
  const world = await gateway({ env: { RATE_LIMIT_PER_SECOND: '5' } })
  const bot = await world.client()
  const path = '/api/v1/private/order/create'
  world.paper.faults.add({ kind: 'slow', delayMs: 1_000, match: { path } })
  const sent: Call = ['/mx/api/v1/private/order/create', { ...contract, leverage: 1 }]
  const calls = Array.from({ length: 4 }, () => place(world, bot, [sent]).catch(() => 'refused'))
  await eventually(async () => expect(world.paper.received({ path })).toHaveLength(1))
  const stopped = await world.admin('POST', `/client-credentials/${bot.id}/stop`, order)
  const refused = (await Promise.all(calls)).filter((end) => end === 'refused').length
  expect(stopped.dropped).toBe(refused)
  expect(refused).toBeGreaterThan(0)
  expect(stopped).toMatchObject({ inFlight: 4 - refused, cancelled: 4 - refused, failed: [] })
  expect(openAt(world)).toEqual({})
})

test('an exchange that is stopped lets only the cancels of the stop pass', async () => {
  const world = await gateway()
  const [bot, other] = [await world.client(), await world.client()]
  await place(world, bot)
  await place(world, other)
  const stop = await world.admin('POST', '/exchanges/mx/stop', order)
  expect(stop).toMatchObject({
    ...{ exchange: 'mx', state: 'stopped', reason: order.reason },
    ...{ dropped: 0, inFlight: 0, cancelled: 4, failed: [] },
  })
  expect(openAt(world)).toEqual({ 'bg spot': 2, 'bg futures': 2 })
  const url = '/mx/api/v3/account'
  const refused = await world.app.inject({ url, headers: bot.headers })
  expect(refused.json()).toMatchObject({ code: 'EXCHANGE_STOPPED' })
  expect(await world.admin('GET', '/exchanges/mx/stop')).toMatchObject({ resumedAt: null })
  await world.admin('POST', '/exchanges/mx/resume')
  expect((await world.app.inject({ url, headers: bot.headers })).statusCode).toBe(200)
  expect((await world.admin('GET', '/exchanges/mx/stop')).resumedAt).not.toBeNull()
})

test('a stop of everything cancels the orders of all clients at both exchanges', async () => {
  const world = await gateway()
  const [bot, other] = [await world.client(), await world.client()]
  expect(await world.admin('GET', '/stop')).toBeNull()
  await place(world, bot)
  await place(world, other)
  const stop = await world.admin('POST', '/stop', order)
  expect(stop).toMatchObject({ cancelled: 8, failed: [] })
  expect(openAt(world)).toEqual({})
  expect(await world.admin('GET', '/stop')).toEqual(stop)
  const account = { url: '/mx/api/v3/account', headers: bot.headers }
  expect((await world.app.inject(account)).statusCode).toBe(503)
  await world.admin('POST', '/exchanges/mx/stop', { reason: 'first' })
  await world.admin('POST', '/resume')
  expect((await world.app.inject(account)).statusCode).toBe(200)
  const again = await world.admin('POST', '/exchanges/mx/stop', { reason: 'second' })
  expect(again).toMatchObject({ state: 'stopped', reason: 'second', cancelled: 0 })
})

test('an order whose keys were replaced is reported, and not cancelled with the others', async () => {
  const world = await gateway()
  const bot = await world.client()
  await place(world, bot)
  const next = await world.client()
  const [apiKey, apiSecret] = next.keys
  await world.app.inject({
    ...{ method: 'POST', url: '/api/admin/client-api-keys', headers: world.asAdmin },
    payload: { clientId: bot.clientId, exchange: 'mx', apiKey, apiSecret },
  })
  const stop = await world.admin('POST', `/client-credentials/${bot.id}/stop`, order)
  expect(stop).toMatchObject({ cancelled: 2 })
  expect(stop.failed).toHaveLength(2)
  expect(stop.failed[0]).toMatchObject({
    ...{ clientId: bot.clientId, exchange: 'mx' },
    message: expect.stringContaining('no longer stored'),
  })
  expect(openAt(world)).toEqual({ 'mx spot': 1, 'mx futures': 1 })
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

/** The trigger orders of a client that are open. */
async function waitingOf({ app }: Pick<TestApp, 'app'>, bot: TestClient): Promise<string[]> {
  const query = 'planType=profit_loss&productType=USDT-FUTURES'
  const url = `/bg${MIX}/orders-plan-pending?${query}`
  const listed = await app.inject({ url, headers: bot.headers })
  const rows: { planType: string }[] = listed.json().data.entrustedList
  return rows.map(({ planType }) => planType).toSorted()
}

test.each(['no', 'reset-after'] as const)(
  'stop losses and take profits are cancelled by id and type, with %s lost response',
  async (kind) => {
    const world = await gateway()
    const bot = await world.client()
    await place(world, bot, ENDS)
    expect(await waitingOf(world, bot)).toEqual(['loss_plan', 'pos_loss', 'profit_plan'])
    const path = `${MIX}/cancel-plan-order`
    if (kind !== 'no') world.paper.faults.add({ kind, match: { path } })
    const stopped = await world.admin('POST', `/client-credentials/${bot.id}/stop`, order)
    expect(stopped).toMatchObject({ cancelled: 3, failed: [] })
    expect(await waitingOf(world, bot)).toEqual([])
    const bodies = world.paper.received({ path }).map(({ body }) => JSON.parse(`${body}`))
    expect(bodies).toHaveLength(3)
    for (const body of bodies) expect(body.orderIdList).toHaveLength(1)
  },
)

const strategy = {
  ...{ category: 'USDT-FUTURES', symbol: 'BTCUSDT', posSide: 'long', type: 'tpsl' },
  ...{ tpslMode: 'full', takeProfit: '70000', stopLoss: '50000' },
}
const STRATEGY: readonly Call[] = [
  [
    '/bg/api/v3/trade/place-order',
    {
      ...{ category: 'USDT-FUTURES', symbol: 'BTCUSDT', side: 'buy' },
      ...{ orderType: 'market', qty: '0.01' },
    },
  ],
  ['/bg/api/v3/trade/place-strategy-order', strategy],
]

test.each(['no', 'reset-after'] as const)(
  'a strategy order of a unified account is cancelled, with %s lost response',
  async (kind) => {
    const world = await gateway()
    const bot = await world.client('unified-bot', { unified: true })
    await place(world, bot, STRATEGY)
    const path = '/api/v3/trade/cancel-strategy-order'
    if (kind !== 'no') world.paper.faults.add({ kind, match: { path } })
    const stopped = await world.admin('POST', `/client-credentials/${bot.id}/stop`, order)
    expect(stopped).toMatchObject({ cancelled: 1, failed: [] })
    expect(world.paper.received({ path })).toHaveLength(1)
    const url = '/bg/api/v3/trade/unfilled-strategy-orders?category=USDT-FUTURES'
    const open = await world.app.inject({ url, headers: bot.headers })
    expect(open.json().data).toEqual([])
  },
)

test('a trigger order whose cancel never gets a response may still be open, and is reported', async () => {
  const world = await gateway({ app: { stops: { cancelPausesMs: [0, 20] } } })
  const bot = await world.client('unified-bot', { unified: true })
  await place(world, bot, STRATEGY)
  const path = '/api/v3/trade/cancel-strategy-order'
  world.paper.faults.add({ kind: 'reset-before', times: 100, match: { path } })
  const stopped = await world.admin('POST', `/client-credentials/${bot.id}/stop`, order)
  expect(stopped).toMatchObject({
    cancelled: 0,
    failed: [
      {
        ...{ exchange: 'bg', symbol: 'BTCUSDT', orderId: expect.any(String) },
        message: expect.stringContaining('unknown whether Bitget carried out'),
      },
    ],
  })
  expect(world.paper.received({ path }).length).toBeGreaterThan(1)
})
