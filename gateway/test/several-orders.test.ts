import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../src/app.ts'
import { testApp, testConfig } from './app.ts'
import type { Bot } from './support/bot-of.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { lostOrders } from './support/lost-orders.ts'
import { BATCHES, type BatchForm } from './support/order-forms.ts'
import { recordingUpstream } from './support/recording-upstream.ts'
import { tempFolder } from './support/temp-folder.ts'

// Several orders in one call, sent through the exchanges' own paths, keep the promises of a single
// one.

const reconcile = { callerPausesMs: [0, 10, 20], backgroundPausesMs: [50, 100, 200, 5_000] }
// The worst that is possible: MEXC futures documents a rejection, and nobody has seen one.
const world = lostOrders({ mexcFuturesDuplicates: 'accept' })
let bot: Bot
beforeEach(async () => {
  bot = await world.newBot()
})

function send(exchange: 'mx' | 'bg', path: string, body = '', key = 'k') {
  return bot.post(`/${exchange}${path}`, body, { 'idempotency-key': key })
}

function place({ exchange, path, write }: BatchForm, entries: readonly object[], key = 'k') {
  const { query = '', body } = write(entries)
  return send(exchange, `${path}${query}`, body, key)
}

const entriesOf = ({ entry }: BatchForm, ...btc: number[]) => btc.map((each) => entry(each))

const lose = ({ exchange, path }: BatchForm, when: 'before' | 'after') =>
  world.lose(when, exchange, path)

/** What was asked of this bot's accounts. */
const questions = () =>
  bot.paper
    .received()
    .filter(({ method, account }) => method === 'GET' && account?.startsWith(`${bot.clientId}-`))

test.each(BATCHES)(
  '$name: each order gets its own client order id, and the call passes unchanged otherwise',
  async (family) => {
    bot = await world.newBot(family)
    const { entry } = family
    const named = { ...entry(0.01), [family.idName]: 'own' }
    const placed = await place(family, [entry(0.01), named, entry(0.02)])
    expect(placed.statusCode).toBe(200)
    const ids = bot.orders(family.exchange).map(({ clientOrderId }) => clientOrderId)
    expect(ids.toSorted()).toEqual([
      'own',
      expect.stringMatching(/^sl-[\w-]{24}-0$/),
      expect.stringMatching(/^sl-[\w-]{24}-2$/),
    ])
  },
)

test.each(BATCHES)(
  "$name: orders whose response was lost are found and returned in the exchange's form, each once",
  async (family) => {
    bot = await world.newBot(family)
    const entries = entriesOf(family, 0.01, 0.02, 0.03, 0.04)
    const usual = await place(family, entries)
    bot = await world.newBot(family)
    lose(family, 'after')
    const first = await place(family, entries)
    expect(first.statusCode).toBe(200)
    expect(shapeOf(first.json())).toEqual(shapeOf(usual.json()))
    const orders = bot.orders(family.exchange)
    expect(orders).toHaveLength(4)
    for (const { orderId, clientOrderId } of orders) {
      expect(first.body).toContain(orderId)
      expect(first.body).toContain(clientOrderId)
    }
    // One list of open orders covers all four.
    expect(questions()).toHaveLength(1)
    const again = await place(family, entries)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.body).toBe(first.body)
    expect(bot.orders(family.exchange)).toHaveLength(4)
    expect(await bot.requestOf(first)).toMatchObject({ state: 'resolved' })
  },
)

test.each(BATCHES)(
  '$name: when only some of the orders were placed, the response says which',
  async (family) => {
    bot = await world.newBot(family)
    const entries = entriesOf(family, 0.01, 9_000, 0.02)
    lose(family, 'after')
    const first = await place(family, entries)
    expect(first.statusCode).toBe(504)
    expect(ownErrorOf(first.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' })
    expect(ownErrorOf((await place(family, entries)).json())).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
    })
    await world.aMinuteLater(bot, first)
    const response = await place(family, entries)
    expect(response.statusCode).toBe(200)
    const orders = bot.orders(family.exchange)
    expect(orders).toHaveLength(2)
    for (const { orderId } of orders) expect(response.body).toContain(orderId)
    expect(response.body.split('Not placed: the gateway lost the response')).toHaveLength(2)
  },
)

test.each(BATCHES)(
  '$name: orders that never arrived are not carried out, which is known after a minute',
  async (family) => {
    bot = await world.newBot(family)
    const entries = entriesOf(family, 0.01, 0.02, 0.03)
    lose(family, 'before')
    const first = await place(family, entries)
    expect(ownErrorOf(first.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    await world.aMinuteLater(bot, first)
    const response = await place(family, entries)
    expect(response.statusCode).toBe(502)
    expect(ownErrorOf(response.json())).toMatchObject({
      code: 'NOT_CARRIED_OUT',
      outcome: 'not-done',
    })
    expect(bot.orders(family.exchange)).toEqual([])
  },
)

test.each(BATCHES)(
  '$name: a lost order is not mistaken for an earlier one with its id',
  async (form) => {
    bot = await world.newBot(form)
    const named = (ids: readonly string[]) =>
      ids.map((id) => ({ ...form.entry(0.01), [form.idName]: id }))
    expect((await place(form, named(['a', 'b', 'c']), 'first')).statusCode).toBe(200)
    lose(form, 'before')
    const lost = await place(form, named(['c', 'a', 'b']), 'second')
    expect(ownErrorOf(lost.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    world.passMinutes(1)
    const seen = questions().length
    await eventually(() => expect(questions().length).toBeGreaterThan(seen + 1))
    expect(await bot.requestOf(lost)).toMatchObject({ state: 'unknown' })
  },
)

const [, mexcFutures, bitgetSpot] = BATCHES
if (mexcFutures === undefined || bitgetSpot === undefined) throw new Error('No families')

/**
 * Calls about several orders, how many orders each takes at once, and how a list of them is
 * written.
 */
const bounds: readonly (readonly [call: string, max: number, write: (list: string) => string])[] = [
  ['mx /api/v3/batchOrders', 20, (list) => `{"batchOrders":${JSON.stringify(list)}}`],
  ['mx /api/v1/private/order/submit_batch', 50, (list) => list],
  ['mx /api/v1/private/order/cancel', 50, (list) => list],
  ['mx /api/v1/private/order/cancel_with_external', 50, (list) => list],
  ['mx /api/v1/private/order/batch_cancel_with_external', 50, (list) => list],
  ['bg /api/v2/spot/trade/batch-orders', 50, inOrderList],
  ['bg /api/v2/spot/trade/batch-cancel-order', 50, inOrderList],
  ['bg /api/v2/spot/trade/batch-cancel-replace-order', 50, inOrderList],
  ['bg /api/v2/mix/order/batch-place-order', 50, inOrderList],
  ['bg /api/v2/mix/order/batch-cancel-orders', 50, (list) => `{"orderIdList":${list}}`],
  ['bg /api/v3/trade/place-batch', 20, (list) => list],
  ['bg /api/v3/trade/cancel-batch', 20, (list) => list],
]

function inOrderList(list: string): string {
  return `{"symbol":"BTCUSDT","orderList":${list}}`
}

test.each(bounds)(
  '%s with more than %i orders is rejected by the gateway, and with exactly that many it is sent',
  async (call, max, write) => {
    const [exchange, path = ''] = call.split(' ')
    if (exchange !== 'mx' && exchange !== 'bg') throw new Error(call)
    const listOf = (count: number) => write(`[${Array(count).fill('{"category":"SPOT"}')}]`)
    const rejected = await send(exchange, path, listOf(max + 1), 'too-large')
    expect(rejected.statusCode).toBe(400)
    expect(ownErrorOf(rejected.json())).toMatchObject({
      ...{ code: 'BATCH_TOO_LARGE', outcome: 'not-sent', retryable: false },
      message: expect.stringContaining(
        `at most ${max} orders in this call, and there are ${max + 1}`,
      ),
    })
    const arrived = () => bot.paper.received({ path })
    expect(arrived()).toEqual([])
    await send(exchange, path, listOf(max), 'whole')
    expect(arrived()).toHaveLength(1)
  },
)

test('a batch in a query is bounded like one in a body', async () => {
  const list = encodeURIComponent(JSON.stringify(Array(21).fill({ symbol: 'BTCUSDT' })))
  const rejected = await send('mx', `/api/v3/batchOrders?batchOrders=${list}`, undefined)
  expect(ownErrorOf(rejected.json())).toMatchObject({
    code: 'BATCH_TOO_LARGE',
    outcome: 'not-sent',
  })
})

test('a lost single order is not mistaken for one of several that had its id before', async () => {
  const order = { ...mexcFutures.entry(0.01), externalOid: 'a' }
  expect((await place(mexcFutures, [order, mexcFutures.entry(0.01)])).statusCode).toBe(200)
  const path = '/api/v1/private/order/create'
  world.lose('before', 'mx', path)
  const lost = await send('mx', path, JSON.stringify(order), 'single')
  expect(ownErrorOf(lost.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN', clientOrderId: 'a' })
})

test('two identical orders with one id in one call are not both taken for the one that is found', async () => {
  const twin = { ...mexcFutures.entry(0.01), externalOid: 'twin' }
  lose(mexcFutures, 'after')
  const lost = await place(mexcFutures, [twin, twin])
  expect(ownErrorOf(lost.json())).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  expect(bot.orders('mx')).toHaveLength(2)
})

test('orders that were placed despite a rate limit hit are found when the next attempt is rejected', async () => {
  const { exchange, path } = bitgetSpot
  bot.paper.faults.add({ kind: '429', when: 'after', match: { exchange, path } })
  const placed = await place(bitgetSpot, entriesOf(bitgetSpot, 0.01, 0.02))
  expect(placed.json().data).toMatchObject({ failureList: [] })
  expect(placed.json().data.successList).toHaveLength(2)
  expect(bot.orders('bg')).toHaveLength(2)
})

const upstream = await recordingUpstream()
test.each([
  ['that reports trouble of the exchange with one of them is none', '45001', 504],
  ['that rejects one of them passes unchanged', '43012', 200],
])('a response to several orders %s', async (_what, errorCode, status) => {
  const { app, client } = await testApp({ env: { BITGET_URL: upstream.url }, app: { reconcile } })
  const { headers } = await client()
  const failureList = [{ orderId: '', clientOid: 'b', errorCode, errorMsg: 'x' }]
  const body = JSON.stringify({
    ...{ code: '00000', msg: 'success', requestTime: 1 },
    data: { successList: [{ orderId: '1', clientOid: 'a' }], failureList },
  })
  upstream.say(body)
  const response = await app.inject({
    method: 'POST',
    url: `/bg${bitgetSpot.path}`,
    headers: { ...headers, 'content-type': 'application/json' },
    payload: '{"symbol":"BTCUSDT","orderList":[{"clientOid":"a"},{"clientOid":"b"}]}',
  })
  expect(response.statusCode).toBe(status)
  if (status === 200) expect(response.body).toBe(body)
  else
    expect(ownErrorOf(response.json())).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      outcome: 'unknown',
    })
})

test('orders with unknown outcomes are looked up after a restart, by their own ids', async () => {
  const env = {
    DATABASE_URL: `file:${join(tempFolder(), 'sluice.db')}`,
    MASTER_KEY: randomBytes(32).toString('base64'),
  }
  // The first process asks nothing: it stops before it knows.
  const first = await testApp({
    env,
    app: { reconcile: { callerPausesMs: [], backgroundPausesMs: [3_600_000] } },
  })
  const { paper } = first
  const client = await first.client()
  const { path, entry, write } = mexcFutures
  const call = {
    method: 'POST',
    url: `/mx${path}`,
    headers: { ...client.headers, 'content-type': 'application/json', 'idempotency-key': 'k' },
    payload: write([entry(0.01), entry(0.02), entry(0.03)]).body ?? '',
  } as const
  paper.faults.add({ kind: 'reset-after', match: { path } })
  expect(ownErrorOf((await first.app.inject(call)).json())).toMatchObject({
    code: 'OUTCOME_UNKNOWN',
  })
  await first.app.close()
  const second = await buildApp(testConfig(paper.url, env), { laneStartDelayMs: 0, reconcile })
  onTestFinished(() => second.close())
  await second.ready()
  const response = await eventually(async () => {
    const response = await second.inject(call)
    expect(response.statusCode).toBe(200)
    return response
  })
  expect(response.headers['idempotency-replayed']).toBe('true')
  expect(paper.orders('mx')).toHaveLength(3)
  for (const { orderId } of paper.orders('mx')) expect(response.body).toContain(orderId)
})

/** The names in a response, at every depth; texts and numbers without their values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shapeOf(part)]))
}
