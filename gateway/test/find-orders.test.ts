import { type InputOf, listOrders, mxCancelOrder, mxSubmitOrder } from 'schema'
import { beforeEach, expect, test } from 'vitest'
import { type Bot, botOf } from './support/bot-of.ts'
import { eventually } from './support/eventually.ts'
import { place } from './support/place.ts'
import { sharedApp } from './support/shared-app.ts'

const shared = sharedApp({ app: { reconcile: { callerPausesMs: [0], backgroundPausesMs: [50] } } })
let bot: Bot
beforeEach(async () => {
  bot = await botOf(shared())
})

const list = (query: InputOf<typeof listOrders>['query'] = {}) =>
  shared().call(listOrders, { query })
const found = async (find: string) => (await list({ find })).body

test('an order is found by its request id, client order id, order id and idempotency key', async () => {
  const other = await place(bot, bot)
  const placed = await place(bot, bot, 'grid 7')
  const id = `${placed.headers['x-request-id']}`
  const { orderId } = placed.json()
  const [order] = await found(id)
  expect(order).toMatchObject({
    ...{ id, orderId, exchange: 'mx', clientId: bot.clientId, state: 'answered' },
    ...{ method: 'POST', endpoint: mxSubmitOrder.path, lookups: 0, canBeLookedUp: true },
    clientOrderId: expect.stringMatching(/^sl-/),
  })
  for (const find of [orderId, order?.clientOrderId, 'grid 7']) {
    const { body, headers } = await list({ find })
    expect(body, find).toEqual([order])
    expect(headers['x-kept-days']).toBe('30')
  }
  const newest = (await list()).body.slice(0, 2)
  expect(newest).toMatchObject([{ id }, { id: other.headers['x-request-id'] }])
  for (const find of ['grid', 'GRID 7', `${orderId}0`]) expect(await found(find)).toEqual([])
})

test('the order and its cancel have the same order id: both are found, the newest first', async () => {
  const { orderId } = (await place(bot, bot)).json()
  const body = { symbol: 'BTC_USDT', orderId }
  expect((await bot.call(mxCancelOrder, { body }, bot)).status).toBe(200)
  const endpoints = (await found(orderId)).map(({ endpoint }) => endpoint)
  expect(endpoints).toEqual([mxCancelOrder.path, mxSubmitOrder.path])
})

test('each order of a batch is found by its own ids', async () => {
  const entries = ['a-1', 'a-2', 'a-3'].map((newClientOrderId) => ({
    ...{ symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', price: '50000', quantity: '0.01' },
    newClientOrderId,
  }))
  const query = `?batchOrders=${encodeURIComponent(JSON.stringify(entries))}`
  const placed = await bot.post(`/mx/api/v3/batchOrders${query}`, '')
  const ids = placed.json().map(({ orderId }: { orderId: string }) => orderId)
  expect(ids).toHaveLength(3)
  for (const find of ['a-1', 'a-2', 'a-3', ...ids])
    expect(await found(find), find).toMatchObject([{ id: placed.headers['x-request-id'] }])
})

test('a key that is free again still leads to the order that was not sent', async () => {
  await bot.admin('POST', '/exchanges/mx/stop', { reason: 'a pause' })
  const dropped = await place(bot, bot, 'free')
  expect(dropped.json()).toMatchObject({ outcome: 'not-sent' })
  expect(await found('free')).toMatchObject([
    { id: dropped.headers['x-request-id'], state: 'dropped' },
  ])
  await bot.admin('POST', '/exchanges/mx/resume')
})

test('orders are listed as unknown until their outcome is known', async () => {
  await place(bot, bot)
  const unknown = async () => (await list({ state: 'unknown' })).body
  // The caller's look-up finds nothing while the exchange fails.
  bot.paper.faults.add({ kind: 'reset-after', match: { method: 'POST' } })
  bot.paper.faults.add({ kind: '5xx', times: 0, match: { path: '/api/v1/private/order/*' } })
  const lost = await place(bot, bot)
  expect(lost.json()).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  expect(await unknown()).toMatchObject([
    { id: lost.headers['x-request-id'], state: 'unknown', canBeLookedUp: true },
  ])
  bot.paper.faults.clear()
  await eventually(async () => expect(await unknown()).toEqual([]))
  const [known] = await found(`${lost.headers['x-request-id']}`)
  expect(known).toMatchObject({ state: 'resolved', filled: '0', averagePrice: null })
})
