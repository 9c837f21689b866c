import {
  getOrderLife,
  mxSubmitOrder,
  type OrderEvent,
  type OrderLife,
  type QueueEntry,
  urlOf,
} from 'schema'
import { expect, test } from 'vitest'
import { type TestApp, testApp } from './app.ts'
import { type Bot, botOf } from './support/bot-of.ts'
import { eventually } from './support/eventually.ts'

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

async function lifeOf({ app, asAdmin }: TestApp, id: string): Promise<OrderLife> {
  const read = await app.inject({
    url: urlOf(getOrderLife, { params: { id } }),
    headers: asAdmin,
  })
  expect(read.statusCode).toBe(200)
  return read.json()
}

const place = (bot: Bot, more: Record<string, string> = {}) =>
  bot.post(mxSubmitOrder.path, ORDER, more)
const idOf = ({ headers }: { headers: Record<string, unknown> }) => `${headers['x-request-id']}`
const typesOf = ({ events }: OrderLife) => events.map(({ type }) => type)
const eventOf = ({ events }: OrderLife, type: OrderEvent['type']) =>
  events.find((event) => event.type === type)

const SENT_AND_ANSWERED = [
  ...['received', 'checked', 'queued', 'slot', 'signed', 'sent', 'answered'],
  ...['settled', 'responded'],
]

test('an order has every step of its way, its response byte for byte, and its log row', async () => {
  const t = await testApp()
  const bot = await botOf(t)
  const placed = await place(bot, { 'idempotency-key': 'k-1' })
  const life = await lifeOf(t, idOf(placed))
  expect(typesOf(life)).toEqual(SENT_AND_ANSWERED)
  expect(eventOf(life, 'queued')).toMatchObject({ ahead: 0, waiting: {}, own: 0 })
  expect(eventOf(life, 'slot')?.waitedMs).toBeGreaterThanOrEqual(0)
  // The signature has the exchange's time, which the paper exchange checks.
  const signed = Date.parse(eventOf(life, 'signed')?.exchangeTime ?? '')
  expect(Math.abs(signed - Date.now())).toBeLessThan(30_000)
  expect(eventOf(life, 'answered')).toMatchObject({ status: 200, tookMs: expect.any(Number) })
  expect(eventOf(life, 'settled')).toMatchObject({ state: 'answered', status: 200 })
  expect(eventOf(life, 'responded')).toMatchObject({ status: 200, tookMs: expect.any(Number) })
  expect(life).toMatchObject({
    ...{ clientId: bot.clientId, idempotencyKey: 'k-1', mayBeOpen: true },
    keys: { note: null, isStored: true },
    response: { statusCode: 200, body: placed.body },
  })
  const logged = await t.app.inject({ url: '/api/logs', headers: t.asAdmin })
  const rows = logged.json().filter((row: { requestId: string }) => row.requestId === life.id)
  expect(life.logIds).toEqual(rows.map(({ id }: { id: number }) => id))
  expect(life.logIds).toHaveLength(1)
})

test('an order that the exchange rejected says so, and with which words', async () => {
  const t = await testApp()
  const bot = await botOf(t)
  const rejected = await bot.post(mxSubmitOrder.path, {
    ...{ ...ORDER, quantity: '30', leverage: 1, openType: 'isolated' },
  })
  expect(rejected.statusCode).toBe(422)
  const life = await lifeOf(t, idOf(rejected))
  const { code } = rejected.json()
  expect(life.state).toBe('refused')
  expect(eventOf(life, 'settled')).toMatchObject({ state: 'refused', status: 422, code })
  expect(eventOf(life, 'responded')).toMatchObject({ status: 422, code })
  expect(life.response?.body).toBe(rejected.body)
})

test('what is refused before it is sent has no slot', async () => {
  const t = await testApp()
  const bot = await botOf(t)
  const invalid = await bot.post(mxSubmitOrder.path, { ...ORDER, price: '0.123' })
  const life = await lifeOf(t, idOf(invalid))
  expect(typesOf(life)).toEqual(['received', 'settled', 'responded'])
  expect(eventOf(life, 'settled')).toMatchObject({ state: 'dropped', code: 'ORDER_INVALID' })
})

test('a lost response is unknown, looked up and found, and the bot gets the outcome', async () => {
  const t = await testApp()
  const bot = await botOf(t)
  t.paper.faults.add({ kind: 'reset-after', match: { method: 'POST' } })
  const found = await place(bot)
  expect(found.statusCode).toBe(200)
  const life = await lifeOf(t, idOf(found))
  expect(typesOf(life)).toEqual([
    ...['received', 'checked', 'queued', 'slot', 'signed', 'sent', 'unknown', 'lookup'],
    ...['settled', 'responded'],
  ])
  expect(eventOf(life, 'unknown')?.why).toMatch(/MEXC/)
  expect(eventOf(life, 'lookup')).toMatchObject({
    where: expect.stringMatching(/^GET \/api\/v1\/private\/order\//),
    ...{ found: 'found', orderState: 'open' },
  })
  expect(life).toMatchObject({ state: 'resolved', lookups: 1, orderId: found.json().orderId })
})

test('look-ups that fail are listed while they go on, from memory and from the journal', async () => {
  const reconcile = { callerPausesMs: [0], backgroundPausesMs: [50, 50, 1_000] }
  const t = await testApp({ app: { reconcile }, env: { UPSTREAM_TIMEOUT_SECONDS: '1' } })
  const bot = await botOf(t)
  await place(bot)
  t.paper.faults.add({ kind: 'reset-before', match: { method: 'POST' } })
  t.paper.faults.add({ kind: 'garbage', times: 0, match: { path: '/api/v1/private/order/*' } })
  const lost = await place(bot)
  expect(lost.statusCode).toBe(504)
  const lookups = async () => {
    const life = await lifeOf(t, idOf(lost))
    expect(life.state).toBe('unknown')
    return life.events.filter(({ type }) => type === 'lookup')
  }
  await eventually(async () => expect((await lookups()).length).toBeGreaterThan(2))
  expect(await lookups()).toContainEqual(expect.objectContaining({ found: 'unclear' }))
  const life = await lifeOf(t, idOf(lost))
  expect(eventOf(life, 'responded')).toMatchObject({ status: 504, code: 'OUTCOME_UNKNOWN' })
  expect(life.response).toBeNull()
})

test('a queued order says behind whom it waits, and who dropped it', async () => {
  const t = await testApp({ env: { RATE_LIMIT_PER_SECOND: '1' } })
  const [bot, other] = [await botOf(t), await botOf(t)]
  await place(bot)
  const queue = async () =>
    (await t.app.inject({ url: '/api/admin/queue', headers: t.asAdmin })).json()
  const waiting = [place(other), place(other)]
  await eventually(async () => expect(await queue()).toHaveLength(2))
  waiting.push(place(bot))
  await eventually(async () => expect(await queue()).toHaveLength(3))
  const last = bot.post(mxSubmitOrder.path, { ...ORDER, clientOrderId: 'last-42' })
  await eventually(async () => expect(await queue()).toHaveLength(4))
  const entries: QueueEntry[] = await queue()
  const entry = entries.filter(({ clientId }) => clientId === bot.clientId).at(-1)
  await t.app.inject({
    ...{ method: 'DELETE', headers: t.asAdmin },
    url: `/api/admin/queue/mx/${entry?.id}?reason=too%20old`,
  })
  const dropped = await last
  expect(idOf(dropped)).toBe(entry?.requestId)
  const life = await lifeOf(t, idOf(dropped))
  expect(entry).toMatchObject({ clientOrderId: 'last-42', orderId: null })
  expect(typesOf(life)).toEqual(['received', 'checked', 'queued', 'settled', 'responded'])
  expect(eventOf(life, 'queued')).toMatchObject({ ahead: 3, waiting: { order: 3 }, own: 1 })
  expect(eventOf(life, 'settled')).toMatchObject({ state: 'dropped', code: dropped.json().code })
  expect(dropped.json().message).toContain('too old')
  await Promise.all(waiting)
})

test('an order that its client withdrew says so', async () => {
  const t = await testApp({ env: { RATE_LIMIT_PER_SECOND: '1' } })
  const bot = await botOf(t)
  await place(bot)
  const queued = await place(bot, { prefer: 'respond-async' })
  expect(queued.statusCode).toBe(202)
  await t.app.inject({
    ...{ method: 'DELETE', headers: bot.headers, url: `${queued.headers.location}` },
  })
  const life = await lifeOf(t, idOf(queued))
  expect(eventOf(life, 'responded')).toMatchObject({ status: 202 })
  expect(eventOf(life, 'settled')).toMatchObject({ state: 'dropped', code: 'REQUEST_WITHDRAWN' })
})

test('an order that the rate limit turned away has both attempts', async () => {
  const t = await testApp()
  const bot = await botOf(t)
  await place(bot)
  t.paper.faults.add({ kind: '510', match: { method: 'POST' } })
  const placed = await place(bot)
  expect(placed.statusCode).toBe(200)
  expect(typesOf(await lifeOf(t, idOf(placed)))).toEqual([
    ...['received', 'checked', 'queued'],
    ...['slot', 'signed', 'sent', 'answered', 'turned-away'],
    ...['slot', 'signed', 'sent', 'answered', 'settled', 'responded'],
  ])
})

test('a stop that cancels an order is in the lives of both', async () => {
  const t = await testApp()
  const bot = await botOf(t)
  const placed = await place(bot)
  const { id } = (
    await t.app.inject({ url: '/api/admin/client-credentials', headers: t.asAdmin })
  ).json()[0]
  await t.app.inject({
    ...{ method: 'POST', url: `/api/admin/client-credentials/${id}/stop`, headers: t.asAdmin },
    payload: { reason: 'loses money', cancelOrders: true },
  })
  const life = await lifeOf(t, idOf(placed))
  expect(life.mayBeOpen).toBe(false)
  const cancel = eventOf(life, 'related')
  expect(cancel).toMatchObject({ reason: 'loses money', state: 'answered' })
  const cancelLife = await lifeOf(t, cancel?.requestId ?? '')
  expect(eventOf(cancelLife, 'received')).toMatchObject({ reason: 'loses money' })
  expect(eventOf(cancelLife, 'related')).toMatchObject({ requestId: life.id })
  // No bot asked for it.
  expect(eventOf(cancelLife, 'responded')).toBeUndefined()
})

test('an order that was found filled says so', async () => {
  const t = await testApp()
  const bot = await botOf(t)
  const placed = await place(bot)
  t.paper.setPrice('BTCUSDT', '49000')
  t.paper.tick()
  const { id } = (
    await t.app.inject({ url: '/api/admin/client-credentials', headers: t.asAdmin })
  ).json()[0]
  await t.app.inject({
    ...{ method: 'POST', url: `/api/admin/client-credentials/${id}/stop`, headers: t.asAdmin },
    payload: { reason: 'end of day', cancelOrders: true },
  })
  const life = await lifeOf(t, idOf(placed))
  expect(life.mayBeOpen).toBe(false)
  expect(typesOf(life).at(-1)).toBe('ended')
  const endedMs = Date.parse(eventOf(life, 'ended')?.at ?? '')
  expect(endedMs).toBeGreaterThanOrEqual(Date.parse(eventOf(life, 'responded')?.at ?? ''))
})

test('a lost batch lists the look-up of each of its orders', async () => {
  const t = await testApp()
  const bot = await botOf(t)
  const entries = ['a-1', 'a-2'].map((newClientOrderId) => ({
    ...{ symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', price: '50000', quantity: '0.01' },
    newClientOrderId,
  }))
  const query = `?batchOrders=${encodeURIComponent(JSON.stringify(entries))}`
  t.paper.faults.add({ kind: 'reset-after', match: { method: 'POST' } })
  const placed = await bot.post(`/mx/api/v3/batchOrders${query}`, '')
  expect(placed.statusCode).toBe(200)
  const life = await lifeOf(t, idOf(placed))
  expect(life.state).toBe('resolved')
  const found = life.events.filter((event) => event.found === 'found')
  expect(found).toHaveLength(2)
  expect(life.response?.body).toBe(placed.body)
})

test('a request that is no order is not found', async () => {
  const t = await testApp()
  const read = await t.app.inject({
    url: urlOf(getOrderLife, { params: { id: 'no-such' } }),
    headers: t.asAdmin,
  })
  expect(read.statusCode).toBe(404)
  expect(read.json()).toMatchObject({ code: 'ORDER_NOT_FOUND' })
})
