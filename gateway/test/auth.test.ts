import { afterEach, expect, test, vi } from 'vitest'
import { ADMIN, testApp } from './app.ts'
import { sharedApp } from './support/shared-app.ts'

const shared = sharedApp()

afterEach(() => {
  vi.useRealTimers()
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
  const { app } = await testApp()
  const payload = { ...ADMIN, email: ADMIN.email.toUpperCase() }
  const response = await app.inject({ method: 'POST', url: '/auth/login', payload })
  expect(response.json().user.email).toBe(ADMIN.email)
})

test('a wrong password and an unknown e-mail address get the same response', async () => {
  const { app } = await testApp()
  const responses = await Promise.all(
    [
      { ...ADMIN, password: 'wrong password' },
      { email: 'nobody@sluice.test', password: ADMIN.password },
    ].map((payload) => app.inject({ method: 'POST', url: '/auth/login', payload })),
  )
  for (const response of responses) {
    expect(response.statusCode).toBe(401)
    expect(response.json()).toEqual({
      statusCode: 401,
      error: 'Unauthorized',
      code: 'LOGIN_FAILED',
      message: 'Invalid credentials: the e-mail address or the password is wrong',
      requestId: response.headers['x-request-id'],
    })
  }
})

test.each([
  [{ email: 'no address', password: 'long enough' }, 'email', 'Invalid email address'],
  [{ email: ADMIN.email, password: '12345' }, 'password', 'Password must be at least 6 characters'],
])('signing in with %j names the problem of the %s', async (payload, field, message) => {
  const { app } = shared()
  const response = await app.inject({ method: 'POST', url: '/auth/login', payload })
  expect(response.statusCode).toBe(400)
  expect(response.json().fields).toEqual([{ field, message }])
})

test('signing out ends the session on the server, and only that session', async () => {
  const { app, asAdmin } = await testApp()
  const other = await app.inject({ method: 'POST', url: '/auth/login', payload: ADMIN })
  const out = await app.inject({ method: 'POST', url: '/auth/logout', headers: asAdmin })
  expect([out.statusCode, out.body]).toEqual([204, ''])
  const ended = await app.inject({ url: '/api/stats', headers: asAdmin })
  expect(ended.json().code).toBe('TOKEN_REVOKED')
  const headers = { authorization: `Bearer ${other.json().token}` }
  expect((await app.inject({ url: '/api/stats', headers })).statusCode).toBe(200)
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
  const { app, client } = await testApp()
  const { clientId, clientSecret } = await client()
  const issued = await app.inject({
    method: 'POST',
    url: '/auth/token',
    payload: { clientId, clientSecret, expiresIn },
  })
  expect(issued.json().expiresInSeconds).toBe(livesSeconds)
  const headers = { authorization: `Bearer ${issued.json().token}` }
  const call = () => app.inject({ url: '/api/v3/ticker/price?symbol=BTCUSDT', headers })

  vi.setSystemTime(Date.now() + livesSeconds * 1000 - 1)
  expect((await call()).statusCode).toBe(200)
  vi.setSystemTime(Date.now() + 1)
  const late = await call()
  expect(late.statusCode).toBe(401)
  expect(late.json().code).toBe('TOKEN_EXPIRED')
  expect(late.headers['www-authenticate']).toBe(
    'Bearer error="invalid_token", error_description="expired"',
  )
})

// It said TOKEN_INVALID, and nobody looked at the clock.
test('a token that is older than the clock says that the clock was set back, and a new one works', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { app, client, asAdmin, token } = await testApp()
  const bot = await client()
  vi.setSystemTime(Date.now() - 86_400_000)
  for (const headers of [bot.headers, asAdmin]) {
    const url = headers === asAdmin ? '/api/stats' : '/api/v3/ticker/price?symbol=BTCUSDT'
    const response = await app.inject({ url, headers })
    expect(response.statusCode).toBe(401)
    expect(response.json()).toMatchObject({
      code: 'TOKEN_AHEAD_OF_CLOCK',
      message: expect.stringMatching(/ 86(399|400) seconds from now.*clock was set back/),
    })
  }
  const fresh = (await token(bot)).json().token
  const url = '/api/v3/ticker/price?symbol=BTCUSDT'
  const again = await app.inject({ url, headers: { authorization: `Bearer ${fresh}` } })
  expect(again.statusCode).toBe(200)
})

test.each([0, -1, 1.5, '600', 1e9])('expiresIn %j is rejected by name', async (expiresIn) => {
  const { app, client } = shared()
  const { clientId, clientSecret } = await client()
  const response = await app.inject({
    method: 'POST',
    url: '/auth/token',
    payload: { clientId, clientSecret, expiresIn },
  })
  expect(response.statusCode).toBe(400)
  expect(response.json().fields).toMatchObject([{ field: 'expiresIn' }])
})

test('a wrong secret and an unknown client get the same response', async () => {
  const { client, token } = await testApp()
  const { clientId } = await client()
  const wrong = [
    await token({ clientId, clientSecret: 'sls_wrong' }),
    await token({ clientId: 'nobody', clientSecret: 'sls_wrong' }),
  ]
  for (const response of wrong) {
    expect(response.statusCode).toBe(401)
    expect(response.json()).toMatchObject({
      code: 'CLIENT_SECRET_INVALID',
      message: 'The client id or the client secret is wrong',
    })
  }
})

test('an inactive client gets no token, its old tokens end at once and do not come back with it', async () => {
  const { app, asAdmin, client, token } = await testApp()
  const bot = await client()
  const call = (headers = bot.headers) => app.inject({ url: '/api/v3/ticker/price', headers })
  const toggle = (isActive: boolean) =>
    app.inject({
      method: 'PATCH',
      url: `/api/admin/client-credentials/${bot.id}/toggle`,
      headers: asAdmin,
      payload: { isActive },
    })
  expect((await call()).statusCode).toBe(200)
  await toggle(false)
  expect((await call()).json().code).toBe('TOKEN_REVOKED')
  const rejected = await token(bot)
  expect(rejected.statusCode).toBe(403)
  expect(rejected.json().code).toBe('CLIENT_INACTIVE')

  await toggle(true)
  expect((await call()).json().code).toBe('TOKEN_REVOKED')
  const anew = { authorization: `Bearer ${(await token(bot)).json().token}` }
  expect((await call(anew)).statusCode).toBe(200)
})

test('only a caller with the right secret learns whether a client is active', async () => {
  const { app, asAdmin, client, token } = await testApp()
  const { id, clientId } = await client()
  await app.inject({
    method: 'PATCH',
    url: `/api/admin/client-credentials/${id}/toggle`,
    headers: asAdmin,
    payload: { isActive: false },
  })
  const guessed = await token({ clientId, clientSecret: 'sls_guess' })
  expect(guessed.json().code).toBe('CLIENT_SECRET_INVALID')
})

test('a deleted client gets no token and its old ones end at once', async () => {
  const { app, asAdmin, client, token } = await testApp()
  const bot = await client()
  const url = `/api/admin/client-credentials/${bot.id}`
  await app.inject({ method: 'DELETE', url, headers: asAdmin })
  const call = await app.inject({ url: '/api/v3/ticker/price', headers: bot.headers })
  expect(call.statusCode).toBe(401)
  expect((await token(bot)).json().code).toBe('CLIENT_SECRET_INVALID')
})

test('the tokens that are valid now are counted', async () => {
  setClock('2026-01-01T00:00:00.000Z')
  const { app, asAdmin, client, token } = await testApp()
  const active = async () =>
    (await app.inject({ url: '/api/stats', headers: asAdmin })).json().activeTokens
  expect(await active()).toBe(0)
  const [one, two] = [await client(), await client()]
  await token(two)
  expect(await active()).toBe(3)
  await app.inject({
    method: 'PATCH',
    url: `/api/admin/client-credentials/${two.id}/toggle`,
    headers: asAdmin,
    payload: { isActive: false },
  })
  expect(await active()).toBe(1)
  vi.setSystemTime(Date.now() + 500_000)
  await token(one)
  vi.setSystemTime(Date.now() + 100_000)
  expect(await active()).toBe(1)
})
