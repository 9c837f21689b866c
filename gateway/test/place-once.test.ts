import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { type TestClient, testApp } from './app.ts'
import { clockAt } from './support/clock-at.ts'
import { eventually } from './support/eventually.ts'

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

function place(
  app: FastifyInstance,
  client: TestClient,
  headers: Record<string, string> = {},
  payload: object = ORDER,
) {
  return app.inject({
    method: 'POST',
    url: '/api/mx/v1/submitOrder',
    headers: { ...client.headers, ...headers },
    payload,
  })
}

function status(app: FastifyInstance, client: TestClient, id: string) {
  return app.inject({ url: `/api/requests/${id}`, headers: client.headers })
}

/** Orders that exist at the exchange. */
const placedAt = (paper: { orders(exchange: 'mx'): readonly unknown[] }) =>
  paper.orders('mx').length

test('a retry with the same key gets the first response, marked, and places nothing', async () => {
  const { app, paper, client } = await testApp()
  const bot = await client()
  const first = await place(app, bot, { 'idempotency-key': '"order-1"' })
  const second = await place(app, bot, { 'idempotency-key': 'order-1' })
  expect(second.statusCode).toBe(200)
  expect(second.body).toBe(first.body)
  expect(first.headers['idempotency-replayed']).toBeUndefined()
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect(placedAt(paper)).toBe(1)
})

test('the same order in another JSON notation is the same order', async () => {
  const { app, paper, client } = await testApp()
  const bot = await client()
  const { symbol, ...rest } = ORDER
  await place(app, bot, { 'idempotency-key': 'k' })
  const second = await place(app, bot, { 'idempotency-key': 'k' }, { ...rest, symbol })
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect(placedAt(paper)).toBe(1)
})

test('the same key with another order is rejected', async () => {
  const { app, paper, client } = await testApp()
  const bot = await client()
  await place(app, bot, { 'idempotency-key': 'k' })
  const other = await place(app, bot, { 'idempotency-key': 'k' }, { ...ORDER, quantity: '0.02' })
  expect(other.statusCode).toBe(422)
  expect(other.json()).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', outcome: 'not-sent' })
  expect(placedAt(paper)).toBe(1)
})

test('the same key of two clients are two orders', async () => {
  const { app, paper, client } = await testApp()
  const [one, two] = [await client(), await client()]
  await place(app, one, { 'idempotency-key': 'k' })
  const second = await place(app, two, { 'idempotency-key': 'k' })
  expect(second.headers['idempotency-replayed']).toBeUndefined()
  expect(placedAt(paper)).toBe(2)
})

test('a retry while the first request still waits gets the same response', async () => {
  const { app, paper, client } = await testApp()
  const bot = await client()
  paper.faults.add({ kind: 'slow', delayMs: 200, match: { method: 'POST' } })
  const [first, second] = await Promise.all([
    place(app, bot, { 'idempotency-key': 'k' }),
    place(app, bot, { 'idempotency-key': 'k' }),
  ])
  expect(first.statusCode).toBe(200)
  expect(second.body).toBe(first.body)
  expect(placedAt(paper)).toBe(1)
})

test.each(['', 'x'.repeat(256), '"open', 'bell\u0007', 'k, k', '"k", "k"'])(
  'the invalid key %j is named in the error',
  async (key) => {
    const { app, client } = await testApp()
    const response = await place(app, await client(), { 'idempotency-key': key })
    expect(response.statusCode).toBe(400)
    expect(response.json().code).toBe('IDEMPOTENCY_KEY_INVALID')
  },
)

test('an order that was proven not sent leaves its key free for a retry', async () => {
  const { app, paper, client } = await testApp()
  const bot = await client()
  const rejected = await place(app, bot, { 'idempotency-key': 'k' }, { ...ORDER, price: '0.123' })
  expect(rejected.statusCode).toBe(400)
  paper.faults.add({ kind: '429', match: { method: 'POST' }, times: 5 })
  const limited = await place(app, bot, { 'idempotency-key': 'k', prefer: 'wait=1' })
  expect(limited.statusCode).toBeGreaterThanOrEqual(429)
  expect(limited.json().outcome).not.toBe('unknown')
  paper.faults.clear()
  await eventually(async () => {
    const again = await place(app, bot, { 'idempotency-key': 'k' })
    expect(again.statusCode).toBe(200)
  }, 200)
  expect(placedAt(paper)).toBe(1)
})

test('a rejected order is not sent again for the same key', async () => {
  const { app, paper, client } = await testApp()
  const bot = await client()
  const order = { ...ORDER, quantity: '30', leverage: 1, openType: 'isolated' }
  const first = await place(app, bot, { 'idempotency-key': 'k' }, order)
  const received = paper.received({ exchange: 'mx' }).length
  const second = await place(app, bot, { 'idempotency-key': 'k' }, order)
  expect(first.statusCode).toBe(422)
  expect(second.body).toBe(first.body)
  expect(paper.received({ exchange: 'mx' })).toHaveLength(received)
})

test.each(['reset-after', 'timeout-after', 'html', 'truncated'] as const)(
  'an accepted order whose response was lost (%s) is found and returned',
  async (kind) => {
    const { app, paper, client } = await testApp({ env: { UPSTREAM_TIMEOUT_SECONDS: '1' } })
    const bot = await client()
    paper.faults.add({ kind, match: { method: 'POST' }, when: 'after' })
    const response = await place(app, bot)
    expect(response.statusCode).toBe(200)
    expect(paper.orders('mx').map(({ orderId }) => orderId)).toEqual([response.json().orderId])
    const id = String(response.headers['x-request-id'])
    expect((await status(app, bot, id)).json()).toMatchObject({ state: 'resolved' })
  },
)

test('an order that never arrived is unknown first, and known as not placed a minute later', async () => {
  let aheadMs = 0
  const { app, paper, client } = await testApp({ paper: { nowMs: () => Date.now() + aheadMs } })
  const bot = await client()
  paper.faults.add({ kind: 'reset-before', match: { method: 'POST' } })
  const response = await place(app, bot, { 'idempotency-key': 'k' })
  expect(response.statusCode).toBe(504)
  expect(response.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN', outcome: 'unknown' })
  expect(response.json().clientOrderId).toMatch(/^sl-[\w-]{24}$/)
  const retried = await place(app, bot, { 'idempotency-key': 'k' })
  expect(retried.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN' })

  aheadMs = 61_000
  const id = String(response.headers['x-request-id'])
  await eventually(async () => expect((await status(app, bot, id)).json().state).toBe('resolved'))
  const known = await place(app, bot, { 'idempotency-key': 'k' })
  expect(known.json()).toMatchObject({ code: 'NOT_CARRIED_OUT', outcome: 'not-done' })
  expect(placedAt(paper)).toBe(0)
})

test('the clock of the machine decides nothing about an order: put forward, it ends no search early', async () => {
  let aheadMs = 0
  const { app, paper, client } = await testApp({
    app: { time: clockAt(() => Date.now() + aheadMs) },
  })
  const bot = await client()
  paper.faults.add({ kind: 'reset-before', match: { method: 'POST' } })
  const response = await place(app, bot)
  aheadMs = 120_000
  const seen = paper.received().length
  await eventually(() => expect(paper.received().length).toBeGreaterThan(seen + 6))
  const id = String(response.headers['x-request-id'])
  expect((await status(app, bot, id)).json()).toMatchObject({ state: 'unknown' })
})

test('a lost order is not mistaken for an earlier, similar one with the same client order id', async () => {
  const { app, paper, client } = await testApp()
  const bot = await client()
  const order = { ...ORDER, clientOrderId: 'twice' }
  const first = await place(app, bot, { 'idempotency-key': 'one' }, order)
  expect(first.statusCode).toBe(200)
  paper.faults.add({ kind: 'reset-before', match: { method: 'POST' } })
  const lost = await place(app, bot, { 'idempotency-key': 'two' }, order)
  expect(lost.statusCode).toBe(504)
  expect(lost.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN', clientOrderId: 'twice' })
  expect(placedAt(paper)).toBe(1)
})

test("an order with an unknown outcome is not looked up with another account's keys, and its client cannot be deleted", async () => {
  let aheadMs = 0
  const logLines: string[] = []
  const { app, paper, client, asAdmin } = await testApp({
    paper: { nowMs: () => Date.now() + aheadMs },
    logLines,
  })
  const [bot, other] = [await client(), await client()]
  paper.faults.add({ kind: 'reset-before', match: { method: 'POST' }, times: 2 })
  const idOf = async (who: TestClient) => String((await place(app, who)).headers['x-request-id'])
  const [inDoubt, vanished] = [await idOf(bot), await idOf(other)]

  const [apiKey, apiSecret] = other.keys
  const saved = await app.inject({
    method: 'POST',
    url: '/api/admin/client-api-keys',
    headers: asAdmin,
    payload: { clientId: bot.clientId, exchange: 'mx', apiKey, apiSecret },
  })
  expect(saved.statusCode).toBe(201)
  aheadMs = 61_000
  await eventually(async () =>
    expect((await status(app, other, vanished)).json().state).toBe('resolved'),
  )
  expect((await status(app, bot, inDoubt)).json()).toMatchObject({ state: 'unknown' })

  const deleted = await app.inject({
    method: 'DELETE',
    url: `/api/admin/client-credentials/${bot.id}`,
    headers: asAdmin,
  })
  expect(deleted.statusCode).toBe(409)
  expect(deleted.json()).toMatchObject({ code: 'CLIENT_ORDERS_IN_DOUBT' })
  const audited = logLines.filter((line) => line.includes('"msg":"client switched off"'))
  expect(audited.map((line) => JSON.parse(line))).toMatchObject([{ audit: true, id: bot.id }])
  expect((await place(app, bot)).statusCode).toBe(401)
})

test('an asynchronous order is placed without a waiting caller, and its state can be read', async () => {
  const { app, paper, client } = await testApp()
  const bot = await client()
  const accepted = await place(app, bot, { prefer: 'respond-async' })
  expect(accepted.statusCode).toBe(202)
  expect(accepted.headers['preference-applied']).toBe('respond-async')
  const { location } = accepted.headers
  expect(location).toBe(`/api/requests/${accepted.headers['x-request-id']}`)
  await eventually(async () => {
    const asked = await app.inject({ url: String(location), headers: bot.headers })
    expect(asked.json()).toMatchObject({
      state: 'answered',
      answer: { statusCode: 200, body: { success: true, message: 'Order submitted' } },
    })
  })
  expect(placedAt(paper)).toBe(1)
})

test('a queued order reports its position, and can be withdrawn', async () => {
  const { app, paper, client } = await testApp({ env: { RATE_LIMIT_PER_SECOND: '1' } })
  const bot = await client()
  const responses = await Promise.all(
    [1, 2, 3].map(() => place(app, bot, { prefer: 'respond-async' })),
  )
  const last = String(responses[2]?.headers['x-request-id'])
  const waiting = (await status(app, bot, last)).json()
  expect(waiting).toMatchObject({ state: 'queued', answer: null })
  const withdrawn = await app.inject({
    method: 'DELETE',
    url: `/api/requests/${last}`,
    headers: bot.headers,
  })
  expect(withdrawn.statusCode).toBe(204)
  await eventually(async () =>
    expect((await status(app, bot, last)).json()).toMatchObject({
      state: 'dropped',
      answer: { body: { outcome: 'not-sent' } },
    }),
  )
  const again = await app.inject({
    method: 'DELETE',
    url: `/api/requests/${last}`,
    headers: bot.headers,
  })
  expect(again.statusCode).toBe(204)
  expect(placedAt(paper)).toBeLessThan(3)
})

test("another client's request does not exist", async () => {
  const { app, client } = await testApp()
  const [one, two] = [await client(), await client()]
  const placed = await place(app, one)
  const asked = await status(app, two, String(placed.headers['x-request-id']))
  expect(asked.statusCode).toBe(404)
})
