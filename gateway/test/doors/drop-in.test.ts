import { PERMISSIONS } from 'schema'
import { beforeEach, expect, test } from 'vitest'
import type { TestApp, TestClient } from '../app.ts'
import { testApp } from '../app.ts'
import { ownErrorOf } from '../support/call.ts'
import { sharedApp } from '../support/shared-app.ts'

const shared = sharedApp()
let t: TestApp
let bot: TestClient

beforeEach(async () => {
  t = shared()
  bot = await t.client()
  t.paper.clearReceived()
})

type Method = 'GET' | 'POST' | 'DELETE' | 'HEAD'
const send = (method: Method, url: string, headers: Record<string, string> = bot.headers) =>
  t.app.inject({ method, url, headers })
/** The calls that arrived, without the gateway's own reads of the time. */
const arrived = () => t.paper.received().filter(({ path }) => !/\/time$/.test(path))

test.each([
  ['/mx/api/v3/ticker/price?symbol=BTCUSDT', '/api/v3/ticker/price'],
  ['/api/v3/depth?symbol=BTCUSDT&limit=5', '/api/v3/depth'],
  ['/mx/api/v1/contract/detail?symbol=BTC_USDT', '/api/v1/contract/detail'],
  ['/api/v1/contract/depth/BTC_USDT', '/api/v1/contract/depth/BTC_USDT'],
  ['/bg/api/v2/spot/market/tickers?symbol=BTCUSDT', '/api/v2/spot/market/tickers'],
])('%s is market data and is sent without a key', async (url, path) => {
  expect((await send('GET', url)).statusCode).toBe(200)
  const query = url.split('?')[1] ?? ''
  expect(arrived()).toMatchObject([{ method: 'GET', path, query, account: null }])
})

test.each([
  ['GET', '/mx/api/v3/account', 'account'],
  ['GET', '/mx/api/v3/capital/config/getall', 'market'],
  ['GET', '/bg/api/v3/account/settings', 'account'],
  ['POST', '/mx/api/v1/private/order/batch_query_with_external', 'account'],
  ['POST', '/bg/api/v3/account/max-open-available', 'account'],
  ['POST', '/mx/api/v3/order', 'trade'],
  ['DELETE', '/api/v3/order', 'trade'],
  ['POST', '/api/v1/private/order/submit', 'trade'],
  ['DELETE', '/mx/api/v3/order/all', 'trade'],
  ['POST', '/mx/api/v1/private/position/change_leverage', 'settings'],
  ['POST', '/mx/api/v1/private/position/close_all', 'settings'],
  ['POST', '/bg/api/v2/mix/account/set-leverage', 'settings'],
  ['POST', '/bg/api/v3/account/set-hold-mode', 'settings'],
  ['POST', '/bg/api/v3/trade/grid/create-bot', 'strategies'],
  ['POST', '/bg/api/v2/spot/trade/cancel-order', 'trade'],
] as const)('%s %s needs the permission to %s', async (method, url, permission) => {
  const others = PERMISSIONS.filter((each) => each !== permission)
  const path = `/api/admin/client-credentials/${bot.id}`
  const payload = { permissions: others }
  await t.app.inject({ method: 'PATCH', url: path, headers: t.asAdmin, payload })
  const rejected = await send(method, url)
  expect(rejected.statusCode).toBe(403)
  expect(ownErrorOf(rejected.json())).toMatchObject({ statusCode: 403, code: 'SCOPE_INSUFFICIENT' })
  expect(ownErrorOf(rejected.json()).message).toContain(`"${permission}"`)
  expect(arrived()).toEqual([])
})

test.each([
  ['POST', '/mx/api/v3/capital/withdraw'],
  ['POST', '/api/v3/sub-account/apiKey'],
  ['POST', '/bg/api/v2/spot/wallet/withdrawal'],
  ['POST', '/bg/api/v2/spot/wallet/transfer'],
  ['GET', '/bg/api/v2/spot/wallet/deposit-address'],
  ['POST', '/bg/api/v3/trade/place-reality-order'],
  ['GET', '/bg/api/v3/unheard/of'],
] as const)("%s %s is rejected whatever the token's permissions are", async (method, url) => {
  const rejected = await send(method, url)
  expect(rejected.statusCode).toBe(403)
  expect(ownErrorOf(rejected.json())).toEqual({
    statusCode: 403,
    error: 'Forbidden',
    code: 'ENDPOINT_FORBIDDEN',
    message: expect.stringContaining(
      `${method} ${url.replace(/^\/(mx|bg)\//, '/')} is not one of them`,
    ),
    requestId: rejected.headers['x-request-id'],
    outcome: 'not-sent',
    retryable: false,
  })
  expect(arrived()).toEqual([])
})

const post = (url: string, body: object, { headers }: TestClient) =>
  t.app.inject({ method: 'POST', url, headers, payload: body })

test('a client that may trade closes one position; closing all of them needs the permission settings', async () => {
  const url = '/bg/api/v2/mix/order/close-positions'
  const all = { productType: 'USDT-FUTURES' }
  expect(ownErrorOf((await post(url, { ...all, symbol: 'BTCUSDT' }, bot)).json()).code).toBe(
    '22002',
  )
  const rejected = await post(url, all, bot)
  expect(ownErrorOf(rejected.json())).toMatchObject({ statusCode: 403, code: 'SCOPE_INSUFFICIENT' })
  expect(rejected.headers['www-authenticate']).toContain('scope="settings"')
  expect(arrived()).toHaveLength(1)
  const closer = await t.client(undefined, { permissions: ['trade', 'settings'] })
  expect((await post(url, all, closer)).json().code).toBe('22002')
})

test('a grid bot needs the permission strategies, and is then journaled and sent like an order', async () => {
  const url = '/bg/api/v3/trade/grid/create-bot'
  const owner = await t.client(undefined, { permissions: ['strategies'], unified: true })
  const sent = await post(url, { category: 'SPOT', symbol: 'BTCUSDT' }, owner)
  expect(arrived()).toMatchObject([{ path: url.slice('/bg'.length) }])
  const status = `/api/requests/${sent.headers['x-request-id']}`
  expect((await t.app.inject({ url: status, headers: owner.headers })).statusCode).toBe(200)
})

test('the rejection of a closed call says why it is closed', async () => {
  const transfer = await send('POST', '/bg/api/v2/spot/wallet/transfer')
  expect(ownErrorOf(transfer.json()).message).toMatch(
    /is not one of them: it moves, .+\. Nothing was sent$/,
  )
  const unknown = await send('GET', '/bg/api/v3/unheard/of')
  expect(ownErrorOf(unknown.json()).message).toMatch(/is not one of them\. Nothing was sent$/)
})

test.each(['/mx/api/v3/account', '/bg/api/v2/unheard/of', '/api/v1/private/order/create'])(
  'without a token %s reveals nothing',
  async (url) => {
    const rejected = await send('GET', url, {})
    expect(rejected.statusCode).toBe(401)
    expect(ownErrorOf(rejected.json()).code).toBe('TOKEN_MISSING')
    expect(rejected.headers['www-authenticate']).toBe('Bearer')
    expect(ownErrorOf((await send('GET', url, t.asAdmin)).json()).code).toBe('TOKEN_INVALID')
  },
)

test('a HEAD is the GET without its body', async () => {
  const head = await send('HEAD', '/mx/api/v3/account')
  expect(head.statusCode).toBe(200)
  expect(head.body).toBe('')
  expect(arrived()).toMatchObject([{ method: 'GET', path: '/api/v3/account' }])
})

test('a client without keys can read the market; other calls say that keys are missing', async () => {
  const { clientId } = bot
  for (const exchange of ['mx', 'bg']) {
    const url = `/api/admin/client-api-keys/${clientId}/${exchange}`
    await t.app.inject({ method: 'DELETE', url, headers: t.asAdmin })
  }
  expect((await send('GET', '/mx/api/v3/ticker/price?symbol=BTCUSDT')).statusCode).toBe(200)
  const rejected = await send('GET', '/bg/api/v2/spot/account/info')
  expect(rejected.statusCode).toBe(403)
  expect(ownErrorOf(rejected.json()).code).toBe('EXCHANGE_KEYS_MISSING')
})

test('the log row of a call has its path without the query, and its duration', async () => {
  await send('GET', '/mx/api/v3/account?timestamp=1&signature=ab12')
  await send('POST', '/bg/api/v2/spot/wallet/transfer')
  const url = `/api/logs?clientId=${bot.clientId}`
  const logged = await t.app.inject({ url, headers: t.asAdmin })
  expect(logged.json()).toMatchObject([
    {
      ...{ method: 'POST', endpoint: '/bg/api/v2/spot/wallet/transfer', statusCode: 403 },
      ...{ exchange: 'bg', code: 'ENDPOINT_FORBIDDEN' },
    },
    { method: 'GET', endpoint: '/mx/api/v3/account', statusCode: 200, exchange: 'mx', code: null },
  ])
})

test.each([
  ['/mx/api/v3/order?symbol=BTCUSDT&orderId=404', 400, { code: -2013 }],
  ['/mx/api/v3/depth?symbol=NOPE', 400, { code: -1121 }],
  ['/mx/api/v1/contract/depth/NOPE_USDT', 200, { success: false, code: 1001 }],
  [
    '/bg/api/v2/mix/order/detail?symbol=BTCUSDT&productType=USDT-FUTURES&orderId=404',
    400,
    { code: expect.any(String) },
  ],
] as const)("a rejection of %s is the exchange's own", async (url, status, body) => {
  const rejected = await send('GET', url)
  expect(rejected.statusCode).toBe(status)
  expect(rejected.json()).toMatchObject(body)
  expect(rejected.json()).not.toHaveProperty('sluice')
})

test('a lasting 429 reaches the bot with its body and Retry-After', async () => {
  const match = { path: '/api/v3/trades' }
  t.paper.faults.add({ kind: '429', retryAfterSeconds: 1, match, times: 9 })
  const rejected = await send('GET', '/mx/api/v3/trades?symbol=BTCUSDT')
  t.paper.faults.clear()
  expect(rejected.statusCode).toBe(429)
  expect(rejected.headers).toMatchObject({ 'retry-after': '1', ratelimit: '"mx";r=0;t=1' })
  expect(rejected.json()).toMatchObject({ code: 429, msg: 'Too Many Requests' })
})

test.each(['5xx', 'html', 'truncated', 'garbage'] as const)(
  'a read whose response is %s returns exactly that response',
  async (kind) => {
    t.paper.faults.add({ kind, match: { path: '/api/v2/spot/account/assets' } })
    const response = await send('GET', '/bg/api/v2/spot/account/assets')
    expect(response.statusCode).toBe({ '5xx': 500, html: 502, truncated: 200, garbage: 200 }[kind])
    expect(response.body).not.toContain('sluice')
  },
)

test('simultaneous market reads of two bots become one call', async () => {
  const other = await t.client()
  t.paper.clearReceived()
  t.paper.faults.add({ kind: 'slow', delayMs: 500, match: { path: '/api/v3/avgPrice' } })
  const [url, busy] = [
    '/mx/api/v3/klines?symbol=BTCUSDT&interval=1m',
    '/mx/api/v3/avgPrice?symbol=BTCUSDT',
  ]
  const responses = await Promise.all([
    send('GET', busy),
    send('GET', url),
    send('GET', `${url}&timestamp=1&signature=ab`, other.headers),
  ])
  expect(responses[1]?.body).toBe(responses[2]?.body)
  expect(arrived().filter(({ path }) => path === '/api/v3/klines')).toHaveLength(1)
})

const bitgetTime = (ms: number) =>
  `{"code":"00000","msg":"success","requestTime":${ms},"data":{"serverTime":"${ms}"}}`

const TIMES = [
  ['/mx/api/v3/time', (ms: number) => `{"serverTime":${ms}}`],
  ['/api/v3/time', (ms: number) => `{"serverTime":${ms}}`],
  ['/mx/api/v1/contract/ping', (ms: number) => `{"success":true,"code":0,"data":${ms}}`],
  ['/bg/api/v2/public/time', bitgetTime],
  ['/bg/api/v3/public/time', bitgetTime],
] as const

test("the exchanges' times come from the measured clock, which is read once", async () => {
  const t = await testApp()
  const { headers } = await t.client()
  t.paper.faults.add({ kind: 'wrong-clock', offsetMs: 3_600_000 })
  for (const [url, body] of [...TIMES, ...TIMES]) {
    const beforeMs = Date.now() + 3_600_000
    const response = await t.app.inject({ url, headers })
    const timeMs = Number(/\d{13}/.exec(response.body)?.[0])
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toContain('application/json')
    expect(response.body).toBe(body(timeMs))
    // The clock is that of the exchange, an hour ahead; how long the call took is not known.
    expect(Math.abs(timeMs - beforeMs)).toBeLessThan(60_000)
  }
  const read = t.paper.received().map(({ path }) => path)
  expect(read.length).toBeLessThanOrEqual(3)
  expect(new Set(read).size).toBe(read.length)
})

test('a time that cannot be measured is read with an ordinary call', async () => {
  const t = await testApp()
  const { headers } = await t.client()
  t.paper.faults.add({ kind: '5xx', match: { path: '/api/v2/public/time' } })
  const response = await t.app.inject({ url: '/bg/api/v2/public/time', headers })
  expect(response.statusCode).toBe(200)
  expect(response.json().data.serverTime).toMatch(/^\d{13}$/)
  expect(t.paper.received().map(({ status }) => status)).toEqual([500, 200])
})
