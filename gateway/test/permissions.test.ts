import {
  createClient,
  listQueue,
  oauthToken,
  PERMISSIONS,
  type Permission,
  updateClient,
} from 'schema'
import { expect, test } from 'vitest'
import { type TestApp, type TestClient, testApp } from './app.ts'
import { ownErrorOf, wrong } from './support/call.ts'
import { heldExchange } from './support/held-exchange.ts'
import { sharedApp } from './support/shared-app.ts'

const shared = sharedApp()

const CALLS = {
  market: { url: '/api/v3/ticker/price?symbol=BTCUSDT' },
  account: { url: '/api/bg/v1/getAccountInfo' },
  trade: {
    method: 'POST',
    url: '/api/mx/v1/submitOrder',
    payload: { symbol: 'BTC_USDT', side: 'BUY', type: 'MARKET', quantity: '0.01' },
  },
  settings: {
    method: 'POST',
    url: '/bg/api/v2/mix/account/set-leverage',
    payload: {
      ...{ symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' },
      leverage: '7',
    },
  },
} as const

const call = (
  { app }: TestApp,
  { headers }: Pick<TestClient, 'headers'>,
  what: keyof typeof CALLS,
) => app.inject({ ...CALLS[what], headers })
const change = ({ call: ask }: TestApp, id: number, changes: object) =>
  ask(updateClient, { params: { id }, body: wrong(changes) })
const allow = (t: TestApp, { id }: Pick<TestClient, 'id'>, ...permissions: Permission[]) =>
  change(t, id, { permissions })
const create = ({ call: ask }: TestApp, client: object) =>
  ask(createClient, { body: wrong(client) })
const askOAuth = (
  { call: ask }: TestApp,
  { clientId, clientSecret }: Pick<TestClient, 'clientId' | 'clientSecret'>,
  scope?: string,
) =>
  ask(oauthToken, {
    body: {
      ...{ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
      ...(scope === undefined ? {} : { scope }),
    },
  })
/** The client with a token of this moment. */
async function withNewToken(t: TestApp, client: TestClient): Promise<TestClient> {
  const { token } = (await t.token(client)).json()
  return { ...client, headers: { authorization: `Bearer ${token}` } }
}

test('a client may read and trade unless something else was asked for', async () => {
  const t = shared()
  const usual = await create(t, { clientId: 'usual' })
  expect(usual.body.permissions).toEqual(['market', 'account', 'trade'])
  const all = await create(t, { clientId: 'all', permissions: [...PERMISSIONS].toReversed() })
  expect(all.body.permissions).toEqual([...PERMISSIONS])
  const reader = await create(t, { clientId: 'reader', permissions: ['account', 'market'] })
  expect(reader.status).toBe(201)
  expect(reader.body.permissions).toEqual(['market', 'account'])
})

test.each([
  { permissions: [] },
  { permissions: ['withdraw'] },
  { permissions: ['trade', 'trade'] },
  { permissions: 'trade' },
])('the permissions of $permissions are rejected', async ({ permissions }) => {
  const t = shared()
  const { id } = await t.client()
  for (const rejected of [
    await create(t, { clientId: 'x', permissions }),
    await change(t, id, { permissions }),
  ]) {
    expect(rejected.status).toBe(400)
    expect(rejected.body).toMatchObject({ code: 'VALIDATION_FAILED' })
    expect(rejected.body.fields?.[0]?.field).toContain('permissions')
  }
})

const EACH = Object.keys(CALLS) as (keyof typeof CALLS)[]
const SPOT_ORDER = 'symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.001&price=50000'
test.each([
  ...EACH.map((permission) => [permission, CALLS[permission]] as const),
  ...([
    ['market', { url: '/mx/api/v3/ticker/price?symbol=BTCUSDT' }],
    ['account', { url: '/bg/api/v2/spot/account/assets' }],
    ['trade', { method: 'POST', url: `/mx/api/v3/order?${SPOT_ORDER}` }],
  ] as const),
])(
  '%s is necessary and sufficient for %j; removing it ends it at once for an issued token',
  async (taken, request) => {
    const t = shared()
    const [bot, only] = [
      await t.client(undefined, { permissions: PERMISSIONS }),
      await t.client(undefined, { permissions: [taken] }),
    ]
    for (const { headers } of [bot, only])
      expect((await t.app.inject({ ...request, headers })).statusCode).toBe(200)
    t.paper.clearReceived()

    const kept = PERMISSIONS.filter((other) => other !== taken)
    expect((await allow(t, bot, ...kept)).status).toBe(200)
    const rejected = await t.app.inject({ ...request, headers: bot.headers })
    expect(ownErrorOf(rejected.json())).toMatchObject({
      ...{ statusCode: 403, code: 'SCOPE_INSUFFICIENT' },
      message: expect.stringContaining(`"${taken}"`),
    })
    expect(rejected.headers['www-authenticate']).toBe(
      `Bearer error="insufficient_scope", scope="${taken}"`,
    )
    expect(t.paper.received()).toEqual([])
    for (const other of EACH.filter((each) => each !== taken))
      expect((await call(t, bot, other)).statusCode).toBe(200)
  },
)

test('a documented order may name its leverage without the permission settings', async () => {
  const t = shared()
  t.paper.clearReceived()
  const bot = await t.client(undefined, { permissions: ['trade'] })
  const order = await t.app.inject({
    ...{ method: 'POST', url: '/api/bg/v1/futures/trade/place-order', headers: bot.headers },
    payload: {
      ...{ symbol: 'BTCUSDT', productType: 'USDT-FUTURES', marginCoin: 'USDT' },
      ...{ marginMode: 'crossed', side: 'buy', orderType: 'market', size: '0.01', leverage: 7 },
    },
  })
  expect(order.statusCode).toBe(200)
  const set = t.paper.received({ path: '/api/v2/mix/account/set-leverage' })
  expect(set).toMatchObject([{ body: expect.stringContaining('"leverage":"7"') }])
})

test('an added permission is in the next token', async () => {
  const t = shared()
  const bot = await t.client()
  await allow(t, bot, 'market')
  const reader = await withNewToken(t, bot)
  await allow(t, bot, 'market', 'account')
  expect((await call(t, reader, 'account')).json().code).toBe('SCOPE_INSUFFICIENT')
  expect((await call(t, await withNewToken(t, bot), 'account')).statusCode).toBe(200)
})

test('a standard OAuth client gets its granted scope, and invalid_scope for more than it has', async () => {
  const t = shared()
  const bot = await t.client()
  await allow(t, bot, 'market', 'account')
  expect((await askOAuth(t, bot)).body.scope).toBe('market account')
  expect((await askOAuth(t, bot, 'market')).body.scope).toBe('market')
  const rejected = await askOAuth(t, bot, 'account trade')
  expect(rejected.status).toBe(400)
  expect(rejected.body).toMatchObject({
    ...{ error: 'invalid_scope', code: 'INVALID_SCOPE' },
    error_description: expect.stringContaining('"trade"'),
  })
})

test('only a caller with the right secret learns which permissions are missing', async () => {
  const t = shared()
  const bot = await t.client()
  await allow(t, bot, 'market')
  const guessed = await askOAuth(t, { ...bot, clientSecret: 'sls_guess' }, 'trade')
  expect(guessed.body.error).toBe('invalid_client')
})

test('a queued order is not sent once the permission to trade is removed', async () => {
  const t = await heldExchange()
  const bot = await t.client()
  await call(t, bot, 'market')
  t.hold()
  const before = call(t, bot, 'market')
  await expect.poll(t.inFlight).toBe(1)
  const waiting = call(t, bot, 'trade')
  await expect.poll(async () => (await t.call(listQueue)).body.length).toBe(1)
  await allow(t, bot, 'market', 'account')
  t.release()
  await before
  expect((await waiting).json()).toMatchObject({
    ...{ statusCode: 403, code: 'PERMISSION_WITHDRAWN', outcome: 'not-sent' },
  })
  expect(t.paper.orders('mx')).toEqual([])
})

test('the description can be changed alone, an empty one removes it, and nothing else changes', async () => {
  const t = shared()
  const client = (await create(t, { clientId: 'described', description: 'Old' })).body
  const { clientSecret: _, ...before } = client
  const renamed = await change(t, client.id, { description: ' New ' })
  expect(renamed.body).toEqual({ ...before, description: 'New' })
  expect((await change(t, client.id, { description: '' })).body.description).toBeNull()
})

test('an empty change is rejected, and so is a change of an unknown client', async () => {
  const t = shared()
  const { id } = await t.client()
  expect((await change(t, id, {})).body.code).toBe('VALIDATION_FAILED')
  expect((await change(t, id, { clientId: 'other' })).body.code).toBe('VALIDATION_FAILED')
  expect((await change(t, 4242, { description: 'x' })).body.code).toBe('CLIENT_NOT_FOUND')
})

test("each change of permissions is in the gateway's log with its administrator, without secrets", async () => {
  const logLines: string[] = []
  const t = await testApp({ logLines })
  const bot = await t.client()
  await allow(t, bot, 'market')
  const line = logLines.find((each) => each.includes('client changed'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    ...{ audit: true, admin: 'admin@sluice.test' },
    ...{ clientId: bot.clientId, permissions: 'market' },
  })
  expect(line).not.toContain(bot.clientSecret)
})
