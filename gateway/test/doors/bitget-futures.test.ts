import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { type TestApp, testApp } from '../app.ts'
import { type Bot, botOf } from '../support/bot-of.ts'
import { eventually } from '../support/eventually.ts'
import { heldExchange } from '../support/held-exchange.ts'
import { scrape } from '../support/metrics.ts'
import { sharedApp } from '../support/shared-app.ts'

// A documented futures order of Bitget is up to three calls: its leverage, itself, and the stops
// of its position.

const SPOT = '/api/bg/v1/spot/trade/place-order'
const FUTURES = '/api/bg/v1/futures/trade/place-order'
const CHANGE = '/api/bg/v1/futures/trade/modify-order'
const PLACED = '/api/v2/mix/order/place-order'
const limit = { symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', price: '50000' }
const spotOrder = { ...limit, size: '0.001' }
const order = { ...limit, marginMode: 'crossed', size: '0.01' }
const ofMarket = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' }
/** It trades at once. */
const market = { ...order, price: undefined, orderType: 'market' }
const stopLoss = { stopLossTriggerPrice: '40000' }
const stopped = { ...market, ...stopLoss }

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
const namesOf = (bot: Bot) => callsOf(bot).map(([name]) => name)

async function place(bot: Bot, fields: object) {
  const placed = await bot.post(FUTURES, fields)
  expect(placed.statusCode, placed.body).toBe(200)
  return placed.json()
}

// As text it was rejected, although Bitget itself takes and returns text.
test.each([10, '10'])(
  'the leverage %j is set before the order, only when the account has another',
  async (leverage) => {
    const bot = await sharedBot()
    for (const price of ['50000', '49000']) await place(bot, { ...order, leverage, price })
    expect(namesOf(bot)).toEqual(['set-leverage', 'place-order', 'place-order'])
    expect(callsOf(bot)[0]?.[1]).toEqual({ ...ofMarket, leverage: '10' })
  },
)

test('two orders with different leverages do not interfere with each other', async () => {
  const bot = await sharedBot()
  await Promise.all([5, 50].map((leverage) => place(bot, { ...order, leverage })))
  expect(callsOf(bot).map(([name, { leverage }]) => `${name} ${leverage}`)).toEqual([
    ...['set-leverage 5', 'place-order undefined'],
    ...['set-leverage 50', 'place-order undefined'],
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
    const rejected = await bot.post(FUTURES, { ...order, leverage: 10 })
    expect(rejected.statusCode).toBe(status)
    expect(rejected.json()).toMatchObject({ code, outcome: 'not-sent' })
    expect(bot.orders('bg')).toEqual([])
  },
)

test('orders that wait for each other because of the leverage keep the usual time limit', async () => {
  const bot = await appWithBot({ RATE_LIMIT_PER_SECOND: '5', MAX_QUEUE_WAIT_SECONDS: '1' })
  // Each order reads the leverage first: eight need at least three seconds.
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => bot.post(FUTURES, { ...order, leverage: 20 })),
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
  const levered = { ...order, leverage: 20 }
  await place(bot, levered)
  bot.paper.clearReceived()
  bot.paper.faults.add({ kind: 'timeout-before', match: { path: PLACED } })
  const first = bot.post(FUTURES, levered)
  await eventually(() => expect(bot.paper.received({ path: PLACED })).toHaveLength(1))

  const queued = await bot.post(FUTURES, levered, { prefer: 'respond-async' })
  const { location } = queued.json()
  const withdrawn = await bot.app.inject({ method: 'DELETE', url: location, headers: bot.headers })
  expect(withdrawn.statusCode).toBe(204)
  const late = await bot.post(FUTURES, levered, { prefer: 'wait=0' })
  expect(late.json()).toMatchObject({ code: 'QUEUE_DEADLINE_PASSED', outcome: 'not-sent' })
  expect(bot.paper.received({ path: PLACED })).toHaveLength(1)

  // Its connection breaks, so that nothing is waited for.
  await bot.paper.close()
  expect((await first).statusCode).toBe(504)
})

test('take profit and stop loss of an order are sent with it, those of its position after it', async () => {
  const bot = await sharedBot()
  const preset = { presetStopSurplusPrice: '70000', presetStopLossPrice: '40000' }
  await place(bot, { ...order, ...preset })
  expect(callsOf(bot)).toMatchObject([['place-order', preset]])
  bot.paper.clearReceived()
  const ends = { stopSurplusTriggerPrice: '70000', stopSurplusTriggerType: 'fill_price' }
  expect(await place(bot, { ...stopped, ...ends })).not.toHaveProperty('message')
  const [placed, stops] = callsOf(bot).map(([, body]) => body)
  expect(namesOf(bot)).toEqual(['place-order', 'place-pos-tpsl'])
  expect(placed).not.toHaveProperty('stopLossTriggerPrice')
  expect(stops).toEqual({
    ...{ ...ofMarket, holdSide: 'buy', ...ends, ...stopLoss, stopLossTriggerType: 'mark_price' },
  })
})

// The response said both that the stop loss is not set and that it may be set.
test.each(['reset-after', 'garbage'] as const)(
  'after %s the outcome of the stop loss is unknown, and the response says how to check',
  async (kind) => {
    const bot = await appWithBot()
    bot.paper.faults.add({ kind, match: { path: '/api/v2/mix/order/place-pos-tpsl' } })
    const { message } = await place(bot, stopped)
    expect(message).toMatch(/^The order was placed, but it is unknown whether /)
    expect(message).toMatch(/\. Query the position: /)
    expect(message).not.toContain('is not set')
  },
)

test('a bot that disconnects after its order was sent still gets the stop loss of its position', async () => {
  const t = await heldExchange()
  const bot = await botOf(t)
  await bot.app.listen({ port: 0 })
  const { port } = bot.app.server.address() as AddressInfo
  t.holdAt(PLACED)
  const hangUp = new AbortController()
  const asked = fetch(`http://127.0.0.1:${port}${FUTURES}`, {
    ...{ method: 'POST', headers: { ...bot.headers, 'content-type': 'application/json' } },
    ...{ body: JSON.stringify(stopped), signal: hangUp.signal },
  })
  await eventually(() => expect(bot.paper.received({ path: PLACED })).toHaveLength(1))
  hangUp.abort()
  await expect(asked).rejects.toThrow()
  await eventually(async () =>
    expect((await scrape(t.app)).value('sluice_connections_open')).toBe(0),
  )
  t.release()
  await eventually(() => expect(namesOf(bot)).toEqual(['place-order', 'place-pos-tpsl']))
})

test("the stop loss of a placed order waits for its slot, however short the bot's own limit is", async () => {
  const bot = await appWithBot({ RATE_LIMIT_PER_SECOND: '10' })
  // The rules are known then, and the order is the only call that its bot waits for.
  await place(bot, order)
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
  await place(bot, order)
  bot.paper.clearReceived()
  bot.paper.faults.add({ kind: 'slow', delayMs: 500, match: { path: PLACED } })
  const placed = bot.post(FUTURES, stopped)
  await eventually(() => expect(bot.paper.received({ path: PLACED })).toHaveLength(1))
  const waiting = [1, 2, 3].map(() => bot.post(SPOT, spotOrder))
  expect((await placed).json()).not.toHaveProperty('message')
  await Promise.all(waiting)
  expect(namesOf(bot)).toEqual([
    ...['place-order', 'place-pos-tpsl'],
    ...['place-order', 'place-order', 'place-order'],
  ])
})

test('a resting order is placed, and the response says that its position has no stop yet', async () => {
  const bot = await sharedBot()
  expect(await place(bot, { ...order, ...stopLoss })).toMatchObject({
    ...{ success: true, data: { orderId: expect.any(String) } },
    message: expect.stringMatching(
      /^The order was placed, but the take profit or stop loss .+Bitget rejected the request/,
    ),
  })
  expect(bot.orders('bg')).toHaveLength(1)
})

test('a resting order is changed, and found by its new id', async () => {
  const bot = await sharedBot()
  const { orderId } = (await place(bot, { ...order, clientOid: 'old' })).data
  const change = { orderId, newClientOid: 'new', newSize: '0.02', newPrice: '49900' }
  const changed = await bot.post(CHANGE, { symbol: 'BTCUSDT', ...change })
  expect(changed.statusCode).toBe(200)
  expect(changed.json()).toMatchObject({ success: true, data: { orderId: expect.any(String) } })
  expect(callsOf(bot)[1]).toEqual(['modify-order', { ...ofMarket, ...change }])
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
  const rejected = await bot.post(CHANGE, { symbol: 'BTCUSDT', orderId: '1', ...change })
  expect(rejected.statusCode).toBe(400)
  expect(rejected.json()).toMatchObject({ code: 'ORDER_INVALID', fields: [{ field }] })
  expect(bot.paper.received()).toEqual([])
})
