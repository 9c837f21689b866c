import {
  type ApiKey,
  changePassword,
  listApiKeys,
  listOwnSessions,
  login,
  saveApiKey,
} from 'schema'
import { expect, test } from 'vitest'
import { createAccount, testApp } from '../../gateway/test/app.ts'
import { DEMO_ADMIN, DEMO_CLASSIC_CLIENT, DEMO_CLIENT, seed } from '../src/demo/seed.ts'
import type { DemoSecrets } from '../src/demo/start-demo.ts'

// The demo's own keys stood in the console as untested, with a failure's badge.

/** A gateway as the demo starts it, and its secrets. */
async function demo() {
  const adminPassword = 'a password of the demo'
  const env = { ADMIN_EMAIL: DEMO_ADMIN, ADMIN_PASSWORD: adminPassword }
  const { app, paper } = await testApp({ env })
  const secrets: DemoSecrets = {
    adminPassword,
    keys: {
      mx: createAccount(paper, 'mx', 'demo'),
      bg: createAccount(paper, 'bg', 'demo', true),
      classic: createAccount(paper, 'bg', 'demo-classic'),
      spareMx: createAccount(paper, 'mx', 'spare'),
      spareBg: createAccount(paper, 'bg', 'spare', true),
    },
  }
  const asAdmin = async () => {
    const payload = { email: DEMO_ADMIN, password: adminPassword }
    const signedIn = await app.inject({ method: 'POST', url: login.path, payload })
    return { authorization: `Bearer ${signedIn.json().token}` }
  }
  return { app, paper, secrets, asAdmin }
}

test('the demo starts with tested keys, and tests those that an older demo left untested', async () => {
  const { app, paper, secrets, asAdmin } = await demo()
  const headers = await asAdmin()
  const states = async () => {
    const listed = await app.inject({ url: listApiKeys.path, headers })
    return (listed.json() as ApiKey[]).map(({ exchange, testStatus }) => [exchange, testStatus])
  }
  const both = expect.arrayContaining([
    ['mx', 'success'],
    ['bg', 'success'],
  ])

  const { clientSecret } = await seed(app, secrets)
  expect(clientSecret).toBeTypeOf('string')
  expect(await states()).toEqual(both)

  // As an older demo left it: saved, and never tested.
  await app.inject({
    ...{ method: 'POST', url: saveApiKey.path, headers },
    payload: { clientId: DEMO_CLIENT, exchange: 'bg', ...secrets.keys.bg },
  })
  expect(await states()).toContainEqual(['bg', 'untested'])
  paper.clearReceived()
  expect(await seed(app, { ...secrets, clientSecret: clientSecret ?? '' })).toEqual({
    signsIn: true,
  })
  expect(await states()).toEqual(both)
  const asked = paper.received().map(({ path }) => path)
  expect(asked).toContain('/api/v3/account/info')
  // The one of MEXC, whose keys have passed.
  expect(asked).not.toContain('/api/v3/account')
})

test('the clients of the demo may change settings, each on its kind of account', async () => {
  const { app, paper, secrets } = await demo()
  const { clientSecret, classicSecret } = await seed(app, secrets)
  const order = { ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit' }, price: '50000' }
  const spot = { ...order, force: 'gtc', size: '0.01' }
  const leverage = {
    ...{ symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT', leverage: 5 },
  }
  for (const [clientId, secret, calls] of [
    [
      ...[DEMO_CLIENT, clientSecret],
      [
        ['/mx/api/v1/private/position/change_position_mode', { positionMode: 2 }],
        ['/bg/api/v3/account/set-hold-mode', { holdMode: 'one_way_mode' }],
      ],
    ],
    [
      ...[DEMO_CLASSIC_CLIENT, classicSecret],
      [
        ['/bg/api/v2/spot/trade/place-order', spot],
        ['/bg/api/v2/mix/account/set-leverage', leverage],
      ],
    ],
  ] as const) {
    const payload = { clientId, clientSecret: secret }
    const token = await app.inject({ method: 'POST', url: '/auth/token', payload })
    const headers = { authorization: `Bearer ${token.json().token}` }
    for (const [url, body] of calls) {
      const response = await app.inject({ method: 'POST', url, headers, payload: body })
      expect([url, response.statusCode]).toEqual([url, 200])
    }
  }
  expect(paper.orders('bg')).toMatchObject([{ account: 'demo-classic-bg', price: '50000' }])
})

test('the demo leaves no session, and starts again after the admin has changed the password', async () => {
  const { app, secrets, asAdmin } = await demo()
  const { clientSecret = '' } = await seed(app, secrets)
  const headers = await asAdmin()
  const sessions = await app.inject({ url: listOwnSessions.path, headers })
  expect(sessions.json()).toHaveLength(1)

  const payload = { newPassword: 'seven green herons wade' }
  const changed = await app.inject({ method: 'PUT', url: changePassword.path, headers, payload })
  expect(changed.statusCode).toBe(200)
  expect(await seed(app, { ...secrets, clientSecret })).toEqual({ signsIn: false })
  await expect(seed(app, secrets)).rejects.toThrow('remove it')
})
