import {
  changeClientLimits,
  deleteClient,
  getStats,
  getToken,
  login,
  logout,
  mxTickerPrice,
  toggleClient,
} from 'schema'
import { afterEach, expect, test, vi } from 'vitest'
import { ADMIN, type TestApp, type TestClient, testApp } from './app.ts'
import { wrong } from './support/call.ts'
import { withNewSession } from './support/person.ts'
import { sharedApp } from './support/shared-app.ts'

const shared = sharedApp()

afterEach(() => {
  vi.useRealTimers()
})

const priceOf = ({ call }: TestApp, bot: Pick<TestClient, 'headers'>) =>
  call(mxTickerPrice, {}, bot)
const newToken = async (t: TestApp, bot: TestClient) => ({
  headers: { authorization: `Bearer ${(await t.token(bot)).json().token}` },
})
const setClock = (iso: string) =>
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(iso).getTime() })

test('signing in returns a token for 8 hours and the administrator, and is not cached', async () => {
  setClock('2026-01-01T00:00:00.000Z')
  const { app } = await testApp()
  const response = await app.inject({ method: 'POST', url: '/auth/login', payload: ADMIN })
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual({
    token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    expiresAt: '2026-01-01T08:00:00.000Z',
    user: { id: 1, email: ADMIN.email, role: 'admin' },
  })
  expect(response.headers['cache-control']).toBe('no-store')
})

test('the e-mail address may be written in another case', async () => {
  const { call } = shared()
  const body = { ...ADMIN, email: ADMIN.email.toUpperCase() }
  expect((await call(login, { body })).body.user.email).toBe(ADMIN.email)
})

test('a wrong password and an unknown e-mail address get the same response', async () => {
  const { call } = shared()
  for (const wrongly of [
    { ...ADMIN, password: 'wrong password' },
    { ...ADMIN, email: 'nobody@sluice.test' },
  ]) {
    const { status, body, headers } = await call(login, { body: wrongly })
    expect(status).toBe(401)
    expect(body).toEqual({
      statusCode: 401,
      error: 'Unauthorized',
      code: 'LOGIN_FAILED',
      message: 'Invalid credentials: the e-mail address or the password is wrong',
      requestId: headers['x-request-id'],
    })
  }
})

test.each([
  [{ email: 'no address', password: 'long enough' }, 'email', 'Invalid email address'],
  [{ email: ADMIN.email, password: '12345' }, 'password', 'Password must be at least 6 characters'],
])('signing in with %j names the problem of the %s', async (body, field, message) => {
  const refused = await shared().call(login, { body })
  expect(refused).toMatchObject({ status: 400, body: { fields: [{ field, message }] } })
})

test('signing out ends the session on the server, and only that session', async () => {
  const t = await withNewSession(shared())
  const other = await withNewSession(t)
  const out = await t.call(logout)
  expect([out.status, out.text]).toEqual([204, ''])
  expect((await t.call(getStats)).body.code).toBe('TOKEN_REVOKED')
  expect((await other.call(getStats)).status).toBe(200)
})

test('client id and secret get a token for 600 seconds', async () => {
  setClock('2026-01-01T00:00:00.000Z')
  const { client, token } = await testApp()
  const issued = await token(await client())
  expect(issued.statusCode).toBe(200)
  expect(issued.json()).toEqual({
    token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    expiresAt: '2026-01-01T00:10:00.000Z',
    expiresInSeconds: 600,
  })
  expect(issued.headers['cache-control']).toBe('no-store')
})

test.each([
  [30, 30],
  [600, 600],
  [3600, 600],
])('a token requested for %i seconds is valid for exactly %i', async (expiresIn, livesSeconds) => {
  setClock('2026-01-01T00:00:00.000Z')
  const t = await testApp()
  const { clientId, clientSecret } = await t.client()
  const issued = await t.call(getToken, { body: { clientId, clientSecret, expiresIn } })
  expect(issued.body.expiresInSeconds).toBe(livesSeconds)
  const headers = { authorization: `Bearer ${issued.body.token}` }

  vi.setSystemTime(Date.now() + livesSeconds * 1000 - 1)
  expect((await priceOf(t, { headers })).status).toBe(200)
  vi.setSystemTime(Date.now() + 1)
  const late = await priceOf(t, { headers })
  expect(late).toMatchObject({ status: 401, body: { code: 'TOKEN_EXPIRED' } })
  expect(late.headers['www-authenticate']).toBe(
    'Bearer error="invalid_token", error_description="expired"',
  )
})

// It said TOKEN_INVALID, and nobody looked at the clock.
test('a token that is older than the clock says that the clock was set back, and a new one works', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const t = await testApp()
  const bot = await t.client()
  vi.setSystemTime(Date.now() - 86_400_000)
  for (const refused of [await priceOf(t, bot), await t.call(getStats)])
    expect(refused).toMatchObject({
      status: 401,
      body: {
        code: 'TOKEN_AHEAD_OF_CLOCK',
        message: expect.stringMatching(/ 86(399|400) seconds from now.*clock was set back/),
      },
    })
  expect((await priceOf(t, await newToken(t, bot))).status).toBe(200)
})

test('a session ends after eight hours, however much it is used', async () => {
  setClock('2026-01-01T00:00:00.000Z')
  const t = await testApp()
  vi.setSystemTime(Date.now() + 8 * 3_600_000 - 1)
  expect((await t.call(getStats)).status).toBe(200)
  vi.setSystemTime(Date.now() + 1)
  expect(await t.call(getStats)).toMatchObject({ status: 401, body: { code: 'TOKEN_EXPIRED' } })
})

test('an expiresIn that is no whole number of seconds up to an hour is rejected by name', async () => {
  const { call, client } = shared()
  const { clientId, clientSecret } = await client()
  for (const expiresIn of [0, -1, 1.5, '600', 1e9]) {
    const body = wrong({ clientId, clientSecret, expiresIn })
    expect(await call(getToken, { body })).toMatchObject({
      ...{ status: 400, body: { fields: [{ field: 'expiresIn' }] } },
    })
  }
})

test('a wrong secret and an unknown client get the same response', async () => {
  const { call, client } = shared()
  const { clientId } = await client()
  const message = 'The client id or the client secret is wrong'
  for (const id of [clientId, 'nobody']) {
    const refused = await call(getToken, { body: { clientId: id, clientSecret: 'sls_wrong' } })
    expect(refused).toMatchObject({ status: 401, body: { code: 'CLIENT_SECRET_INVALID', message } })
  }
})

const toggle = ({ call }: TestApp, { id }: TestClient, isActive: boolean) =>
  call(toggleClient, { params: { id }, body: { isActive } })

test('an inactive client gets no token, its old tokens end at once and do not come back with it', async () => {
  const t = shared()
  const bot = await t.client()
  expect((await priceOf(t, bot)).status).toBe(200)
  await toggle(t, bot, false)
  expect((await priceOf(t, bot)).body.code).toBe('TOKEN_REVOKED')
  const rejected = await t.token(bot)
  expect(rejected.statusCode).toBe(403)
  expect(rejected.json().code).toBe('CLIENT_INACTIVE')

  await toggle(t, bot, true)
  expect((await priceOf(t, bot)).body.code).toBe('TOKEN_REVOKED')
  expect((await priceOf(t, await newToken(t, bot))).status).toBe(200)
})

test('only a caller with the right secret learns that a client is inactive or has expired', async () => {
  const t = shared()
  const [inactive, expired] = [await t.client(), await t.client()]
  await toggle(t, inactive, false)
  const body = { expiresAt: '2020-01-01T00:00:00Z' }
  await t.call(changeClientLimits, { params: { id: expired.id }, body })
  for (const bot of [inactive, expired]) {
    const guessed = await t.token({ ...bot, clientSecret: 'sls_guess' })
    expect(guessed.json().code).toBe('CLIENT_SECRET_INVALID')
  }
})

test('a deleted client gets no token and its old ones end at once', async () => {
  const t = shared()
  const bot = await t.client()
  await t.call(deleteClient, { params: { id: bot.id } })
  expect(await priceOf(t, bot)).toMatchObject({ status: 401, body: { code: 'TOKEN_INVALID' } })
  expect((await t.token(bot)).json().code).toBe('CLIENT_SECRET_INVALID')
})

test('the tokens that are valid now are counted', async () => {
  setClock('2026-01-01T00:00:00.000Z')
  const t = await testApp()
  const active = async () => (await t.call(getStats)).body.activeTokens
  expect(await active()).toBe(0)
  const [one, two] = [await t.client(), await t.client()]
  await t.token(two)
  expect(await active()).toBe(3)
  await toggle(t, two, false)
  expect(await active()).toBe(1)
  vi.setSystemTime(Date.now() + 500_000)
  await t.token(one)
  vi.setSystemTime(Date.now() + 100_000)
  expect(await active()).toBe(1)
})
