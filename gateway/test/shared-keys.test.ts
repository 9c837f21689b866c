import { changeClientLimits, deleteApiKey, toggleClient } from 'schema'
import { beforeEach, expect, test } from 'vitest'
import { type TestApp, type TestClient, testApp } from './app.ts'
import { ownErrorOf } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { createSetTime } from './support/set-time.ts'
import { keysOf, storeKeys } from './support/share-keys.ts'
import { sharedApp } from './support/shared-app.ts'

// Several clients with the key of one account: none of them reaches the others' orders by a call
// that names none.

type Exchange = 'mx' | 'bg'
interface Call {
  readonly method?: 'POST' | 'DELETE'
  readonly url: string
  readonly body?: unknown
}

const shared = sharedApp()
let t: TestApp
let one: TestClient
let two: TestClient
beforeEach(async () => {
  t = shared()
  // Closing everything needs `settings`.
  const permissions = ['market', 'account', 'trade', 'settings'] as const
  one = await t.client(undefined, { permissions })
  two = await t.client(undefined, { permissions })
  t.paper.clearReceived()
})

function send(from: TestClient, { method = 'POST', url, body }: Call, key?: string) {
  return t.app.inject({
    method,
    url,
    headers: {
      ...from.headers,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  })
}

/** Stores the keys of one client for another one too. */
const share = (from: TestClient, { clientId }: TestClient, exchange: Exchange) =>
  storeKeys({ call: t.call, clientId }, exchange, keysOf(from, exchange))

const exchangeOf = ({ url }: Call): Exchange => (url.startsWith('/bg') ? 'bg' : 'mx')
const arrived = ({ url }: Call) =>
  t.paper.received({ path: url.replace(/^\/(mx|bg)\b/, '').replace(/\?.*/, '') })

const FUTURES = '/mx/api/v1/private'
const SPOT = '/bg/api/v2/spot/trade'
const MIX = '/bg/api/v2/mix/order'
const UNIFIED = '/bg/api/v3/trade'
const product = { symbol: 'BTCUSDT', productType: 'USDT-FUTURES' }

/** What is refused: none of it says which part of it is the client's own. */
const WIDE: readonly Call[] = [
  { url: `${FUTURES}/stoporder/cancel_all`, body: { symbol: 'BTC_USDT', positionId: '1' } },
  { url: `${FUTURES}/trackorder/cancel`, body: { symbol: 'BTC_USDT' } },
  { url: `${MIX}/cancel-plan-order`, body: { ...product, planType: 'profit_loss' } },
  { url: `${MIX}/batch-cancel-orders`, body: { ...product, orderIdList: [] } },
  { url: `${UNIFIED}/countdown-cancel-all`, body: { countdown: '30' } },
  { url: `${UNIFIED}/countdown-cancel-all`, body: { countdown: '0' } },
]

test.each(WIDE)('$method $url $body is sent only for the account of one client', async (call) => {
  await send(one, call)
  expect(arrived(call)).toHaveLength(1)
  await share(one, two, exchangeOf(call))
  for (const client of [one, two]) {
    const rejected = await send(client, call)
    expect(rejected.statusCode).toBe(409)
    expect(ownErrorOf(rejected.json())).toMatchObject({
      ...{ statusCode: 409, code: 'ACCOUNT_SHARED', outcome: 'not-sent', retryable: false },
      message: expect.stringContaining('by their ids'),
    })
    for (const { clientId } of [one, two]) expect(rejected.body).not.toContain(clientId)
  }
  expect(arrived(call)).toHaveLength(1)
})

const NAMED: readonly Call[] = [
  { method: 'DELETE', url: '/mx/api/v3/order?symbol=BTCUSDT&orderId=1' },
  { url: `${FUTURES}/order/cancel`, body: ['1', '2'] },
  { url: `${FUTURES}/stoporder/cancel`, body: [{ stopPlanOrderId: 1 }] },
  { url: `${SPOT}/cancel-order`, body: { symbol: 'BTCUSDT', orderId: '1' } },
  { url: `${SPOT}/cancel-plan-order`, body: { orderId: '1' } },
  { url: `${MIX}/batch-cancel-orders`, body: { ...product, orderIdList: [{ orderId: '1' }] } },
  { url: `${MIX}/cancel-plan-order`, body: { ...product, orderIdList: [{ orderId: '1' }] } },
  { url: `${UNIFIED}/cancel-batch`, body: [{ category: 'SPOT', orderId: '1' }] },
]

test.each(NAMED)(
  '$method $url $body is sent for whom may touch orders placed by hand',
  async (call) => {
    await share(one, two, exchangeOf(call))
    const params = { id: two.id }
    const limits = await t.call(changeClientLimits, { params, body: { manageForeign: true } })
    expect(limits.status).toBe(200)
    const refused = await send(one, call)
    expect(refused.statusCode).toBe(403)
    expect(ownErrorOf(refused.json())).toMatchObject({ code: 'ORDER_NOT_OWN', outcome: 'not-sent' })
    const { code } = (await send(two, call)).json()
    expect(['ACCOUNT_SHARED', 'ORDER_NOT_OWN']).not.toContain(code)
    expect(arrived(call)).toHaveLength(1)
  },
)

const wideCall: Call = { url: `${FUTURES}/trackorder/cancel`, body: { symbol: 'BTC_USDT' } }

test('a disabled client counts, until its keys are deleted; then the same key is free', async () => {
  await share(one, two, 'mx')
  const params = { id: two.id }
  const disabled = await t.call(toggleClient, { params, body: { isActive: false } })
  expect(disabled.status).toBe(200)
  expect(ownErrorOf((await send(one, wideCall, 'once')).json()).code).toBe('ACCOUNT_SHARED')
  const ofTwo = { params: { clientId: two.clientId, exchange: 'mx' } } as const
  expect((await t.call(deleteApiKey, ofTwo)).status).toBe(204)
  expect((await send(one, wideCall, 'once')).statusCode).toBe(200)
})

test('a retry of a call that was sent before the key was shared gets its response', async () => {
  const first = await send(one, wideCall, 'early')
  expect(first.statusCode).toBe(200)
  await share(one, two, 'mx')
  const again = await send(one, wideCall, 'early')
  expect(again.headers['idempotency-replayed']).toBe('true')
  expect(again.body).toBe(first.body)
  expect(arrived(wideCall)).toHaveLength(1)
})

test('a key that is shared at the other exchange alone changes nothing', async () => {
  await share(one, two, 'bg')
  expect((await send(one, wideCall)).statusCode).toBe(200)
})

test('with respond-async the rejection comes at once, or is the outcome of the request', async () => {
  await share(one, two, 'mx')
  const rejected = await t.app.inject({
    ...{ method: 'POST', url: wideCall.url, payload: { symbol: 'BTC_USDT' } },
    headers: { ...one.headers, prefer: 'respond-async' },
  })
  // To find out takes a moment where the database is a server.
  if (process.env.TEST_DATABASE !== 'postgres')
    return expect(ownErrorOf(rejected.json()).code).toBe('ACCOUNT_SHARED')
  await eventually(async () => {
    const url = `/api/requests/${rejected.headers['x-request-id']}`
    const read = await t.app.inject({ url, headers: one.headers })
    expect(read.json().answer?.body).toMatchObject({ code: 'ACCOUNT_SHARED' })
  })
})

test('a queued call is not sent once another client has the key', async () => {
  // It moves only when this test moves it, so the second call waits until the key is shared.
  const time = createSetTime()
  t = await testApp({ env: { RATE_LIMIT_PER_SECOND: '0.7' }, time })
  one = await t.client()
  two = await t.client()
  const ended: number[] = []
  const call = () => send(one, wideCall).finally(() => ended.push(1))
  const untilEnded = (count: number) => time.passUntil(() => expect(ended).toHaveLength(count))
  void call()
  await untilEnded(1)
  const waiting = call()
  await eventually(async () => {
    const queue = await t.app.inject({ url: '/api/admin/queue', headers: t.asAdmin })
    expect(queue.json()).toHaveLength(1)
  })
  await share(one, two, 'mx')
  await untilEnded(2)
  expect(ownErrorOf((await waiting).json())).toMatchObject({
    code: 'ACCOUNT_SHARED',
    outcome: 'not-sent',
  })
  expect(arrived(wideCall)).toHaveLength(1)
})
