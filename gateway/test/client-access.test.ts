import {
  changeClientLimits,
  getOwnLimits,
  getToken,
  type InputOf,
  listLogs,
  listQueue,
  mxCancelOrder,
  mxSubmitOrder,
  oauthToken,
} from 'schema'
import { expect, test } from 'vitest'
import { type TestApp, testApp } from './app.ts'
import { ownErrorOf } from './support/call.ts'
import { clockAt } from './support/clock-at.ts'
import { heldExchange } from './support/held-exchange.ts'
import { scrape } from './support/metrics.ts'
import { sharedApp } from './support/shared-app.ts'

const HERE = '198.51.100.7'
const ELSEWHERE = '203.0.113.9'
const HOUR_MS = 3_600_000

/** A new client, which comes from an address. */
async function caller<T extends TestApp>(t: T, name?: string) {
  const { id, headers, clientId, clientSecret } = await t.client(name)
  const credentials = { grant_type: 'client_credentials', client_id: clientId }
  return {
    ...t,
    headers,
    limit: (body: InputOf<typeof changeClientLimits>['body']) =>
      t.call(changeClientLimits, { params: { id }, body }),
    tokenFrom: (remoteAddress = HERE) =>
      t.call(getToken, { body: { clientId, clientSecret } }, { headers: {}, remoteAddress }),
    oauthFrom: (remoteAddress = HERE) =>
      t.call(
        oauthToken,
        { body: { ...credentials, client_secret: clientSecret } },
        { headers: {}, remoteAddress },
      ),
    ownLimits: (remoteAddress = '127.0.0.1') =>
      t.call(getOwnLimits, {}, { headers, remoteAddress }),
    send: ([, request]: (typeof REQUESTS)[number], remoteAddress = HERE) =>
      t.app.inject({ ...request, headers, remoteAddress }),
  }
}
type Caller = Awaited<ReturnType<typeof caller>>

/** Each kind of request is refused, and nothing of them is sent. */
async function expectRefused({ send, paper }: Caller, expected: object, address = HERE) {
  for (const request of REQUESTS)
    expect(ownErrorOf((await send(request, address)).json()), request[0]).toMatchObject({
      ...{ ...expected, outcome: 'not-sent', retryable: false },
    })
  expect(paper.received()).toEqual([])
}

const shared = sharedApp()

const ORDER = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', quantity: '0.01', price: '50000' }

/** A client's requests to an exchange. */
const REQUESTS = [
  ['an order', { method: 'POST', url: mxSubmitOrder.path, payload: ORDER }],
  [
    'a cancel',
    { method: 'POST', url: mxCancelOrder.path, payload: { symbol: 'BTCUSDT', orderId: '1' } },
  ],
  ['a price', { method: 'GET', url: '/api/v3/ticker/price?symbol=BTCUSDT' }],
  ['a drop-in order', { method: 'POST', url: '/mx/api/v3/order?symbol=BTCUSDT&side=BUY' }],
] as const

test('from the time that its limits name, a client gets no token and its token opens nothing', async () => {
  const clock = { laterMs: 0 }
  const nowMs = () => Date.now() + clock.laterMs
  const client = await caller(await testApp({ app: { time: clockAt(nowMs) } }))
  const expiresAt = new Date(nowMs() + 60_000).toISOString()
  await client.limit({ expiresAt })
  expect((await client.tokenFrom()).status).toBe(200)
  expect((await client.ownLimits()).status).toBe(200)

  clock.laterMs = 60_000
  client.paper.clearReceived()
  const expired = { statusCode: 403, code: 'CLIENT_EXPIRED' }
  const { body } = await client.tokenFrom()
  expect(body).toMatchObject({ ...expired, message: expect.stringContaining(expiresAt) })
  expect(body).not.toHaveProperty('outcome')
  const oauth = { error: 'invalid_client', message: body.message }
  expect((await client.oauthFrom()).body).toMatchObject(oauth)
  expect((await client.ownLimits()).body).toMatchObject(expired)
  await expectRefused(client, expired)

  await client.limit({ expiresAt: null })
  expect((await client.send(REQUESTS[2])).statusCode).toBe(200)
})

test('a client may be used from its addresses alone, and the error names the one that was seen', async () => {
  const client = await caller(shared())
  await client.limit({ allowedIps: ['198.51.100.0/24', '2001:db8::/32'] })
  for (const address of [HERE, `::ffff:${HERE}`, '2001:db8::77'])
    expect((await client.tokenFrom(address)).status, address).toBe(200)

  client.paper.clearReceived()
  const forbidden = { statusCode: 403, code: 'ADDRESS_FORBIDDEN' }
  for (const { body, text } of [
    await client.tokenFrom(ELSEWHERE),
    await client.ownLimits(ELSEWHERE),
  ]) {
    expect(body).toMatchObject({ ...forbidden, message: expect.stringContaining(ELSEWHERE) })
    expect(text).not.toContain('198.51.100')
  }
  expect((await client.oauthFrom(ELSEWHERE)).body.error).toBe('invalid_client')
  await expectRefused(client, forbidden, ELSEWHERE)
  expect((await client.send(REQUESTS[2])).statusCode).toBe(200)
})

test('an order with an idempotency key that is refused says nothing of an earlier attempt', async () => {
  const { app, limit, headers } = await caller(shared())
  await limit({ allowedIps: [HERE] })
  const refused = await app.inject({
    ...{ ...REQUESTS[0][1], remoteAddress: ELSEWHERE },
    headers: { ...headers, 'idempotency-key': 'grid-1' },
  })
  expect(refused.json().code).toBe('ADDRESS_FORBIDDEN')
  expect(refused.json()).not.toHaveProperty('outcome')
})

test('behind a trusted proxy the address is the one that it forwards', async () => {
  const { call, limit, headers } = await caller(
    await testApp({ env: { TRUST_PROXY: '127.0.0.1' } }),
  )
  await limit({ allowedIps: [HERE] })
  const from = async (forwarded: string, remoteAddress = '127.0.0.1') => {
    const as = { headers: { ...headers, 'x-forwarded-for': forwarded }, remoteAddress }
    return (await call(getOwnLimits, {}, as)).status
  }
  expect(await from(HERE)).toBe(200)
  expect(await from(`${HERE}:51000`)).toBe(200)
  expect(await from(`[::ffff:${HERE}]:51000`)).toBe(200)
  expect(await from(`${HERE}, ${ELSEWHERE}`)).toBe(403)
  expect(await from(ELSEWHERE)).toBe(403)
  // A machine that is no trusted proxy cannot choose its address.
  expect(await from(HERE, ELSEWHERE)).toBe(403)
})

test('an order that waits is not sent once its client has expired', async () => {
  const clock = { laterMs: 0 }
  const nowMs = () => Date.now() + clock.laterMs
  const t = await caller(await heldExchange({ app: { time: clockAt(nowMs) } }))
  await t.limit({ expiresAt: new Date(nowMs() + HOUR_MS).toISOString() })
  await t.send(REQUESTS[2])
  t.paper.clearReceived()
  t.hold()
  const before = t.send(REQUESTS[2])
  await expect.poll(t.inFlight).toBe(1)
  const waiting = t.send(REQUESTS[0])
  await expect.poll(async () => (await t.call(listQueue)).body.length).toBeGreaterThan(0)
  clock.laterMs = HOUR_MS
  t.release()
  await before
  expect((await waiting).json()).toMatchObject({
    ...{ statusCode: 403, code: 'CLIENT_EXPIRED', outcome: 'not-sent', retryable: false },
  })
  expect(t.paper.received().filter(({ method }) => method === 'POST')).toEqual([])
})

test('in shadow mode nothing is refused, and all that would have been is recorded', async () => {
  const logLines: string[] = []
  const { app, limit, tokenFrom, send } = await caller(await testApp({ logLines }), 'grid-bot')
  await limit({ allowedIps: [ELSEWHERE], mode: 'shadow' })
  expect((await tokenFrom()).status).toBe(200)
  expect((await send(REQUESTS[2])).statusCode).toBe(200)
  await limit({ expiresAt: '2020-01-01T00:00:00Z' })
  expect((await send(REQUESTS[2])).statusCode).toBe(200)

  const { value } = await scrape(app)
  const refusals = (code: string, mode: string) =>
    value('sluice_limit_refusals_total', { code, mode })
  expect(refusals('ADDRESS_FORBIDDEN', 'shadow')).toBe(2)
  expect(refusals('CLIENT_EXPIRED', 'shadow')).toBe(1)
  expect(refusals('CLIENT_EXPIRED', 'enforce')).toBe(0)
  const recorded = logLines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'a limit in shadow mode would have refused a request')
  expect(recorded).toMatchObject([
    { clientId: 'grid-bot', code: 'ADDRESS_FORBIDDEN', exchange: null, endpoint: '/auth/token' },
    { code: 'ADDRESS_FORBIDDEN', exchange: 'mx', endpoint: '/api/v3/ticker/price' },
    { code: 'CLIENT_EXPIRED', exchange: 'mx' },
  ])
})

test('a refusal is counted once, and is in the log with its client', async () => {
  const { app, call, limit, send } = await caller(await testApp(), 'grid-bot')
  await limit({ allowedIps: [ELSEWHERE] })
  await send(REQUESTS[0])
  const { value } = await scrape(app)
  const labels = { code: 'ADDRESS_FORBIDDEN', mode: 'enforce' }
  expect(value('sluice_limit_refusals_total', labels)).toBe(1)
  expect((await call(listLogs)).body).toMatchObject([
    { clientId: 'grid-bot', statusCode: 403, code: 'ADDRESS_FORBIDDEN' },
  ])
})
