import {
  changeClientLimits,
  confirm,
  deleteClient,
  endOldSecret,
  getOwnLimits,
  getToken,
  listAudit,
  listClientSecrets,
  listLogs,
  mxSubmitOrder,
  rotateClientSecret,
  toggleClient,
} from 'schema'
import { expect, test } from 'vitest'
import { type TestApp, type TestClient, testApp } from './app.ts'
import { ccxtOf, spot } from './doors/ccxt-clients.ts'
import { ownErrorOf } from './support/call.ts'
import { clockAt } from './support/clock-at.ts'
import { ORDER } from './support/place.ts'
import { sharedApp } from './support/shared-app.ts'

const HERE = '198.51.100.7'
const shared = sharedApp()

type Credentials = Pick<TestClient, 'clientId' | 'clientSecret'>
const bearerOf = ({ clientId, clientSecret }: Credentials) => ({
  authorization: `Bearer ${clientId}:${clientSecret}`,
})

/** A client that may send its secret in place of a token. */
async function secretBot(t: TestApp, name?: string) {
  const bot = await t.client(name)
  const body = { secretAsBearer: true }
  expect((await limit(t, bot, body)).body).toMatchObject(body)
  return bot
}

const limit = ({ call }: TestApp, { id }: TestClient, body: object) =>
  call(changeClientLimits, { params: { id }, body })

const READS = [
  '/mx/api/v3/openOrders?symbol=BTCUSDT',
  '/api/v3/openOrders?symbol=BTCUSDT',
  '/bg/api/v2/spot/account/assets',
] as const

/** A call on an exchange's own path, and the code of its error; undefined when it has none. */
async function raw({ app }: TestApp, as: Credentials, url: string = READS[0]) {
  const response = await app.inject({ url, headers: bearerOf(as), remoteAddress: HERE })
  expect(response.body).not.toContain(as.clientSecret)
  return { status: response.statusCode, code: ownErrorOf(response.json()).code }
}

test('ccxt with one header works for longer than a token, and its orders have the name of the client', async () => {
  let laterMs = 0
  const logLines: string[] = []
  const time = clockAt(() => Date.now() + laterMs)
  const t = await testApp({ app: { time }, logLines })
  const bot = await secretBot(t, 'static-header')
  const url = await t.app.listen({ host: '127.0.0.1', port: 0 })
  const program = await ccxtOf(url, { ...bot, headers: bearerOf(bot) }, 'MEXC')
  const place = () => program.createOrder(spot, 'limit', 'buy', 0.01, 50_000)
  await place()
  laterMs = 700_000
  await place()
  expect(t.paper.orders('mx')).toHaveLength(2)
  const late = await t.app.inject({ url: READS[0], headers: bot.headers })
  expect(late.statusCode).toBe(401)

  const { body: rows } = await t.call(listLogs, { query: { clientId: 'static-header' } })
  expect(rows.filter(({ method }) => method === 'POST')).toHaveLength(2)
  const { body: secrets } = await t.call(listClientSecrets, { params: { id: bot.id } })
  expect(secrets.current.lastUsedFrom).toBe('127.0.0.1')
  expect(logLines.join('')).not.toContain(bot.clientSecret)
})

test('each own path of an exchange takes the secret, and all other routes refuse it', async () => {
  const t = shared()
  const bot = await secretBot(t)
  for (const url of READS) expect((await raw(t, bot, url)).status, url).toBe(200)
  const refused = { status: 401, body: { code: 'TOKEN_MISSING' } }
  const headers = bearerOf(bot)
  expect(await t.call(getOwnLimits, {}, headers)).toMatchObject(refused)
  expect(await t.call(mxSubmitOrder, { body: ORDER }, headers)).toMatchObject(refused)
  expect(await t.call(confirm, { body: { password: 'x' } }, headers)).toMatchObject(refused)
})

test('what ends a secret, a client or the setting counts from the next call on', async () => {
  const t = shared()
  const bot = await secretBot(t)
  const { id } = bot
  const { clientSecret } = (await t.call(rotateClientSecret, { params: { id }, body: {} })).body
  const next = { ...bot, clientSecret }
  // Both work until the old one is ended.
  expect([(await raw(t, bot)).status, (await raw(t, next)).status]).toEqual([200, 200])
  await t.call(endOldSecret, { params: { id } })
  expect(await raw(t, bot)).toEqual({ status: 401, code: 'CLIENT_SECRET_INVALID' })

  await limit(t, bot, { allowedIps: ['203.0.113.9'] })
  expect(await raw(t, next)).toEqual({ status: 403, code: 'ADDRESS_FORBIDDEN' })
  await limit(t, bot, { allowedIps: null, secretAsBearer: false })
  expect(await raw(t, next)).toEqual({ status: 401, code: 'SECRET_AS_BEARER_OFF' })
  // Only who has the secret learns that.
  expect((await raw(t, bot)).code).toBe('CLIENT_SECRET_INVALID')
  await limit(t, bot, { secretAsBearer: true })
  await t.call(toggleClient, { params: { id }, body: { isActive: false } })
  expect(await raw(t, next)).toEqual({ status: 403, code: 'CLIENT_INACTIVE' })
  await t.call(toggleClient, { params: { id }, body: { isActive: true } })
  expect((await raw(t, next)).status).toBe(200)
  await t.call(deleteClient, { params: { id } })
  expect((await raw(t, next)).code).toBe('CLIENT_SECRET_INVALID')

  const query = { action: 'token.refused', subject: bot.clientId }
  const refusals = (await t.call(listAudit, { query })).body.entries.map(({ after }) => after?.code)
  expect(refusals.toSorted()).toEqual([
    ...['ADDRESS_FORBIDDEN', 'CLIENT_INACTIVE', 'SECRET_AS_BEARER_OFF'],
  ])
})

test('wrong secrets are counted together with those of token requests, and the right one never is', async () => {
  const t = await testApp()
  const bot = await secretBot(t)
  const guess = { clientId: bot.clientId, clientSecret: 'sls_guess' }
  const codes: (string | undefined)[] = []
  for (let n = 0; n < 5; n += 1) {
    codes.push((await raw(t, guess)).code)
    const as = { headers: {}, remoteAddress: HERE }
    codes.push((await t.call(getToken, { body: guess }, as)).body.code)
  }
  expect(codes).toEqual(Array(10).fill('CLIENT_SECRET_INVALID'))
  expect(await raw(t, guess)).toEqual({ status: 429, code: 'TOO_MANY_ATTEMPTS' })
  // The body of a call is not where its client id is.
  const moved = await t.app.inject({
    ...{ method: 'POST', url: '/mx/api/v3/order', remoteAddress: HERE },
    ...{ headers: bearerOf(guess), payload: { clientId: 'another' } },
  })
  expect(moved.statusCode).toBe(429)
  for (let n = 0; n < 20; n += 1) expect((await raw(t, bot)).status).toBe(200)
  // A client that does not exist is refused in the same words.
  expect(await raw(t, { ...guess, clientId: 'nobody' })).toEqual({
    ...{ status: 401, code: 'CLIENT_SECRET_INVALID' },
  })
})

test('a secret in place of a token has the budget and the limits of its client', async () => {
  const t = await testApp({ env: { CLIENT_REQUESTS_PER_MINUTE: '3' } })
  const bot = await secretBot(t)
  await limit(t, bot, { markets: ['futures'] })
  const headers = bearerOf(bot)
  const order = { method: 'POST', url: `/mx/api/v3/order?${new URLSearchParams(ORDER)}` } as const
  const refused = (await t.app.inject({ ...order, headers })).json()
  expect(ownErrorOf(refused).code).toBe('LIMIT_MARKET')
  for (let n = 0; n < 2; n += 1) await raw(t, bot)
  expect((await raw(t, bot)).code).toBe('CLIENT_REQUESTS_EXCEEDED')
})
