import { expect, test } from 'vitest'
import { testApp } from './app.ts'
import { watchStalls } from './support/longest-stall.ts'

const ORDERS = 100

test('100 orders queued for one exchange arrive at 2 per second, none lost, in order, each freshly signed', async () => {
  const { app, paper, client } = await testApp({ env: { RATE_LIMIT_PER_SECOND: '2' } })
  const bot = await client()
  const place = (number: number) =>
    app.inject({
      method: 'POST',
      url: '/api/bg/v1/spot/trade/place-order',
      headers: bot.headers,
      payload: {
        symbol: 'BTCUSDT',
        side: 'buy',
        orderType: 'limit',
        force: 'gtc',
        size: '0.001',
        price: '50000',
        clientOid: `order-${number}`,
      },
    })
  // The first brings the clock and the symbol's rules, so that the others only queue.
  expect((await place(0)).statusCode).toBe(200)
  paper.clearReceived()

  const longestStallMs = watchStalls()
  const startedAt = performance.now()
  const responses = await Promise.all(
    Array.from({ length: ORDERS }, (_, index) => place(index + 1)),
  )
  const tookMs = performance.now() - startedAt
  expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(ORDERS).fill(200))

  const arrived = paper.received({ path: '/api/v2/spot/trade/place-order' })
  expect(arrived.map(({ body }) => JSON.parse(String(body)).clientOid)).toEqual(
    Array.from({ length: ORDERS }, (_, index) => `order-${index + 1}`),
  )
  const times = arrived.map(({ arrivedAtMonotonicMs }) => arrivedAtMonotonicMs)
  const tightest = Math.min(...times.slice(2).map((time, index) => time - (times[index] ?? 0)))
  // Three within a second would be one too many; lane/live-pace.test.ts has the exchange's own
  // clock.
  expect(tightest).toBeGreaterThan(1000 - longestStallMs())
  expect(tookMs).toBeGreaterThan(((ORDERS - 1) / 2) * 1000 - 100)
  // No slot is left out, and most go out when they are due.
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  expect(Math.max(...gaps)).toBeLessThan(1000 + longestStallMs())
  expect(gaps.toSorted((a, b) => a - b)[ORDERS / 2]).toBeLessThan(520)
  for (const { headers, arrivedAtMs } of arrived) {
    expect(Math.abs(arrivedAtMs - Number(headers['access-timestamp']))).toBeLessThan(1000)
  }
})
