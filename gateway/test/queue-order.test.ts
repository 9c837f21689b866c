import { bgSpotPlaceOrder } from 'schema'
import { expect, test } from 'vitest'
import { testApp } from './app.ts'
import { botOf } from './support/bot-of.ts'
import { createSetTime } from './support/set-time.ts'

const ORDERS = 100
/** How long the set time is not moved, so that the gateway sends what is due. */
const STEP_MS = 20

test('100 orders queued for one exchange arrive at 2 per second, none lost, in order, each freshly signed', async () => {
  const time = createSetTime()
  const bot = await botOf(
    await testApp({
      time,
      env: { RATE_LIMIT_PER_SECOND: '2' },
      paper: { monotonicMs: () => time.monotonic() },
    }),
  )
  const place = (number: number) =>
    bot.post(bgSpotPlaceOrder.path, {
      ...{ symbol: 'BTCUSDT', side: 'buy', orderType: 'limit', force: 'gtc' },
      ...{ size: '0.001', price: '50000', clientOid: `order-${number}` },
    })
  // The first brings the clock and the symbol's rules, so that the others only queue.
  expect((await time.during(place(0))).statusCode).toBe(200)
  bot.paper.clearReceived()

  const responses = await time.during(
    Promise.all(Array.from({ length: ORDERS }, (_, index) => place(index + 1))),
    { stepMs: STEP_MS },
  )
  expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(ORDERS).fill(200))

  const arrived = bot.paper.received({ path: '/api/v2/spot/trade/place-order' })
  expect(arrived.map(({ body }) => JSON.parse(body).clientOid)).toEqual(
    Array.from({ length: ORDERS }, (_, index) => `order-${index + 1}`),
  )
  const times = arrived.map(({ arrivedAtMonotonicMs }) => arrivedAtMonotonicMs)
  const gaps = (between: number) =>
    times.slice(between).map((ms, index) => ms - (times[index] ?? Number.NaN))
  // Three within a second would be one too many; lane-simulation/live-pace.test.ts keeps the pace
  // of real time.
  expect(Math.min(...gaps(2))).toBeGreaterThanOrEqual(1_000 - STEP_MS)
  // No slot is left out.
  expect(Math.max(...gaps(1))).toBeLessThanOrEqual(520 + STEP_MS)
  for (const { headers, arrivedAtMs } of arrived) {
    expect(Math.abs(arrivedAtMs - Number(headers['access-timestamp']))).toBeLessThan(100)
  }
})
