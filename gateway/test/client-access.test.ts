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
import { type TestApp, type TestClient, testApp } from './app.ts'
import { clockAt } from './support/clock-at.ts'
import { heldExchange } from './support/held-exchange.ts'
import { scrape } from './support/metrics.ts'
import { sharedApp } from './support/shared-app.ts'

const HERE = '198.51.100.7'
const ELSEWHERE = '203.0.113.9'
const HOUR_MS = 3_600_000

const limit = (
  { call }: TestApp,
  { id }: Pick<TestClient, 'id'>,
  body: InputOf<typeof changeClientLimits>['body'],
) => call(changeClientLimits, { params: { id }, body })

const getTokenFrom = (
  { call }: TestApp,
  { clientId, clientSecret }: Pick<TestClient, 'clientId' | 'clientSecret'>,
  remoteAddress: string,
) => call(getToken, { body: { clientId, clientSecret } }, { headers: {}, remoteAddress })

const getOAuthTokenFrom = (
  { call }: TestApp,
  { clientId, clientSecret }: TestClient,
  remoteAddress: string,
) => {
  const grant = { grant_type: 'client_credentials' }
  const body = { ...grant, client_id: clientId, client_secret: clientSecret }
  return call(oauthToken, { body }, { headers: {}, remoteAddress })
}

const ownLimits = ({ call }: TestApp, { headers }: TestClient, remoteAddress = '127.0.0.1') =>
  call(getOwnLimits, {}, { headers, remoteAddress })

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

const send = (
  { app }: TestApp,
  { headers }: TestClient,
  [, request]: (typeof REQUESTS)[number],
  remoteAddress = HERE,
) => app.inject({ ...request, headers, remoteAddress })

test('from the time that its limits name, a client gets no token and its token opens nothing', async () => {
  const clock = { laterMs: 0 }
  const nowMs = () => Date.now() + clock.laterMs
  const t = await testApp({ app: { time: clockAt(nowMs) } })
  const client = await t.client()
  const expiresAt = new Date(nowMs() + 60_000).toISOString()
  await limit(t, client, { expiresAt })
  expect((await getTokenFrom(t, client, HERE)).status).toBe(200)
  expect((await ownLimits(t, client)).status).toBe(200)

  clock.laterMs = 60_000
  t.paper.clearReceived()
  const expired = { statusCode: 403, code: 'CLIENT_EXPIRED' }
  const refused = await getTokenFrom(t, client, HERE)
  expect(refused.body).toMatchObject({ ...expired, message: expect.stringContaining(expiresAt) })
  expect(refused.body).not.toHaveProperty('outcome')
  expect((await getOAuthTokenFrom(t, client, HERE)).body).toMatchObject({
    error: 'invalid_client',
    message: refused.body.message,
  })
  for (const request of REQUESTS)
    expect((await send(t, client, request)).json(), request[0]).toMatchObject({
      ...expired,
      outcome: 'not-sent',
      retryable: false,
    })
  expect((await ownLimits(t, client)).body).toMatchObject(expired)
  expect(t.paper.received()).toEqual([])

  await limit(t, client, { expiresAt: null })
  expect((await send(t, client, REQUESTS[2])).statusCode).toBe(200)
})

test('a client may be used from its addresses alone, and the error names the one that was seen', async () => {
  const t = shared()
  const client = await t.client()
  await limit(t, client, { allowedIps: ['198.51.100.0/24', '2001:db8::/32'] })
  for (const address of [HERE, `::ffff:${HERE}`, '2001:db8::77'])
    expect((await getTokenFrom(t, client, address)).status, address).toBe(200)

  t.paper.clearReceived()
  const forbidden = { statusCode: 403, code: 'ADDRESS_FORBIDDEN' }
  for (const { body, text } of [
    await getTokenFrom(t, client, ELSEWHERE),
    await ownLimits(t, client, ELSEWHERE),
  ]) {
    expect(body).toMatchObject({ ...forbidden, message: expect.stringContaining(ELSEWHERE) })
    expect(text).not.toContain('198.51.100')
  }
  expect((await getOAuthTokenFrom(t, client, ELSEWHERE)).body.error).toBe('invalid_client')
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
  const t = shared()
  const client = await t.client()
  await limit(t, client, { expiresAt: '2020-01-01T00:00:00Z' })
  const guess = await getTokenFrom(t, { ...client, clientSecret: 'sls_guess' }, HERE)
  expect(guess.body.code).toBe('CLIENT_SECRET_INVALID')
})

test('an order with an idempotency key that is refused says nothing of an earlier attempt', async () => {
  const t = shared()
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
  const clock = { laterMs: 0 }
  const nowMs = () => Date.now() + clock.laterMs
  const t = await heldExchange({ app: { time: clockAt(nowMs) } })
  const client = await t.client()
  await limit(t, client, { expiresAt: new Date(nowMs() + HOUR_MS).toISOString() })
  await send(t, client, REQUESTS[2])
  t.paper.clearReceived()
  t.hold()
  const before = send(t, client, REQUESTS[2])
  await expect.poll(t.inFlight).toBe(1)
  const waiting = send(t, client, REQUESTS[0])
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
  const t = await testApp({ logLines })
  const client = await t.client('grid-bot')
  await limit(t, client, { allowedIps: [ELSEWHERE], mode: 'shadow' })
  expect((await getTokenFrom(t, client, HERE)).status).toBe(200)
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
  expect((await t.call(listLogs)).body).toMatchObject([
    { clientId: 'grid-bot', statusCode: 403, code: 'ADDRESS_FORBIDDEN' },
  ])
})
