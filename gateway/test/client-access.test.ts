import { getToken, mxCancelOrder, mxSubmitOrder } from 'schema'
import { expect, test } from 'vitest'
import { type TestApp, type TestAppOptions, type TestClient, testApp } from './app.ts'
import { clockAt } from './support/clock-at.ts'
import { scrape } from './support/metrics.ts'

const HERE = '198.51.100.7'
const ELSEWHERE = '203.0.113.9'
const HOUR_MS = 3_600_000

const limit = ({ app, asAdmin }: TestApp, { id }: Pick<TestClient, 'id'>, payload: object) =>
  app.inject({
    ...{ method: 'PATCH', url: `/api/admin/client-credentials/${id}/limits` },
    ...{ headers: asAdmin, payload },
  })

const getTokenFrom = ({ app }: TestApp, client: TestClient, remoteAddress: string) => {
  const { clientId, clientSecret } = client
  const payload = { clientId, clientSecret }
  return app.inject({ method: 'POST', url: getToken.path, payload, remoteAddress })
}

const getOAuthTokenFrom = ({ app }: TestApp, client: TestClient, remoteAddress: string) =>
  app.inject({
    ...{ method: 'POST', url: '/oauth/token', remoteAddress },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.clientSecret,
    }).toString(),
  })

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

const send = (
  { app }: TestApp,
  { headers }: TestClient,
  [, request]: (typeof REQUESTS)[number],
  remoteAddress = HERE,
) => app.inject({ ...request, headers, remoteAddress })

/** A gateway on a clock that is set. */
async function clocked(options: TestAppOptions = {}) {
  const clock = { laterMs: 0 }
  const nowMs = () => Date.now() + clock.laterMs
  return {
    clock,
    nowMs,
    t: await testApp({ ...options, app: { time: clockAt(nowMs), ...options.app } }),
  }
}

test('from the time that its limits name, a client gets no token and its token opens nothing', async () => {
  const { t, clock, nowMs } = await clocked()
  const client = await t.client()
  const expiresAt = new Date(nowMs() + 60_000).toISOString()
  await limit(t, client, { expiresAt })
  expect((await getTokenFrom(t, client, HERE)).statusCode).toBe(200)
  expect((await t.app.inject({ url: '/api/limits', headers: client.headers })).statusCode).toBe(200)

  clock.laterMs = 60_000
  t.paper.clearReceived()
  const expired = { statusCode: 403, code: 'CLIENT_EXPIRED' }
  const refused = await getTokenFrom(t, client, HERE)
  expect(refused.json()).toMatchObject(expired)
  expect(refused.json().message).toContain(expiresAt)
  expect(refused.json()).not.toHaveProperty('outcome')
  expect((await getOAuthTokenFrom(t, client, HERE)).json()).toMatchObject({
    error: 'invalid_client',
    message: refused.json().message,
  })
  for (const request of REQUESTS)
    expect((await send(t, client, request)).json(), request[0]).toMatchObject({
      ...expired,
      outcome: 'not-sent',
      retryable: false,
    })
  const own = await t.app.inject({ url: '/api/limits', headers: client.headers })
  expect(own.json()).toMatchObject(expired)
  expect(t.paper.received()).toEqual([])

  await limit(t, client, { expiresAt: null })
  expect((await send(t, client, REQUESTS[2])).statusCode).toBe(200)
})

test('a client may be used from its addresses alone, and the error names the one that was seen', async () => {
  const t = await testApp()
  const client = await t.client()
  await limit(t, client, { allowedIps: ['198.51.100.0/24', '2001:db8::/32'] })
  for (const address of [HERE, `::ffff:${HERE}`, '2001:db8::77'])
    expect((await getTokenFrom(t, client, address)).statusCode, address).toBe(200)

  t.paper.clearReceived()
  const forbidden = { statusCode: 403, code: 'ADDRESS_FORBIDDEN' }
  for (const answer of [
    await getTokenFrom(t, client, ELSEWHERE),
    await t.app.inject({ url: '/api/limits', headers: client.headers, remoteAddress: ELSEWHERE }),
  ]) {
    expect(answer.json()).toMatchObject(forbidden)
    expect(answer.json().message).toContain(ELSEWHERE)
    expect(answer.body).not.toContain('198.51.100')
  }
  expect((await getOAuthTokenFrom(t, client, ELSEWHERE)).json().error).toBe('invalid_client')
  for (const request of REQUESTS)
    expect((await send(t, client, request, ELSEWHERE)).json(), request[0]).toMatchObject({
      ...forbidden,
      outcome: 'not-sent',
      retryable: false,
    })
  expect(t.paper.received()).toEqual([])
  expect((await send(t, client, REQUESTS[2], HERE)).statusCode).toBe(200)
})

test('only a caller with the right secret learns that the client has expired', async () => {
  const t = await testApp()
  const client = await t.client()
  await limit(t, client, { expiresAt: '2020-01-01T00:00:00Z' })
  const guess = await getTokenFrom(t, { ...client, clientSecret: 'sls_guess' }, HERE)
  expect(guess.json().code).toBe('CLIENT_SECRET_INVALID')
})

test('an order with an idempotency key that is refused says nothing of an earlier attempt', async () => {
  const t = await testApp()
  const client = await t.client()
  await limit(t, client, { allowedIps: [HERE] })
  const answer = await t.app.inject({
    ...REQUESTS[0][1],
    headers: { ...client.headers, 'idempotency-key': 'grid-1' },
    remoteAddress: ELSEWHERE,
  })
  expect(answer.json().code).toBe('ADDRESS_FORBIDDEN')
  expect(answer.json()).not.toHaveProperty('outcome')
})

test('behind a trusted proxy the address is the one that it forwards', async () => {
  const t = await testApp({ env: { TRUST_PROXY: '127.0.0.1' } })
  const client = await t.client()
  await limit(t, client, { allowedIps: [HERE] })
  const from = async (forwarded: string, remoteAddress = '127.0.0.1') => {
    const headers = { ...client.headers, 'x-forwarded-for': forwarded }
    return (await t.app.inject({ url: '/api/limits', headers, remoteAddress })).statusCode
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
  const { t, clock, nowMs } = await clocked({ env: { RATE_LIMIT_PER_SECOND: '0.7' } })
  const client = await t.client()
  await limit(t, client, { expiresAt: new Date(nowMs() + HOUR_MS).toISOString() })
  await send(t, client, REQUESTS[2])
  t.paper.clearReceived()
  const waiting = send(t, client, REQUESTS[0])
  await expect
    .poll(async () => {
      const queue = await t.app.inject({ url: '/api/admin/queue', headers: t.asAdmin })
      return queue.json().length
    })
    .toBeGreaterThan(0)
  clock.laterMs = HOUR_MS
  expect((await waiting).json()).toMatchObject({
    ...{ statusCode: 403, code: 'CLIENT_EXPIRED', outcome: 'not-sent', retryable: false },
  })
  expect(t.paper.received().filter(({ method }) => method === 'POST')).toEqual([])
})

test('in shadow mode nothing is refused, and all that would have been is recorded', async () => {
  const logLines: string[] = []
  const t = await testApp({ logLines })
  const client = await t.client('grid-bot')
  await limit(t, client, { allowedIps: [ELSEWHERE], mode: 'shadow' })
  expect((await getTokenFrom(t, client, HERE)).statusCode).toBe(200)
  expect((await send(t, client, REQUESTS[2])).statusCode).toBe(200)
  await limit(t, client, { expiresAt: '2020-01-01T00:00:00Z' })
  expect((await send(t, client, REQUESTS[2])).statusCode).toBe(200)

  const { value } = await scrape(t.app)
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
  const t = await testApp()
  const client = await t.client('grid-bot')
  await limit(t, client, { allowedIps: [ELSEWHERE] })
  await send(t, client, REQUESTS[0])
  const { value } = await scrape(t.app)
  const labels = { code: 'ADDRESS_FORBIDDEN', mode: 'enforce' }
  expect(value('sluice_limit_refusals_total', labels)).toBe(1)
  const logs = await t.app.inject({ url: '/api/logs', headers: t.asAdmin })
  expect(logs.json()).toMatchObject([
    { clientId: 'grid-bot', statusCode: 403, code: 'ADDRESS_FORBIDDEN' },
  ])
})
