import { deleteClient, mxSubmitOrder } from 'schema'
import { beforeEach, expect, test } from 'vitest'
import { testApp } from './app.ts'
import { type Bot, botOf } from './support/bot-of.ts'
import { eventually } from './support/eventually.ts'
import { createSetTime } from './support/set-time.ts'
import { keysOf, storeKeys } from './support/share-keys.ts'
import { sharedApp } from './support/shared-app.ts'

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }
const POST = { method: 'POST' }

const time = createSetTime()
let exchangeAheadMs = 0
const startedAtMs = time.now()
/** Nobody steps the clock of the exchange. */
const nowMs = () => startedAtMs + Math.floor(time.monotonic()) + exchangeAheadMs
const logLines: string[] = []
// Its own rate limits are not what is tested: orders that stay unknown are looked up all the time.
const monotonicMs = () => performance.now() * 1_000
const shared = sharedApp({ time, paper: { nowMs, monotonicMs }, logLines })
let bot: Bot
beforeEach(async () => {
  shared().paper.faults.clear()
  bot = await botOf(shared())
})

const place = (who: Bot, headers: Record<string, string> = {}, order: object = ORDER) =>
  who.post(mxSubmitOrder.path, order, headers)
const placeWith = (key: string, order: object = ORDER) =>
  place(bot, { 'idempotency-key': key }, order)

test('a retry with the same key gets the first response, marked, and places nothing', async () => {
  const first = await placeWith('"order-1"')
  const second = await placeWith('order-1')
  expect(second.statusCode).toBe(200)
  expect(second.body).toBe(first.body)
  expect(first.headers['idempotency-replayed']).toBeUndefined()
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect(bot.orders('mx')).toHaveLength(1)
})

test('the same order in another JSON notation is the same order', async () => {
  const { symbol, ...rest } = ORDER
  await placeWith('k')
  const second = await placeWith('k', { ...rest, symbol })
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect(bot.orders('mx')).toHaveLength(1)
})

test('the same key with another order is rejected', async () => {
  await placeWith('k')
  const other = await placeWith('k', { ...ORDER, quantity: '0.02' })
  expect(other.statusCode).toBe(422)
  expect(other.json()).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', outcome: 'not-sent' })
  expect(bot.orders('mx')).toHaveLength(1)
})

test('the same key of two clients are two orders', async () => {
  const other = await botOf(shared())
  await placeWith('k')
  const second = await place(other, { 'idempotency-key': 'k' })
  expect(second.headers['idempotency-replayed']).toBeUndefined()
  expect([bot.orders('mx').length, other.orders('mx').length]).toEqual([1, 1])
})

test('a retry while the first request still waits gets the same response', async () => {
  bot.paper.faults.add({ kind: 'slow', delayMs: 50, match: POST })
  const [first, second] = await Promise.all([placeWith('k'), placeWith('k')])
  expect(first.statusCode).toBe(200)
  expect(second.body).toBe(first.body)
  expect(bot.orders('mx')).toHaveLength(1)
})

test.each(['', 'x'.repeat(256), '"open', 'bell\u0007', 'k, k', '"k", "k"'])(
  'the invalid key %j is named in the error',
  async (key) => {
    const response = await placeWith(key)
    expect(response.json()).toMatchObject({ statusCode: 400, code: 'IDEMPOTENCY_KEY_INVALID' })
  },
)

test('an order that was proven not sent leaves its key free for a retry', async () => {
  const rejected = await placeWith('k', { ...ORDER, price: '0.123' })
  expect(rejected.statusCode).toBe(400)
  bot.paper.faults.add({ kind: '429', match: POST, times: 5 })
  const limited = await time.during(place(bot, { 'idempotency-key': 'k', prefer: 'wait=1' }))
  expect(limited.statusCode).toBeGreaterThanOrEqual(429)
  expect(limited.json().outcome).not.toBe('unknown')
  bot.paper.faults.clear()
  // The exchange's pause has to end.
  await eventually(async () => {
    await time.advance(1_000)
    expect((await time.during(placeWith('k'))).statusCode).toBe(200)
  })
  expect(bot.orders('mx')).toHaveLength(1)
})

test('a rejected order is not sent again for the same key', async () => {
  const order = { ...ORDER, quantity: '30', leverage: 1, openType: 'isolated' }
  const first = await placeWith('k', order)
  const sent = () => bot.paper.received().filter(({ method }) => method === 'POST')
  expect(sent()).toHaveLength(1)
  const second = await placeWith('k', order)
  expect(first.statusCode).toBe(422)
  expect(second.body).toBe(first.body)
  expect(sent()).toHaveLength(1)
})

test('an order that never arrived is unknown first, and known as not placed a minute later', async () => {
  bot.paper.faults.add({ kind: 'reset-before', match: POST })
  const response = await placeWith('k')
  expect(response.statusCode).toBe(504)
  expect(response.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' })
  expect(response.json().clientOrderId).toMatch(/^sl-[\w-]{24}$/)
  const retried = await placeWith('k')
  expect(retried.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN' })

  exchangeAheadMs += 61_000
  await eventually(async () => expect((await bot.requestOf(response)).state).toBe('resolved'))
  const known = await placeWith('k')
  expect(known.json()).toMatchObject({ code: 'NOT_CARRIED_OUT', outcome: 'not-done' })
  expect(bot.orders('mx')).toEqual([])
})

test('the clock of the machine decides nothing about an order: put forward, it ends no search early', async () => {
  bot.paper.faults.add({ kind: 'reset-before', match: POST })
  const response = await place(bot)
  time.stepWallClock(120_000)
  const lookups = () =>
    bot.paper.received().filter(({ account }) => account === `${bot.clientId}-mx`).length
  const seen = lookups()
  await eventually(() => expect(lookups()).toBeGreaterThan(seen + 6))
  expect(await bot.requestOf(response)).toMatchObject({ state: 'unknown' })
  time.stepWallClock(-120_000)
})

test("an order with an unknown outcome is not looked up with another account's keys, and its client cannot be deleted", async () => {
  const other = await botOf(shared())
  bot.paper.faults.add({ kind: 'reset-before', match: POST, times: 2 })
  const [inDoubt, vanished] = [await place(bot), await place(other)]

  await storeKeys(bot, 'mx', keysOf(await shared().client(), 'mx'))
  exchangeAheadMs += 61_000
  await eventually(async () => expect((await other.requestOf(vanished)).state).toBe('resolved'))
  expect(await bot.requestOf(inDoubt)).toMatchObject({ state: 'unknown' })

  const deleted = await shared().call(deleteClient, { params: { id: bot.id } })
  expect(deleted).toMatchObject({ status: 409, body: { code: 'CLIENT_ORDERS_IN_DOUBT' } })
  const audited = logLines.filter((line) => line.includes('"msg":"client switched off"'))
  expect(audited.map((line) => JSON.parse(line))).toMatchObject([{ audit: true, id: bot.id }])
  expect((await place(bot)).statusCode).toBe(401)
})

test('an asynchronous order is placed without a waiting caller, and its state can be read', async () => {
  const accepted = await place(bot, { prefer: 'respond-async' })
  expect(accepted.statusCode).toBe(202)
  expect(accepted.headers['preference-applied']).toBe('respond-async')
  const { location } = accepted.headers
  expect(location).toBe(`/api/requests/${accepted.headers['x-request-id']}`)
  await eventually(async () => {
    expect((await bot.get(`${location}`)).json()).toMatchObject({
      state: 'answered',
      answer: { statusCode: 200, body: { success: true, message: 'Order submitted' } },
    })
  })
  expect(bot.orders('mx')).toHaveLength(1)
})

test('a queued order reports its position, and can be withdrawn', async () => {
  const slow = createSetTime()
  const bot = await botOf(await testApp({ time: slow, env: { RATE_LIMIT_PER_SECOND: '1' } }))
  let url = ''
  for (let order = 1; order <= 3; order += 1)
    url = `${(await place(bot, { prefer: 'respond-async' })).headers.location}`
  const withdraw = () => bot.app.inject({ method: 'DELETE', url, headers: bot.headers })
  await slow.passUntil(() => expect(bot.orders('mx')).toHaveLength(1))
  expect((await bot.get(url)).json()).toMatchObject({ state: 'queued', answer: null })
  expect((await withdraw()).statusCode).toBe(204)
  await eventually(async () =>
    expect((await bot.get(url)).json()).toMatchObject({
      state: 'dropped',
      answer: { body: { outcome: 'not-sent' } },
    }),
  )
  expect((await withdraw()).statusCode).toBe(204)
  expect(bot.orders('mx')).toHaveLength(1)
})

test("another client's request does not exist", async () => {
  const { headers } = await botOf(shared())
  const { location } = (await place(bot)).headers
  const asked = await bot.app.inject({ url: `${location}`, headers })
  expect(asked.statusCode).toBe(404)
})
