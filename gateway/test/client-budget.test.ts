import { listLogs, mxSubmitOrder, oauthToken } from 'schema'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type TestApp, type TestClient, testApp } from './app.ts'
import { ownErrorOf, wrong } from './support/call.ts'
import { eventually } from './support/eventually.ts'
import { place } from './support/place.ts'

const TICKER = '/api/v3/ticker/price'
const FIRST_MINUTE = Date.UTC(2026, 0, 1)

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: FIRST_MINUTE }))
afterEach(() => void vi.useRealTimers())

const nextMinute = () => vi.setSystemTime(FIRST_MINUTE + 60_000)

async function floodedApp(env: Record<string, string>) {
  const logLines: string[] = []
  const t = await testApp({ env, logLines })
  const [flood, other] = [await t.client('flood'), await t.client('other')]
  const read = ({ headers }: TestClient) => t.app.inject({ url: TICKER, headers })
  const reads = (count: number) => Promise.all(Array.from({ length: count }, () => read(flood)))
  return { ...t, logLines, flood, other, read, reads }
}

const rows = async ({ call }: TestApp) => (await call(listLogs)).body

test('requests beyond the budget of their client get 429, one row a minute says how many', async () => {
  const t = await floodedApp({ CLIENT_REQUESTS_PER_MINUTE: '3' })
  await t.reads(3)
  t.paper.clearReceived()
  const refused = await t.read(t.flood)
  expect(refused.statusCode).toBe(429)
  expect(ownErrorOf(refused.json())).toMatchObject({ code: 'CLIENT_REQUESTS_EXCEEDED' })
  expect(ownErrorOf(refused.json())).not.toHaveProperty('outcome')
  expect(refused.headers['retry-after']).toBe('60')
  await t.reads(200)
  expect(t.paper.received()).toEqual([])
  expect((await t.read(t.other)).statusCode).toBe(200)
  expect(await rows(t)).toHaveLength(4)
  const lines = t.logLines.filter((line) => line.includes('"status":429'))
  expect(lines).toEqual([])

  nextMinute()
  expect((await t.read(t.flood)).statusCode).toBe(200)
  await t.reads(3)
  const ofFlood = await eventually(async () => {
    const found = (await rows(t)).filter(({ clientId }) => clientId === 'flood')
    expect(found).toHaveLength(7)
    return found
  })
  expect(ofFlood.filter(({ note }) => note !== undefined)).toMatchObject([
    {
      ...{ statusCode: 429, code: 'CLIENT_REQUESTS_EXCEEDED', endpoint: TICKER },
      note: expect.stringMatching(/^201 refused requests/),
    },
  ])
})

test.each([
  [undefined, 'not-sent'],
  // A retry: whether the first request placed the order is not looked up.
  ['a', 'unknown'],
])(
  'an order beyond the budget with the key %j has the outcome %s and can be sent again',
  async (key, outcome) => {
    const t = await floodedApp({ CLIENT_REQUESTS_PER_MINUTE: '1' })
    await t.reads(1)
    const refused = await place(t, t.flood, key)
    expect(refused.json()).toMatchObject({
      ...{ statusCode: 429, code: 'CLIENT_REQUESTS_EXCEEDED', outcome, retryable: true },
    })
    expect(t.paper.orders()).toEqual([])
    nextMinute()
    expect((await place(t, t.flood, key)).statusCode).toBe(200)
  },
)

test.each([
  ['POST', '/api/mx/v1/cancelOrder', { symbol: 'BTC_USDT', orderId: '1' }],
  ['DELETE', '/api/v3/order?symbol=BTCUSDT&orderId=1', undefined],
  ['POST', '/bg/api/v2/spot/trade/cancel-order', { symbol: 'BTCUSDT', orderId: '1' }],
  ['DELETE', '/api/requests/6a1cf1f6-6d9b-4f0d-8c0c-3c9d5e0c6d5b', undefined],
  ['PUT', '/api/heartbeat', { ttlSeconds: 0 }],
] as const)(
  'a client whose budget is used up can still cancel and show that it lives: %s %s',
  async (method, url, payload) => {
    const t = await floodedApp({ CLIENT_REQUESTS_PER_MINUTE: '2' })
    await t.reads(5)
    const cancel = async () => {
      const { headers } = t.flood
      const cancelled = await t.app.inject({
        ...{ method, url, headers },
        ...(payload === undefined ? {} : { payload }),
      })
      return ownErrorOf(cancelled.json()).code
    }
    // Only a request that passed can show that there is no such order.
    expect([await cancel(), await cancel()]).not.toContain('CLIENT_REQUESTS_EXCEEDED')
    expect(await cancel()).toBe('CLIENT_REQUESTS_EXCEEDED')
  },
)

test('a client gets no more tokens than its budget, and a wrong secret uses up nothing', async () => {
  const t = await testApp({ env: { CLIENT_TOKENS_PER_MINUTE: '5' } })
  const [bot, other] = [await t.client(), await t.client()]
  nextMinute()
  const wrongOne = { clientId: bot.clientId, clientSecret: 'sls_wrong' }
  for (let n = 0; n < 20; n += 1) expect((await t.token(wrongOne)).statusCode).not.toBe(200)
  const issued = await Promise.all(Array.from({ length: 9 }, () => t.token(bot)))
  expect(issued.filter(({ statusCode }) => statusCode === 200)).toHaveLength(5)
  const refused = await t.token(bot)
  expect(refused.statusCode).toBe(429)
  expect(refused.json()).toMatchObject({ code: 'CLIENT_TOKENS_EXCEEDED' })
  expect(refused.headers['retry-after']).toBe('60')
  expect((await t.token(other)).statusCode).toBe(200)
  const body = { grant_type: 'client_credentials', client_id: bot.clientId }
  const oauth = await t.call(oauthToken, { body: { ...body, client_secret: bot.clientSecret } })
  expect(oauth.status).toBe(429)
  // It is refused before its secret is read.
  expect((await t.token(wrongOne)).json().code).toBe('CLIENT_TOKENS_EXCEEDED')
  vi.setSystemTime(FIRST_MINUTE + 120_000)
  expect((await t.token(bot)).statusCode).toBe(200)
})

test('refusals of one client write a bounded number of rows, and one that counts the others', async () => {
  const t = await testApp({ env: { CLIENT_REFUSALS_LOGGED_PER_MINUTE: '10' } })
  const [bot, other] = [await t.client('wrong'), await t.client('right')]
  const refuse = (as: TestClient) => t.call(mxSubmitOrder, { body: wrong({}) }, as)
  for (let n = 0; n < 40; n += 1) await refuse(bot)
  await refuse(other)
  await t.app.inject({ url: TICKER, headers: bot.headers })
  const count = async (id: string) =>
    (await rows(t)).filter(({ clientId }) => clientId === id).length
  expect([await count('wrong'), await count('right')]).toEqual([11, 1])
  nextMinute()
  await refuse(bot)
  await eventually(async () => expect(await count('wrong')).toBe(13))
  expect((await rows(t)).map(({ note }) => note?.split(' ')[0])).toContain('30')
})

test('0 switches each budget off', async () => {
  const t = await floodedApp({
    CLIENT_REQUESTS_PER_MINUTE: '0',
    CLIENT_TOKENS_PER_MINUTE: '0',
    CLIENT_REFUSALS_LOGGED_PER_MINUTE: '0',
  })
  for (let n = 0; n < 70; n += 1) expect((await t.token(t.flood)).statusCode).toBe(200)
  expect((await t.read(t.flood)).statusCode).toBe(200)
})
