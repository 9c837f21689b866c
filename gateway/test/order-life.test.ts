import {
  dropQueueEntry,
  getOrderLife,
  mxSubmitOrder,
  type OrderEvent,
  type OrderLife,
  type QueueEntry,
  withdrawRequest,
} from 'schema'
import { beforeEach, expect, test } from 'vitest'

import { testApp } from './app.ts'
import { type Bot, botOf } from './support/bot-of.ts'
import { eventually } from './support/eventually.ts'
import { createSetTime } from './support/set-time.ts'
import { sharedApp } from './support/shared-app.ts'

const ORDER = { symbol: 'BTC_USDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

const time = createSetTime()
// Some orders here stay unknown. Looked up again and again, they would use up the exchange's rate,
// and the orders of later tests would wait for a clock that does not move.
const reconcile = { callerPausesMs: [0], backgroundPausesMs: [50, 50, 50, 86_400_000] }
const shared = sharedApp({ time, app: { reconcile } })
let bot: Bot
beforeEach(async () => {
  shared().paper.faults.clear()
  // The pauses that a rate limit brought are over.
  await time.advance(60_000)
  bot = await botOf(shared())
})

async function lifeOf({ call }: Bot, id: string): Promise<OrderLife> {
  const { status, body } = await call(getOrderLife, { params: { id } })
  expect(status).toBe(200)
  return body
}

const place = (who: Bot, more: Record<string, string> = {}) =>
  who.post(mxSubmitOrder.path, ORDER, more)
const idOf = ({ headers }: { headers: Record<string, unknown> }) => `${headers['x-request-id']}`
const typesOf = ({ events }: OrderLife) => events.map(({ type }) => type)
const eventOf = ({ events }: OrderLife, type: OrderEvent['type']) =>
  events.find((event) => event.type === type)

const SENT_AND_ANSWERED = [
  ...['received', 'checked', 'queued', 'slot', 'signed', 'sent', 'answered'],
  ...['settled', 'responded'],
]

test('an order has every step of its way, its response byte for byte, and its log row', async () => {
  const placed = await place(bot, { 'idempotency-key': 'k-1' })
  const life = await lifeOf(bot, idOf(placed))
  expect(typesOf(life)).toEqual(SENT_AND_ANSWERED)
  expect(eventOf(life, 'queued')).toMatchObject({ ahead: 0, waiting: {}, own: 0 })
  expect(eventOf(life, 'slot')?.waitedMs).toBeGreaterThanOrEqual(0)
  // The signature has the exchange's time, which the paper exchange checks.
  const signed = Date.parse(eventOf(life, 'signed')?.exchangeTime ?? '')
  expect(Math.abs(signed - time.now())).toBeLessThan(1_000)
  expect(eventOf(life, 'answered')).toMatchObject({ status: 200, tookMs: expect.any(Number) })
  expect(eventOf(life, 'settled')).toMatchObject({ state: 'answered', status: 200 })
  expect(eventOf(life, 'responded')).toMatchObject({ status: 200, tookMs: expect.any(Number) })
  expect(life).toMatchObject({
    ...{ clientId: bot.clientId, idempotencyKey: 'k-1', mayBeOpen: true },
    keys: { note: null, isStored: true },
    response: { statusCode: 200, body: placed.body },
  })
  const logged = await bot.app.inject({ url: '/api/logs', headers: bot.asAdmin })
  const rows = logged.json().filter((row: { requestId: string }) => row.requestId === life.id)
  expect(life.logIds).toEqual(rows.map(({ id }: { id: number }) => id))
  expect(life.logIds).toHaveLength(1)
})

test('an order that the exchange rejected says so, and with which words', async () => {
  const order = { ...ORDER, quantity: '30', leverage: 1, openType: 'isolated' }
  const rejected = await bot.post(mxSubmitOrder.path, order)
  expect(rejected.statusCode).toBe(422)
  const life = await lifeOf(bot, idOf(rejected))
  const { code } = rejected.json()
  expect(life.state).toBe('refused')
  expect(eventOf(life, 'settled')).toMatchObject({ state: 'refused', status: 422, code })
  expect(eventOf(life, 'responded')).toMatchObject({ status: 422, code })
  expect(life.response?.body).toBe(rejected.body)
})

test('what is refused before it is sent has no slot', async () => {
  const invalid = await bot.post(mxSubmitOrder.path, { ...ORDER, price: '0.123' })
  const life = await lifeOf(bot, idOf(invalid))
  expect(typesOf(life)).toEqual(['received', 'settled', 'responded'])
  expect(eventOf(life, 'settled')).toMatchObject({ state: 'dropped', code: 'ORDER_INVALID' })
})

test('a lost response is unknown, looked up and found, and the bot gets the outcome', async () => {
  bot.paper.faults.add({ kind: 'reset-after', match: { method: 'POST' } })
  const found = await place(bot)
  expect(found.statusCode).toBe(200)
  const life = await lifeOf(bot, idOf(found))
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

test('look-ups that fail are listed while they continue, from memory and from the journal', async () => {
  await place(bot)
  bot.paper.faults.add({ kind: 'reset-before', match: { method: 'POST' } })
  bot.paper.faults.add({ kind: 'garbage', times: 0, match: { path: '/api/v1/private/order/*' } })
  const lost = await place(bot)
  expect(lost.statusCode).toBe(504)
  const lookups = async () => {
    const life = await lifeOf(bot, idOf(lost))
    expect(life.state).toBe('unknown')
    return life.events.filter(({ type }) => type === 'lookup')
  }
  await eventually(async () => expect((await lookups()).length).toBeGreaterThan(2))
  expect(await lookups()).toContainEqual(expect.objectContaining({ found: 'unclear' }))
  const life = await lifeOf(bot, idOf(lost))
  expect(eventOf(life, 'responded')).toMatchObject({ status: 504, code: 'OUTCOME_UNKNOWN' })
  expect(life.response).toBeNull()
})

/** A bot whose next order has to wait for its slot: no time passes any more. */
async function busyBot(): Promise<Bot> {
  const slow = createSetTime()
  const bot = await botOf(await testApp({ time: slow, env: { RATE_LIMIT_PER_SECOND: '1' } }))
  await slow.during(place(bot))
  return bot
}

test('a queued order says behind whom it waits, and who dropped it', async () => {
  const bot = await busyBot()
  const other = await botOf(bot)
  const queue = () => bot.admin('GET', '/queue')
  void [place(other), place(other)]
  await eventually(async () => expect(await queue()).toHaveLength(2))
  void place(bot)
  await eventually(async () => expect(await queue()).toHaveLength(3))
  const last = bot.post(mxSubmitOrder.path, { ...ORDER, clientOrderId: 'last-42' })
  await eventually(async () => expect(await queue()).toHaveLength(4))
  const entries: QueueEntry[] = await queue()
  const entry = entries.filter(({ clientId }) => clientId === bot.clientId).at(-1)
  const params = { exchange: 'mx', id: entry?.id ?? '' } as const
  await bot.call(dropQueueEntry, { params, query: { reason: 'too old' } })
  const dropped = await last
  expect(idOf(dropped)).toBe(entry?.requestId)
  const life = await lifeOf(bot, idOf(dropped))
  expect(entry).toMatchObject({ clientOrderId: 'last-42', orderId: null })
  expect(typesOf(life)).toEqual(['received', 'checked', 'queued', 'settled', 'responded'])
  expect(eventOf(life, 'queued')).toMatchObject({ ahead: 3, waiting: { order: 3 }, own: 1 })
  expect(eventOf(life, 'settled')).toMatchObject({ state: 'dropped', code: dropped.json().code })
  expect(dropped.json().message).toContain('too old')
})

test('an order that its client withdrew says so', async () => {
  const bot = await busyBot()
  const queued = await place(bot, { prefer: 'respond-async' })
  expect(queued.statusCode).toBe(202)
  await bot.call(withdrawRequest, { params: { id: idOf(queued) } }, bot)
  const life = await lifeOf(bot, idOf(queued))
  expect(eventOf(life, 'responded')).toMatchObject({ status: 202 })
  expect(eventOf(life, 'settled')).toMatchObject({ state: 'dropped', code: 'REQUEST_WITHDRAWN' })
})

test('an order that the rate limit turned away has both attempts', async () => {
  await place(bot)
  bot.paper.faults.add({ kind: '510', match: { method: 'POST' } })
  const placed = await time.during(place(bot))
  expect(placed.statusCode).toBe(200)
  expect(typesOf(await lifeOf(bot, idOf(placed)))).toEqual([
    ...['received', 'checked', 'queued'],
    ...['slot', 'signed', 'sent', 'answered', 'turned-away'],
    ...['slot', 'signed', 'sent', 'answered', 'settled', 'responded'],
  ])
})

/** Time passes for its pauses. */
const stop = (reason: string) =>
  time.during(
    bot.admin('POST', `/client-credentials/${bot.id}/stop`, { reason, cancelOrders: true }),
  )

test('a stop that cancels an order is in the lives of both', async () => {
  const placed = await place(bot)
  await stop('loses money')
  const life = await lifeOf(bot, idOf(placed))
  expect(life.mayBeOpen).toBe(false)
  const cancel = eventOf(life, 'related')
  expect(cancel).toMatchObject({ reason: 'loses money', state: 'answered' })
  const cancelLife = await lifeOf(bot, cancel?.requestId ?? '')
  expect(eventOf(cancelLife, 'received')).toMatchObject({ reason: 'loses money' })
  expect(eventOf(cancelLife, 'related')).toMatchObject({ requestId: life.id })
  // No bot asked for it.
  expect(eventOf(cancelLife, 'responded')).toBeUndefined()
})

test('an order of another symbol with the same id is not taken for it', async () => {
  const path = '/api/v1/private/order/create'
  const order = { vol: 10, side: 1, type: 1, openType: 2, leverage: 1, externalOid: 'z' }
  await bot.post(`/mx${path}`, { ...order, symbol: 'BTC_USDT', price: 50000 })
  bot.paper.faults.add({ kind: 'reset-before', match: { path } })
  const lost = await bot.post(`/mx${path}`, { ...order, symbol: 'ETH_USDT', price: 2000 })
  const life = await lifeOf(bot, idOf(lost))
  expect(life).toMatchObject({ state: 'unknown', clientOrderId: 'z', mayBeOpen: false })
  expect(eventOf(life, 'related')).toBeUndefined()
})

test('an order that was found filled says so', async () => {
  const placed = await place(bot)
  bot.paper.setPrice('BTCUSDT', '49000')
  bot.paper.tick()
  await stop('end of day')
  const life = await lifeOf(bot, idOf(placed))
  expect(life.mayBeOpen).toBe(false)
  expect(typesOf(life).at(-1)).toBe('ended')
  const endedMs = Date.parse(eventOf(life, 'ended')?.at ?? '')
  expect(endedMs).toBeGreaterThanOrEqual(Date.parse(eventOf(life, 'responded')?.at ?? ''))
})

test('a lost batch lists the look-up of each of its orders', async () => {
  const entries = ['a-1', 'a-2'].map((newClientOrderId) => ({
    ...{ symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', price: '50000', quantity: '0.01' },
    newClientOrderId,
  }))
  const query = `?batchOrders=${encodeURIComponent(JSON.stringify(entries))}`
  bot.paper.faults.add({ kind: 'reset-after', match: { method: 'POST' } })
  const placed = await bot.post(`/mx/api/v3/batchOrders${query}`, '')
  expect(placed.statusCode).toBe(200)
  const life = await lifeOf(bot, idOf(placed))
  expect(life.state).toBe('resolved')
  const found = life.events.filter((event) => event.found === 'found')
  expect(found).toHaveLength(2)
  expect(life.response?.body).toBe(placed.body)
})

test('a request that is no order is not found', async () => {
  const read = await bot.call(getOrderLife, { params: { id: 'no-such' } })
  expect(read).toMatchObject({ status: 404, body: { code: 'ORDER_NOT_FOUND' } })
})
