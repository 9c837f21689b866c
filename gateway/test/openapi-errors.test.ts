import type { LightMyRequestResponse } from 'fastify'
import {
  cancelOwnOrders,
  ERROR_RESPONSES,
  mxCancelOrder,
  mxSubmitOrder,
  OWN_ERROR_SAMPLES,
  rawCalls,
  stopExchange,
  urlOf,
  withdrawRequest,
} from 'schema'
import { expect, test } from 'vitest'
import { type TestClientOptions, testApp } from './app.ts'
import { botOf } from './support/bot-of.ts'
import { createSetTime } from './support/set-time.ts'
import { sharedApp } from './support/shared-app.ts'

const time = createSetTime()
const shared = sharedApp({ time })
const ORDER = mxSubmitOrder.sample.body
const PLACING = { exchange: 'mx', path: '/api/v1/private/order/*' } as const

/** Places an order as a bot of its own, which the exchange has not seen yet. */
async function placeAsNew(options: TestClientOptions = {}, order: object = ORDER) {
  const bot = await botOf(shared(), options)
  return time.fly(bot.post(mxSubmitOrder.path, order))
}

test('the calls of raw routes in OpenAPI work as they are shown', async () => {
  for (const call of rawCalls) {
    const { query = {}, body = '' } = call.sample ?? {}
    const bot = await botOf(shared(), { unified: call.path.startsWith('/bg/api/v3/') })
    const response = await time.fly(bot.post(urlOf(call, { query }), Object(body)))
    expect([call.id, response.statusCode, response.body]).toEqual([call.id, 200, expect.anything()])
    expect(bot.orders(call.proxy?.exchange ?? 'mx'), call.id).toHaveLength(1)
  }
})

/** Without what differs each time: ids of requests, and those that the gateway gives to orders. */
const withoutIds = (text: string) =>
  text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'request-id')
    .replaceAll(/sl-[\w-]{24}/g, 'client-order-id')

/** A bot with few requests left, within a minute whose rest the error names. */
async function hurriedBot() {
  const nowMs = Date.now()
  const set = createSetTime({ nowMs: nowMs - (nowMs % 60_000) + 37_000 })
  return botOf(await testApp({ env: { CLIENT_REQUESTS_PER_MINUTE: '20' }, time: set }))
}

/** Of raw routes there are two samples of their own, within the exchange's form. */
test('the samples of raw routes are what the gateway sends there', async () => {
  const bot = await hurriedBot()
  const placeRaw = (headers = {}) => bot.post('/mx/api/v1/private/order/create', ORDER, headers)
  const samples = [ERROR_RESPONSES[400].rawSample, ERROR_RESPONSES[429].rawSample]
  const refused = await placeRaw({ 'idempotency-key': '' })
  for (let n = 1; n < 20; n += 1) await bot.get('/mx/api/v1/contract/ping')
  const next = await placeRaw()
  for (const [index, { body }] of [refused, next].entries())
    expect(JSON.parse(withoutIds(body)).sluice).toEqual(
      JSON.parse(withoutIds(JSON.stringify(samples[index]))),
    )
  expect(next.headers['retry-after']).toBeDefined()
})

test('the samples of a cancel of everything and of a withdrawal are what the gateway sends', async () => {
  const t = shared()
  const expired = await botOf(t)
  await time.advance(601_000)
  const bot = await botOf(t)
  const reader = await botOf(t, { permissions: ['market'] })
  const hurried = await hurriedBot()
  await reader.limit({ allowedIps: ['198.51.100.7'] })
  const send = ({ app, headers }: typeof bot, url: string, remoteAddress = '198.51.100.7') =>
    app.inject({ method: 'DELETE', url, headers, remoteAddress })
  const withdrawalOf = (id: unknown) => urlOf(withdrawRequest, { params: { id: `${id}` } })
  const placed = await time.fly(bot.post(mxSubmitOrder.path, ORDER))
  const all = cancelOwnOrders.path
  const one = withdrawalOf('0f6ad51b-2f0f-4f5a-9d55-6f1f0c7e9a10')
  for (let n = 0; n < 20; n += 1) await send(hurried, one)
  const responses: Record<string, Record<number, LightMyRequestResponse>> = {
    cancelOwnOrders: {
      400: await send(bot, `${all}?symbol=${'B'.repeat(61)}`),
      401: await send(expired, all),
      403: await send(reader, all),
      429: await send(hurried, all),
    },
    withdrawRequest: {
      400: await send(bot, withdrawalOf('0'.repeat(65))),
      401: await send(expired, one),
      403: await send(reader, one, '203.0.113.7'),
      404: await send(bot, one),
      409: await send(bot, withdrawalOf(placed.headers['x-request-id'])),
      429: await send(hurried, one),
    },
  }
  for (const [id, samples] of Object.entries(OWN_ERROR_SAMPLES))
    for (const [status, sample] of Object.entries(samples)) {
      const { statusCode, body } = Object(responses[id]?.[Number(status)])
      expect([id, `${statusCode}`, JSON.parse(withoutIds(body))]).toEqual([
        ...[id, status, JSON.parse(withoutIds(JSON.stringify(sample)))],
      ])
    }
})

test('the samples of errors in OpenAPI are what the gateway sends to an order', async () => {
  const t = shared()
  const { faults } = t.paper
  const expired = await botOf(t)
  await time.advance(601_000)
  const { symbol: _symbol, ...incomplete } = ORDER
  const limited = await botOf(t)
  await limited.limit({ maxOrderValue: '500' })
  const doubtful = await botOf(t)
  const key = { 'idempotency-key': 'order-1' }
  faults.add({ kind: 'reset-before', match: { ...PLACING, method: 'POST' } })
  const responses: Record<number, LightMyRequestResponse> = {
    400: await placeAsNew({}, incomplete),
    401: await expired.post(mxSubmitOrder.path, ORDER),
    403: await placeAsNew({ permissions: ['market', 'account'] }),
    422: await limited.post(mxSubmitOrder.path, ORDER),
    504: await time.fly(doubtful.post(mxSubmitOrder.path, ORDER, key)),
    409: await time.fly(doubtful.post(mxSubmitOrder.path, ORDER)),
    404: await time.fly(doubtful.post(mxCancelOrder.path, { symbol: 'BTC_USDT', orderId: '1' })),
  }
  faults.clear()
  const steps = { stepMs: 1_000 }
  responses[502] = await time.passUntil(async () => {
    const again = await doubtful.post(mxSubmitOrder.path, ORDER, key)
    expect(again.statusCode).toBe(502)
    return again
  }, steps)
  faults.add({ kind: '429', match: { ...PLACING, method: 'POST' }, times: 0 })
  responses[429] = await placeAsNew()
  faults.clear()
  await t.call(stopExchange, { params: { exchange: 'mx' }, body: { reason: 'maintenance' } })
  responses[503] = await placeAsNew()

  for (const [status, { sample }] of Object.entries(ERROR_RESPONSES)) {
    const response = responses[Number(status)]
    expect(JSON.parse(withoutIds(`${response?.body}`))).toEqual(
      JSON.parse(withoutIds(JSON.stringify(sample))),
    )
  }
  expect(responses[429]?.headers['retry-after']).toBe('10')
  expect(responses[503]?.headers['retry-after']).toBe('60')
  expect(responses[409]?.headers.location).toBe(responses[502]?.headers.location)
  expect(responses[502]?.headers['idempotency-replayed']).toBe('true')
})
