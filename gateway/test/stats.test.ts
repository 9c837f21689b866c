import { afterEach, expect, test, vi } from 'vitest'
import { ADMIN, type TestApp, testApp } from './app.ts'
import { eventually } from './support/eventually.ts'
import { createSetTime } from './support/set-time.ts'

afterEach(() => {
  vi.useRealTimers()
})

const stats = async ({ app, asAdmin }: Pick<TestApp, 'app' | 'asAdmin'>) =>
  (await app.inject({ url: '/api/stats', headers: asAdmin })).json()

const idle = {
  ...{ environment: 'paper', state: 'running', reason: null, rateLimit: 2, queueSize: 0 },
  ...{ inFlight: 0, queueByClient: [], longestWaitMs: 0, lastError: null },
  queueByClass: { cancel: 0, lookup: 0, order: 0, account: 0, market: 0 },
}

const waits = { estimatedWaitMs: expect.any(Number), busiestWaitMs: expect.any(Number) }

test('a new gateway has empty statistics', async () => {
  const t = await testApp({ env: { RATE_LIMIT_PER_SECOND: '2' } })
  expect(await stats(t)).toEqual({
    ...{ successRate: 0, errorRate: 0, avgResponseTime: 0, activeTokens: 0 },
    ...{ currentRateLimit: 2, queueSize: 0, totalRequests: 0 },
    exchanges: ['mx', 'bg'].map((exchange) => ({ exchange, ...idle, ...waits })),
  })
})

test('the success rate is that of 2xx among all requests of the log', async () => {
  const t = await testApp()
  const { headers } = await t.client()
  await t.app.inject({ url: '/api/v3/ticker/price', headers })
  await t.app.inject({ url: '/api/mx/v1/getAccountInfo', headers })
  await t.app.inject({ url: '/api/v3/ticker/price' })
  expect(await stats(t)).toMatchObject({
    ...{ totalRequests: 3, successRate: expect.closeTo(66.67, 1) },
    ...{ errorRate: expect.closeTo(33.33, 1), avgResponseTime: expect.any(Number) },
  })
})

test('requests older than 24 hours do not count', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) })
  const t = await testApp()
  await t.app.inject({ url: '/api/v3/ticker/price' })
  expect((await stats(t)).totalRequests).toBe(1)
  vi.setSystemTime(Date.UTC(2026, 0, 2, 0, 2))
  const signedIn = await t.app.inject({ method: 'POST', url: '/auth/login', payload: ADMIN })
  const asAdmin = { authorization: `Bearer ${signedIn.json().token}` }
  expect((await stats({ app: t.app, asAdmin })).totalRequests).toBe(0)
})

test('the queue is reported by exchange, class and client', async () => {
  const time = createSetTime()
  const t = await testApp({ env: { RATE_LIMIT_PER_SECOND: '0.2' }, time })
  const [one, two] = [await t.client('one'), await t.client('two')]
  const read = (headers: Record<string, string>, limit: number) =>
    t.app.inject({ url: `/api/bg/v1/spot/trade/history?limit=${limit}`, headers })
  const waiting = [1, 2, 3].map((limit) => read(one.headers, limit))
  waiting.push(read(two.headers, 1))
  await eventually(async () => {
    const seen = await stats(t)
    const [mx, bg] = seen.exchanges
    expect(bg.queueSize).toBeGreaterThanOrEqual(3)
    expect(mx.queueSize).toBe(0)
    expect(seen.queueSize).toBe(bg.queueSize)
    expect(bg.queueByClient.map(({ clientId }: { clientId: string }) => clientId)).toEqual(
      expect.arrayContaining(['one', 'two']),
    )
    expect(bg.estimatedWaitMs).toBeGreaterThan(0)
  })
  await time.fly(t.app.close())
  for (const response of await Promise.all(waiting))
    expect(response.statusCode).toBeOneOf([200, 503])
})
