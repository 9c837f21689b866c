import { expect, test } from 'vitest'
import { testApp } from './app.ts'

const ORDERS = 100
/** Requests of one client are journalled, checked and queued one after another well within this. */
const QUEUED_WITHIN_MS = 20_000

test('100 orders queued for one exchange arrive at 2 per second, none lost, in order, each freshly signed', async () => {
  const { app, paper, client } = await testApp({ env: { RATE_LIMIT_PER_SECOND: '2' } })
  const bot = await client()
  const place = (number: number) =>
    app.inject({
      method: 'POST',
      url: '/api/mx/v1/submitOrder',
      headers: bot.headers,
      payload: {
        symbol: 'BTC_USDT',
        side: 'BUY',
        type: 'LIMIT',
        quantity: '0.001',
        price: '50000',
        clientOrderId: `order-${number}`,
      },
    })
  // The first brings the clock and the symbol's rules, so that the others only queue.
  expect((await place(0)).statusCode).toBe(200)
  paper.clearReceived()

  const startedAt = performance.now()
  const answers = await Promise.all(Array.from({ length: ORDERS }, (_, index) => place(index + 1)))
  const tookMs = performance.now() - startedAt
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(ORDERS).fill(200))

  const arrived = paper.received({ path: '/api/v1/private/order/create' })
  expect(arrived.map(({ body }) => JSON.parse(String(body)).externalOid)).toEqual(
    Array.from({ length: ORDERS }, (_, index) => `order-${index + 1}`),
  )
  const times = arrived.map(({ arrivedAtMonotonicMs }) => arrivedAtMonotonicMs)
  const tightest = Math.min(...times.slice(2).map((time, index) => time - (times[index] ?? 0)))
  // Three within a second would be one too many. Both ends are in this process, and a stall of its event loop
  // delays what the exchange notes; lane/live-pace.test.ts has the exchange's own clock and no allowance.
  expect(tightest).toBeGreaterThan(900)
  expect(tookMs).toBeGreaterThan(((ORDERS - 1) / 2) * 1000 - 100)
  expect(tookMs).toBeLessThan((ORDERS / 2) * 1000 + QUEUED_WITHIN_MS)
  for (const { headers, arrivedAtMs } of arrived) {
    expect(Math.abs(arrivedAtMs - Number(headers['request-time']))).toBeLessThan(1000)
  }
}, 90_000)
