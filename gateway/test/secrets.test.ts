import { randomBytes } from 'node:crypto'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { catalogue } from 'schema'
import { expect, test } from 'vitest'
import type { FaultKind } from '../paper-exchange/src/faults.ts'
import { ADMIN, type TestApp, type TestClient, testApp } from './app.ts'
import { sampleCall } from './support/sample-call.ts'

/** Secrets by name, and what of each must be found nowhere. */
type Secrets = Record<string, string>

interface SeenResponse {
  readonly call: string
  readonly text: string
}

const MISTYPED = { password: 'a-mistyped-passw0rd', secret: 'sls_a-mistyped-secret' }

/** A gateway that logs everything, a bot with keys, and every response. */
async function watchedApp() {
  const logLines: string[] = []
  const masterKey = randomBytes(32)
  const t = await testApp({
    logLines,
    env: { MASTER_KEY: masterKey.toString('base64'), UPSTREAM_TIMEOUT_SECONDS: '1' },
  })
  const bot = await t.client()
  const seen: SeenResponse[] = []
  const send = async (call: InjectOptions): Promise<LightMyRequestResponse> => {
    const response = await t.app.inject(call)
    const { statusMessage, headers, body } = response
    seen.push({
      call: `${call.method ?? 'GET'} ${String(call.url)} (${response.statusCode})`,
      text: `${statusMessage} ${JSON.stringify(headers)} ${body}`,
    })
    return response
  }
  return { ...t, bot, send, seen, logLines, secrets: secretsOf(t, bot, masterKey) }
}

function secretsOf({ asAdmin }: TestApp, bot: TestClient, masterKey: Buffer): Secrets {
  const tokens = { session: asAdmin.authorization, token: bot.headers.authorization }
  return {
    'master key': masterKey.toString('base64'),
    'master key in hex': masterKey.toString('hex'),
    'administrator password': ADMIN.password,
    'client secret': bot.clientSecret,
    'middle of the client secret': bot.clientSecret.slice(8, -4),
    'mistyped password': MISTYPED.password,
    'mistyped secret': MISTYPED.secret,
    ...Object.fromEntries(
      bot.keys.map((key, index) => [`part ${index} of the exchange keys`, key]),
    ),
    ...Object.fromEntries(
      Object.entries(tokens).map(([name, header]) => [
        `signature of the ${name}`,
        header.slice(header.lastIndexOf('.') + 1),
      ]),
    ),
  }
}

const leaksIn = (secrets: Secrets, text: string) =>
  Object.keys(secrets).filter((name) => text.includes(secrets[name] ?? ''))

function expectNothingLeaked({ seen, logLines, secrets }: Awaited<ReturnType<typeof watchedApp>>) {
  for (const { call, text } of seen) expect(leaksIn(secrets, text), call).toEqual([])
  for (const line of logLines) expect(leaksIn(secrets, line), line).toEqual([])
}

test('the search for leaks finds a secret that is there', async () => {
  const watched = await watchedApp()
  const { bot, secrets } = watched
  expect(leaksIn(secrets, `Bearer ${bot.headers.authorization}`)).toEqual([
    'signature of the token',
  ])
  expect(leaksIn(secrets, bot.clientSecret)).toContain('client secret')
  expect(bot.keys).toHaveLength(5)
})

test('no route returns a secret or writes one to the log, for any caller and any wrong input', async () => {
  const watched = await watchedApp()
  const { send, bot, asAdmin, logLines } = watched
  const values = { ...MISTYPED, clientSecret: bot.clientSecret, apiSecret: bot.keys[1] }
  for (const endpoint of catalogue.filter(({ id }) => id !== 'logout')) {
    const call = sampleCall(endpoint)
    const right = endpoint.access === 'admin' ? asAdmin : bot.headers
    for (const headers of [right, endpoint.access === 'admin' ? bot.headers : asAdmin, {}]) {
      await send({ ...call, headers: { ...call.headers, ...headers } })
      await send({
        ...call,
        headers: { ...headers, 'content-type': 'application/json', prefer: 'wait=1' },
        ...(endpoint.method === 'GET'
          ? {}
          : { payload: { ...Object(endpoint.sample?.body), ...values } }),
      })
      const broken = { ...headers, 'content-type': 'application/json' }
      if (endpoint.method !== 'GET')
        await send({ ...call, headers: broken, payload: `{"apiSecret":"${bot.keys[1]}"` })
    }
    const hidden = new URLSearchParams({ access_token: bot.headers.authorization, ...MISTYPED })
    await send({ method: endpoint.method, url: `${call.url.split('?')[0]}?${hidden}` })
  }
  await send({ url: '/docs/' })
  await send({ url: `/no/such/route?token=${bot.headers.authorization}` })
  expect(watched.seen.length).toBeGreaterThan(catalogue.length * 5)
  expect(logLines.length).toBeGreaterThan(watched.seen.length)
  expectNothingLeaked(watched)
})

test('signing in, tokens and key tests write no secret to the log, in success or failure', async () => {
  const watched = await watchedApp()
  const { app, send, bot, asAdmin, paper, logLines, secrets } = watched
  const { clientId, clientSecret } = bot
  const post = (url: string, payload: object) => ({ method: 'POST', url, payload }) as const
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  const before = logLines.length
  // These responses contain the secret that they hand out, so only the log is searched.
  await app.inject(post('/auth/login', ADMIN))
  await app.inject(post('/auth/token', { clientId, clientSecret }))
  await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: {
      authorization: `Basic ${basic}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: 'grant_type=client_credentials',
  })
  await app.inject({
    ...post('/api/admin/client-credentials', { clientId: 'b' }),
    headers: asAdmin,
  })
  expect(logLines.length).toBeGreaterThan(before)
  expect(leaksIn({ ...secrets, basic }, logLines.join('\n'))).toEqual([])

  await send(post('/auth/login', { ...ADMIN, password: MISTYPED.password }))
  await send(post('/auth/login', { email: MISTYPED.password, password: ADMIN.password }))
  await send(post('/auth/token', { clientId, clientSecret: MISTYPED.secret }))
  await send(
    post('/auth/token', { clientId: clientSecret, clientSecret: clientId, extra: clientSecret }),
  )
  for (const [exchange, path] of [
    ['mx', '/api/v3/account'],
    ['bg', '/api/v2/spot/account/info'],
  ] as const) {
    for (const kind of [undefined, 'html', 'reset-after'] as const) {
      if (kind !== undefined) paper.faults.add({ kind, match: { path } })
      await send({
        ...post('/api/admin/test-credentials', { clientId, exchange }),
        headers: asAdmin,
      })
    }
  }
  expectNothingLeaked(watched)
})

const faults: readonly FaultKind[] = [
  '5xx',
  'html',
  'truncated',
  'garbage',
  'reset-before',
  'reset-after',
  'timeout-after',
]

test('no failure of an exchange puts a key into a response or the log', async () => {
  const watched = await watchedApp()
  const { send, bot, paper } = watched
  const calls = [
    ['/api/v3/account', { url: '/api/mx/v1/getAccountInfo' }],
    ['/api/v2/mix/position/all-position', { url: '/api/bg/v1/futures/position/all-position' }],
    [
      '/api/v1/private/order/submit',
      {
        method: 'POST',
        url: '/api/v1/private/order/submit',
        payload: { symbol: 'BTC_USDT', vol: 1, price: 50000, side: 1, type: 1, openType: 2 },
      },
    ],
  ] as const
  for (const [path, call] of calls) {
    for (const kind of faults) {
      paper.faults.add({ kind, match: { path } })
      await send({ ...call, headers: bot.headers })
      paper.faults.clear()
    }
  }
  expect(watched.seen.filter(({ call }) => / \(5\d\d\)$/.test(call)).length).toBeGreaterThan(5)
  expectNothingLeaked(watched)
})

test('a key that the exchange does not know is neither in the error nor in the log', async () => {
  const watched = await watchedApp()
  const { send, asAdmin, bot, logLines, paper } = watched
  const { clientId } = bot
  const apiKey = 'mx0v-a-key-that-nobody-knows'
  const payload = { clientId, exchange: 'mx', apiKey, apiSecret: 'its-secret' }
  await send({ method: 'POST', url: '/api/admin/client-api-keys', headers: asAdmin, payload })
  await send({ url: '/api/mx/v1/getAccountInfo', headers: bot.headers })
  await send({
    method: 'POST',
    url: '/api/admin/test-credentials',
    headers: asAdmin,
    payload: { clientId, exchange: 'mx' },
  })
  await send({ url: '/api/admin/api-keys', headers: asAdmin })
  expect(paper.received({ path: '/api/v3/account' })).toHaveLength(2)
  const everything = watched.seen.map(({ text }) => text).join('\n') + logLines.join('\n')
  expect(everything).not.toContain(apiKey)
  expect(everything).not.toContain('its-secret')
})
